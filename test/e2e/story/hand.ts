// Changes that a story makes to the cluster as an administrator, as with kubectl, without code of Lull.
import type { Api, Said } from '../../cluster/api.ts';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly { readonly manager: string }[];
    readonly [field: string]: unknown;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a story reads what any kind may hold, and a wrong path is a failed test
  readonly [field: string]: any;
}

/** The API version in which each kind is read; written objects contain it. */
const versions: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  CSINode: 'storage.k8s.io/v1',
  ClusterRole: 'rbac.authorization.k8s.io/v1',
  ClusterRoleBinding: 'rbac.authorization.k8s.io/v1',
  CronJob: 'batch/v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
  DisruptionLedger: 'lull.dev/v1alpha1',
  HealthGate: 'lull.dev/v1alpha1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
  EndpointSlice: 'discovery.k8s.io/v1',
  Job: 'batch/v1',
  KWOKNodeClass: 'karpenter.kwok.sh/v1alpha1',
  Lease: 'coordination.k8s.io/v1',
  MaintenanceWindow: 'karpenter.sh/v1alpha1',
  MutatingAdmissionPolicy: 'admissionregistration.k8s.io/v1',
  MutatingAdmissionPolicyBinding: 'admissionregistration.k8s.io/v1',
  NodeClaim: 'karpenter.sh/v1',
  NodePool: 'karpenter.sh/v1',
  PodDisruptionBudget: 'policy/v1',
  PodDisruptionSchedule: 'karpenter.sh/v1alpha1',
  ReplicaSet: 'apps/v1',
  Role: 'rbac.authorization.k8s.io/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  StatefulSet: 'apps/v1',
  StorageClass: 'storage.k8s.io/v1',
  ValidatingAdmissionPolicy: 'admissionregistration.k8s.io/v1',
  ValidatingAdmissionPolicyBinding: 'admissionregistration.k8s.io/v1',
  VolumeAttachment: 'storage.k8s.io/v1',
};

/** `name`, or `namespace/name`; the default namespace is `default`, if the kind has one. */
type Key = string;

export interface Hand {
  /** Like kubectl apply --server-side --force-conflicts. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Returns any response of the server: for objects that must be refused. */
  tryApply(object: object): Promise<Said>;
  create(object: object): Promise<Said>;
  /** Undefined if there is none. */
  read(kind: string, key: Key): Promise<KubeObject | undefined>;
  /** Over all namespaces; `labels` as for kubectl -l. */
  list(kind: string, labels?: string): Promise<readonly KubeObject[]>;
  /** A merge patch: null removes a field. */
  patch(kind: string, key: Key, change: object, subresource?: string): Promise<KubeObject>;
  tryPatch(kind: string, key: Key, change: object, subresource?: string): Promise<Said>;
  jsonPatch(kind: string, key: Key, operations: readonly object[]): Promise<Said>;
  remove(kind: string, key: Key, options?: object): Promise<Said>;
}

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
}

export function openHand(api: Api, manager = 'story'): Hand {
  const known = new Map<string, Resource>();

  async function resourceOf(apiVersion: string, kind: string): Promise<Resource> {
    const found = known.get(`${apiVersion}/${kind}`);
    if (found) return found;
    const { resources } = (await api.must({ method: 'GET', path: rootOf(apiVersion) })) as {
      resources: (Resource & { kind: string })[];
    };
    for (const it of resources) if (!it.name.includes('/')) known.set(`${apiVersion}/${it.kind}`, it);
    const now = known.get(`${apiVersion}/${kind}`);
    if (!now) throw new Error(`The API server has no ${kind} in ${apiVersion}: is its CRD installed?`);
    return now;
  }

  async function pathOf(apiVersion: string, kind: string, key?: Key): Promise<string> {
    const { name, namespaced } = await resourceOf(apiVersion, kind);
    if (key === undefined) return `${rootOf(apiVersion)}/${name}`;
    const [namespace, own] = key.includes('/') ? (key.split('/') as [string, string]) : ['default', key];
    return `${rootOf(apiVersion)}/${namespaced ? `namespaces/${namespace}/` : ''}${name}/${own}`;
  }

  const place = (kind: string, key?: Key): Promise<string> => pathOf(versions[kind] ?? 'v1', kind, key);

  const tryApply = async (object: object): Promise<Said> => {
    const { apiVersion, kind, metadata } = object as KubeObject;
    const path = await pathOf(apiVersion, kind, keyOf(metadata));
    const query = `?fieldManager=${manager}&force=true&fieldValidation=Strict`;
    return api.ask({ method: 'PATCH', path: path + query, body: object, contentType: 'application/apply-patch+yaml' });
  };

  const tryPatch: Hand['tryPatch'] = async (kind, key, change, subresource) => {
    const path = `${await place(kind, key)}${subresource ? `/${subresource}` : ''}?fieldManager=${manager}`;
    return api.ask({ method: 'PATCH', path, body: change, contentType: 'application/merge-patch+json' });
  };

  return {
    tryApply,
    apply: async (...objects) => {
      for (const object of objects) good(await tryApply(object), `apply ${JSON.stringify(object)}`);
    },
    create: async (object) => {
      const { apiVersion, kind, metadata } = object as KubeObject;
      const path = (await pathOf(apiVersion, kind, keyOf(metadata))).replace(/\/[^/]*$/, '');
      return api.ask({ method: 'POST', path: `${path}?fieldValidation=Strict`, body: object });
    },
    read: async (kind, key) => {
      const said = await api.ask({ method: 'GET', path: await place(kind, key) });
      return said.code === 404 ? undefined : good(said, `read ${kind} ${key}`);
    },
    list: async (kind, labels) => {
      const query = labels ? `?labelSelector=${encodeURIComponent(labels)}` : '';
      const { items } = await api.must({ method: 'GET', path: (await place(kind)) + query });
      return items as KubeObject[];
    },
    tryPatch,
    patch: async (kind, key, change, subresource) =>
      good(await tryPatch(kind, key, change, subresource), `patch ${kind} ${key}`),
    jsonPatch: async (kind, key, body) =>
      api.ask({
        method: 'PATCH',
        path: `${await place(kind, key)}?fieldManager=${manager}`,
        body,
        contentType: 'application/json-patch+json',
      }),
    remove: async (kind, key, body = {}) => api.ask({ method: 'DELETE', path: await place(kind, key), body }),
  };
}

const rootOf = (apiVersion: string): string => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`);
const keyOf = ({ name, namespace }: KubeObject['metadata']): Key => (namespace ? `${namespace}/${name}` : name);

function good({ code, body }: Said, what: string): KubeObject {
  if (code >= 200 && code < 300) return body as KubeObject;
  throw new Error(`${what}: ${code} ${JSON.stringify(body)}`);
}
