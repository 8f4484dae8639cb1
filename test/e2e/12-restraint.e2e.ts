// N12: on a real API server, policies limit what Lull may write. Both ServiceAccounts get every RBAC permission, so that only the policies can refuse.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Api, openApi, type Said } from '../cluster/api.ts';
import type { Case, Duty, Plain } from '../manifests/restraint/case.ts';
import { restraintCases } from '../manifests/restraint/cases.ts';
import { specimenOf, surroundings } from '../manifests/restraint/specimens.ts';
import { describeStory, type Story } from './story/story.ts';

const accounts = ['lull', 'lull-release'];

const everything = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'lull-may-do-everything' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: accounts.map((name) => ({ kind: 'ServiceAccount', name, namespace: 'lull-system' })),
};

/** `lull install` creates the release job's account only with an image; pods need the default account, which no controller creates here. */
const serviceAccounts = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'lull-release', namespace: 'lull-system' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'lull-system' } },
];

const paths: Readonly<Record<Case['kind'], string>> = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/namespaces/default/pods',
  NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  NodePool: '/apis/karpenter.sh/v1/nodepools',
  MaintenanceWindow: '/apis/karpenter.sh/v1alpha1/maintenancewindows',
  PodDisruptionSchedule: '/apis/karpenter.sh/v1alpha1/poddisruptionschedules',
  HealthGate: '/apis/lull.dev/v1alpha1/healthgates',
  DisruptionLedger: '/apis/lull.dev/v1alpha1/disruptionledgers',
  Lease: '/apis/coordination.k8s.io/v1/namespaces/lull-system/leases',
  Event: '/api/v1/namespaces/default/events',
  Deployment: '/apis/apps/v1/namespaces/lull-system/deployments',
};

/** Pods of Lull itself are in its own namespace. */
const folderOf = ({ kind }: Case, { metadata }: Specimen): string =>
  paths[kind].replace('/namespaces/default/', `/namespaces/${metadata.namespace}/`);

const mergePatch = 'application/merge-patch+json';

type Specimen = Plain & { readonly metadata: { readonly name: string; readonly namespace?: string } };

const poolPath = `${paths.NodePool}/case-pool`;
let poolUid = '';

const objectOf = (each: Case): Specimen => specimenOf(each, poolUid) as Specimen;

/** Writes the object as an administrator, in the state that the case describes. */
async function prepare({ api }: { readonly api: Api }, each: Case): Promise<void> {
  const object = objectOf(each);
  const folder = folderOf(each, object);
  const path = `${folder}/${object.metadata.name}`;
  await api.ask({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
  await api.ask({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, contentType: mergePatch });
  if (each.operation === 'CREATE' && each.subresource === undefined) return;
  await api.must({ method: 'POST', path: folder, body: object });
  // The API server adds one of its own to every new node.
  const taints = (object.spec as { taints?: unknown } | undefined)?.taints ?? null;
  if (each.kind === 'Node')
    await api.must({ method: 'PATCH', path, body: { spec: { taints } }, contentType: mergePatch });
  if (object.status !== undefined)
    await api.must({
      method: 'PATCH',
      path: `${path}/status`,
      body: { status: object.status },
      contentType: mergePatch,
    });
}

/** The request of the case itself. */
function attempt(api: Api, each: Case): Promise<Said> {
  const { operation, subresource, change, graceSeconds } = each;
  const object = objectOf(each);
  const folder = folderOf(each, object);
  const path = `${folder}/${object.metadata.name}${subresource ? `/${subresource}` : ''}`;
  if (subresource === 'eviction') {
    const { name, namespace } = object.metadata;
    const deleteOptions = graceSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds: graceSeconds } };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, ...deleteOptions };
    return api.ask({ method: 'POST', path, body });
  }
  if (operation === 'CREATE') return api.ask({ method: 'POST', path: folder, body: object });
  if (operation === 'DELETE')
    return api.ask({ method: 'DELETE', path, body: { gracePeriodSeconds: graceSeconds ?? 1 } });
  return api.ask({ method: 'PATCH', path, body: change, contentType: mergePatch });
}

/** With the token of a pod, if one is named. */
async function asAccount({ cluster }: Story, name: string, pod?: string): Promise<Api> {
  const path = `/api/v1/namespaces/lull-system/serviceaccounts/${name}/token`;
  const bound = pod !== undefined && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } };
  const body = { spec: { expirationSeconds: 3600, ...bound } };
  const made = await cluster.api.must({ method: 'POST', path, body });
  const { token } = made.status as { token: string };
  return openApi({ server: cluster.server, token, ca: readFileSync(cluster.caFile, 'utf8') });
}

async function surround({ cluster: { api } }: Story): Promise<void> {
  for (const object of surroundings) {
    const { uid: _, ...metadata } = object.metadata as { name: string; uid?: string };
    const path = paths[object.kind as Case['kind']];
    await api.ask({ method: 'POST', path, body: { ...object, metadata } });
  }
  const { metadata } = (await api.must({ method: 'GET', path: poolPath })) as { metadata: { uid: string } };
  poolUid = metadata.uid;
}

const refusedByPolicy =
  /ValidatingAdmissionPolicy 'lull-restraint-[a-z-]+' with binding '[a-z-]+' denied request: (?!expression )/;
const byDuty = { observe: 'observe', guide: 'guide', drive: 'drive', release: 'guide' } as const;

/** One request per policy that a role changes: a changed policy takes a moment to be in force. */
const signs = [
  'on a Karpenter node that is not drained is deleted',
  'is created as its pool specifies',
  'is parked without other annotations',
  'loses the mark of a replacement',
  'is tainted for disruption',
];

describeStory('restraint', { controllers: false }, (story) => {
  describe.each<Duty>(['observe', 'guide', 'drive', 'release'])('N12: in %s', (duty) => {
    let lull: Api;

    beforeAll(async () => {
      expect(await story.lull('install', '--set', `role=${byDuty[duty]}`)).toMatchObject({ code: 0 });
      await story.apply(everything, ...serviceAccounts);
      await surround(story);
      lull = await asAccount(story, duty === 'release' ? 'lull-release' : 'lull');
      const asked = restraintCases.filter((each) => signs.includes(each.it));
      await story.until(`the policies of ${duty} are in force`, async () => {
        for (const each of asked) {
          await prepare(story.cluster, each);
          if ((await attempt(lull, each)).code < 300 !== each.duties.includes(duty)) return false;
        }
        return true;
      });
    });

    it.each(restraintCases.map((each) => [`${each.kind}: ${each.it}`, each] as const))('%s', async (_, each) => {
      await prepare(story.cluster, each);
      const isOwn = each.isOwnPod && duty !== 'release';
      const user = isOwn ? await asAccount(story, 'lull', objectOf(each).metadata.name) : lull;
      const { code, body } = await attempt(user, each);
      const said = code < 300 ? 'allowed' : `${code} ${(body as { message?: string }).message}`;
      expect(said).toEqual(each.duties.includes(duty) ? 'allowed' : expect.stringMatching(refusedByPolicy));
    });
  });

  it('N12: no other client is affected, even if there is no pool to compare claims with', async () => {
    await story.cluster.api.must({ method: 'DELETE', path: poolPath });
    for (const each of restraintCases) {
      await prepare(story.cluster, each);
      const { body } = await attempt(story.cluster.api, each);
      expect((body as { message?: string }).message ?? '').not.toMatch(refusedByPolicy);
    }
  });
});
