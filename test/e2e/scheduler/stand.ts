// A test stand with only an API server and kube-scheduler: nodes and pods are what the test creates.
import { setTimeout } from 'node:timers/promises';
import { type Cluster, startCluster } from '../../cluster/cluster.ts';
import { readCa } from '../../cluster/keys.ts';
import { type KubeObject, openHand } from '../story/hand.ts';
import { hasOwnClaims, openProvisioner, ownClaims } from './provisioner.ts';
import { keyOf, type Watched, watch } from './watched.ts';

/** The scheduler's answer for a pod: the node it was bound to, or why it is pending. */
export type Answer = { readonly node: string } | { readonly pending: string };

interface Offered {
  /** As the API server completed it. */
  readonly pod: KubeObject;
  /** The claims that were created with it. */
  readonly claims: readonly KubeObject[];
  readonly answer: Answer;
}

export interface Stand {
  readonly cluster: Cluster;
  /** Every object, as the API server returns it. */
  objects(): readonly KubeObject[];
  build(objects: readonly object[]): Promise<void>;
  /** Offers an unbound pod to the scheduler, and returns its answer. */
  offer(pod: KubeObject): Promise<Offered>;
  remove(kind: string, key: string): Promise<void>;
  patch(kind: string, key: string, change: object): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Each would write into the objects, refuse what the random clusters use, or keep what is deleted. */
const admission =
  '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,RuntimeClass,Priority,StorageObjectInUseProtection';

/** The scheduler has a watch for each kind, and none of them tells how far another is. A pod that was answered on old state is offered again. */
const settling = 40;

/** Requests in flight at a time: the server answers each in a few milliseconds. */
const inFlight = 8;

const collections: readonly { readonly kind: string; readonly path: string }[] = [
  { kind: 'DaemonSet', path: '/apis/apps/v1/daemonsets' },
  { kind: 'Node', path: '/api/v1/nodes' },
  { kind: 'CSINode', path: '/apis/storage.k8s.io/v1/csinodes' },
  { kind: 'PersistentVolume', path: '/api/v1/persistentvolumes' },
  { kind: 'StorageClass', path: '/apis/storage.k8s.io/v1/storageclasses' },
];

export async function openStand(name: string): Promise<Stand> {
  const cluster = await startCluster({
    name,
    controllers: false,
    karpenter: false,
    audit: false,
    flags: { 'kube-apiserver': [admission] },
  });
  try {
    await cluster.component('kube-scheduler').start();
    return await openOn(cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function openOn(cluster: Cluster): Promise<Stand> {
  const { api, server, token } = cluster;
  const hand = openHand(api);
  const login = { server, token, ca: readCa(cluster.folder) };
  const pods = await watch({ ...login, path: '/api/v1/pods' });
  const claims = await watch({ ...login, path: '/api/v1/persistentvolumeclaims' });
  /** Objects that only the test writes. */
  const others = new Map<string, KubeObject>();
  const namespaces = new Set<string>();
  const put = (object: KubeObject): void => void others.set(`${object.kind}/${keyOf(object)}`, object);
  const find = (kind: string, key: string): KubeObject | undefined => others.get(`${kind}/${key}`);
  const provisioner = openProvisioner({ api, claims, find, put });

  const create = async (object: KubeObject): Promise<void> => {
    if (object.kind === 'Namespace') return putNamespace(object);
    const { code, body } = await hand.create(object);
    if (code !== 201) throw new Error(`create ${JSON.stringify(object)}: ${code} ${JSON.stringify(body)}`);
    const made = body as KubeObject;
    if (made.kind === 'Pod') await shown(pods, made);
    else if (made.kind === 'PersistentVolumeClaim') await shown(claims, made);
    else put(made);
  };

  /** A namespace cannot be deleted, since no controller empties it: it gets other labels instead. */
  const putNamespace = async (object: KubeObject): Promise<void> => {
    const { name } = object.metadata;
    const said =
      namespaces.has(name) || name === 'default' || name.startsWith('kube-')
        ? await api.ask({ method: 'PUT', path: `/api/v1/namespaces/${name}`, body: object })
        : await hand.create(object);
    if (said.code >= 300) throw new Error(`${name}: ${said.code} ${JSON.stringify(said.body)}`);
    namespaces.add(name);
    put({ ...(said.body as KubeObject), apiVersion: 'v1', kind: 'Namespace' });
  };

  const remove = async (kind: string, key: string): Promise<void> => {
    const { code, body } = await hand.remove(kind, key, { gracePeriodSeconds: 0 });
    if (code >= 300) throw new Error(`delete ${kind} ${key}: ${code} ${JSON.stringify(body)}`);
    const owned = kind === 'Pod' ? ownClaims(key, claims) : [];
    for (const claim of owned) await remove('PersistentVolumeClaim', claim);
    others.delete(`${kind}/${key}`);
    const follower = kind === 'Pod' ? pods : kind === 'PersistentVolumeClaim' ? claims : undefined;
    await follower?.until(`${kind} ${key} is gone`, () => (follower.objects.has(key) ? undefined : true));
  };

  const clear = async (): Promise<void> => {
    const empty = async (path: string): Promise<void> => {
      await api.must({ method: 'DELETE', path, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    };
    const spaces = [...namespaces].map((each) => `/api/v1/namespaces/${each}`);
    await Promise.all(spaces.map((each) => empty(`${each}/pods`)));
    await Promise.all(spaces.map((each) => empty(`${each}/persistentvolumeclaims`)));
    await Promise.all([...namespaces].map((each) => empty(`/apis/apps/v1/namespaces/${each}/daemonsets`)));
    await Promise.all(collections.filter(({ kind }) => kind !== 'DaemonSet').map(({ path }) => empty(path)));
    for (const follower of [pods, claims])
      await follower.until('everything is gone', () => (follower.objects.size === 0 ? true : undefined));
    others.clear();
  };

  return {
    cluster,
    clear,
    remove,
    objects: () => [
      ...others.values(),
      ...[...claims.objects.values()].map(asKind('PersistentVolumeClaim')),
      ...[...pods.objects.values()].map(asKind('Pod')),
    ],
    build: async (objects) => {
      const order = [
        'Namespace',
        'StorageClass',
        'Node',
        'CSINode',
        'PersistentVolume',
        'PersistentVolumeClaim',
        'DaemonSet',
        'Pod',
      ];
      for (const kind of order)
        await inParallel(
          (objects as KubeObject[]).filter((each) => each.kind === kind),
          create,
        );
      const unknown = (objects as KubeObject[]).find(({ kind }) => !order.includes(kind));
      if (unknown) throw new Error(`No creation order is defined for ${unknown.kind}`);
      await setTimeout(settling);
    },
    offer: async (pod) => {
      // Claims that belong to the pod can only be created after it: until then the scheduler must not consider it.
      const isHeld = hasOwnClaims(pod);
      const { code, body } = await hand.create(
        isHeld ? { ...pod, spec: { ...pod.spec, schedulingGates: gates } } : pod,
      );
      if (code !== 201) throw new Error(`create ${JSON.stringify(pod)}: ${code} ${JSON.stringify(body)}`);
      const made = body as KubeObject;
      const own = isHeld ? await provisioner.makeClaims(made) : [];
      if (isHeld) {
        await setTimeout(settling);
        await hand.patch('Pod', keyOf(made), { spec: { schedulingGates: null } });
      }
      const answer = await pods.until(`the scheduler answers for ${keyOf(made)}`, () => {
        const now = pods.objects.get(keyOf(made));
        return now && now.metadata.uid === made.metadata.uid ? answerIn(now) : undefined;
      });
      return { pod: made, claims: own, answer };
    },
    patch: async (kind, key, change) => put({ ...(await hand.patch(kind, key, change)), kind }),
    close: async () => {
      pods.close();
      claims.close();
      await cluster.stop();
    },
  };
}

const gates = [{ name: 'test.lull.dev/claims' }];

/** In lists and watches the kind may be left out. */
const asKind =
  (kind: string) =>
  (object: KubeObject): KubeObject => ({ ...object, apiVersion: 'v1', kind });

async function shown(follower: Watched, made: KubeObject): Promise<void> {
  const key = keyOf(made);
  await follower.until(`${key} exists`, () =>
    follower.objects.get(key)?.metadata.uid === made.metadata.uid ? true : undefined,
  );
}

/** The scheduler tries again by itself when it sees the claim that was created for the pod. */
const notYet = /waiting for ephemeral volume controller/;

function answerIn({ spec, status }: KubeObject): Answer | undefined {
  if (spec.nodeName) return { node: spec.nodeName };
  const conditions = (status?.conditions ?? []) as {
    type: string;
    status: string;
    reason?: string;
    message?: string;
  }[];
  const said = conditions.find(({ type }) => type === 'PodScheduled');
  if (said?.status !== 'False' || said.reason === 'SchedulingGated' || notYet.test(said.message ?? ''))
    return undefined;
  return { pending: said.reason === 'Unschedulable' ? (said.message ?? '') : `${said.reason}: ${said.message}` };
}

async function inParallel<T>(list: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  const waiting = list.values();
  const work = async (): Promise<void> => {
    for (const each of waiting) await act(each);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}
