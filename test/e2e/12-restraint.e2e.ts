// N12: does the real API server keep Lull to what is its own? Lull's ServiceAccount is given every right there is: what is refused then, the policies refuse.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Api, openApi, type Said } from '../cluster/api.ts';
import { type Case, type Plain, type Role, restraintCases } from '../manifests/restraintCases.ts';
import { specimenOf } from '../manifests/specimens.ts';
import { describeStory, type Story } from './story/story.ts';

const everything = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'lull-may-do-everything' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'lull', namespace: 'lull-system' }],
};

/** Without one no pod can be made, and no controller makes it here. */
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } };

const paths: Readonly<Record<Case['kind'], string>> = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/namespaces/default/pods',
  NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  NodePool: '/apis/karpenter.sh/v1/nodepools',
  MaintenanceWindow: '/apis/karpenter.sh/v1alpha1/maintenancewindows',
};

const mergePatch = 'application/merge-patch+json';

/** As an administrator: so that it stands as the case says, whatever was there before. */
async function prepare({ api }: { readonly api: Api }, each: Case): Promise<void> {
  const object = specimenOf(each) as Plain & { metadata: { name: string } };
  const path = `${paths[each.kind]}/${object.metadata.name}`;
  await api.ask({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
  await api.ask({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, contentType: mergePatch });
  if (each.operation === 'CREATE' && each.subresource === undefined) return;
  await api.must({ method: 'POST', path: paths[each.kind], body: object });
  // The API server puts one of its own on every new node.
  const taints = (object.spec as { taints?: unknown }).taints ?? null;
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
  const { kind, operation, subresource, change } = each;
  const object = specimenOf(each) as Plain & { metadata: { name: string } };
  const path = `${paths[kind]}/${object.metadata.name}${subresource ? `/${subresource}` : ''}`;
  if (subresource === 'eviction') {
    const { name, namespace } = object.metadata as { name: string; namespace?: string };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    return api.ask({ method: 'POST', path, body });
  }
  if (operation === 'CREATE') return api.ask({ method: 'POST', path: paths[kind], body: object });
  if (operation === 'DELETE') return api.ask({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
  return api.ask({ method: 'PATCH', path, body: change, contentType: mergePatch });
}

async function asLull({ cluster }: Story): Promise<Api> {
  const path = '/api/v1/namespaces/lull-system/serviceaccounts/lull/token';
  const made = await cluster.api.must({ method: 'POST', path, body: { spec: { expirationSeconds: 3600 } } });
  const { token } = made.status as { token: string };
  return openApi({ server: cluster.server, token, ca: readFileSync(cluster.caFile, 'utf8') });
}

const refusedByPolicy = /ValidatingAdmissionPolicy 'lull-restraint-[a-z]+' with binding/;

describeStory('restraint', { controllers: false }, (story) => {
  describe.each<Role>(['observe', 'guide', 'drive'])('N12: in %s', (role) => {
    let lull: Api;

    beforeAll(async () => {
      expect(await story.lull('install', '--set', `role=${role}`)).toMatchObject({ code: 0 });
      await story.apply(everything, account);
      lull = await asLull(story);
      // A policy that has just changed is in force a moment later.
      await story.until(`the policies of ${role} are in force`, async () => {
        const pod = restraintCases.find((each) => each.kind === 'Pod' && each.operation === 'DELETE') as Case;
        const claim = restraintCases.find((each) => each.it === 'is deleted' && each.kind === 'NodeClaim') as Case;
        const answers: boolean[] = [];
        for (const each of [pod, claim]) {
          await prepare(story.cluster, each);
          answers.push((await attempt(lull, each)).code < 300 === each.roles.includes(role));
        }
        return answers.every(Boolean);
      });
    });

    it.each(restraintCases.map((each) => [`${each.kind}: ${each.it}`, each] as const))('%s', async (_, each) => {
      await prepare(story.cluster, each);
      const { code, body } = await attempt(lull, each);
      const said = code < 300 ? 'allowed' : `${code} ${(body as { message?: string }).message}`;
      expect(said).toEqual(each.roles.includes(role) ? 'allowed' : expect.stringMatching(refusedByPolicy));
    });
  });

  it('N12: nobody else is touched by it', async () => {
    for (const each of restraintCases) {
      await prepare(story.cluster, each);
      const { body } = await attempt(story.cluster.api, each);
      expect((body as { message?: string }).message ?? '').not.toMatch(refusedByPolicy);
    }
  });
});
