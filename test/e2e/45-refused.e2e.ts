// Requests that RBAC or an admission policy refuses: Lull reports at once what is refused and what to do, and continues as soon as that is done (K5, N12).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Manifest } from '../../src/cli/install/manifests/manifest.ts';
import type { RunningLull } from './story/lull.ts';
import { grow, oneByOne, parkedNodes } from './story/roll.ts';
import { describeStory, type Story } from './story/story.ts';

describeStory('refused', { install: ['--set', 'role=observe'] }, (story) => {
  let lull: RunningLull;
  let told: string;

  it('the ledger cannot be written: log and /readyz report it, with the command that helps', async () => {
    await grow(story, { budgets: oneByOne }, 1);
    lull = await story.startLull({ role: 'guide', ready: false });
    told = await story.until('it is logged', () => / refused +(.*)/.exec(readFileSync(lull.log, 'utf8'))?.[1]);
    expect(told).toMatch(
      /^The API server refuses to write the ledger, so nothing is started: 403: .* cannot create resource/,
    );
    const ready = await lull.get('/readyz');
    expect([ready.code, ready.text.trim()]).toEqual([503, told]);
    expect(await parkedNodes(story)).toEqual([]);
  });

  it('it still answers queries', async () => {
    expect((await lull.get('/api/round')).code).toBe(200);
  });

  it('the named command grants the permissions, and Lull continues by itself', async () => {
    const [, words = ''] = /`lull ([^`]+)`/.exec(told) ?? [];
    expect(words).toMatch(/^install /);
    expect((await story.lull(...words.split(' '))).code).toBe(0);
    await story.until('the node is parked', async () => (await parkedNodes(story)).length === 1, { within: 120 });
    await story.until('it is ready', async () => (await lull.get('/readyz')).code === 200);
    expect(readFileSync(lull.log, 'utf8')).toMatch(/ granted +commit succeeds again, after/);
  });

  it('N12: a policy of another version refuses to park a node: log and /readyz name the policy and what to do, which helps', async () => {
    await refuseNodes(story);
    const [name = ''] = await parkedNodes(story);
    await story.until('the node is refused', async () => {
      await story.patch('Node', name, { metadata: { annotations: { [kept]: null, [parked]: null } } });
      return /An older version knows nothing of this/.test(lull.tail());
    });
    const said = / refused +(The API server refuses to patch Node .*)/.exec(readFileSync(lull.log, 'utf8'))?.[1] ?? '';
    expect(said).toMatch(/ValidatingAdmissionPolicy 'lull-restraint-nodes' .* denied request: An older version/);
    expect((await lull.get('/readyz')).text).toContain("Lull's own admission policy lull-restraint-nodes");
    const [, words = ''] = /`lull ([^`]+)` replaces it/.exec(said) ?? [];
    expect((await story.lull(...words.split(' '))).code).toBe(0);
    await story.until('the node is parked', async () => (await parkedNodes(story)).length === 1, { within: 120 });
    await story.until('it is ready', async () => (await lull.get('/readyz')).code === 200);
  });
});

const [kept, parked] = ['karpenter.sh/do-not-disrupt', 'lull.dev/parked'];

/** As another version of `lull install` would have written it, with the same field manager, so that this one may replace it. */
async function refuseNodes(story: Story): Promise<void> {
  const { items } = await story.lullJson<{ items: readonly Manifest[] }>('install', '--set', 'role=guide', '--dry-run');
  const policy = items.find(
    (it) => it.kind === 'ValidatingAdmissionPolicy' && it.metadata.name === 'lull-restraint-nodes',
  );
  const rule = { expression: 'false', message: 'An older version knows nothing of this.', reason: 'Forbidden' };
  await story.cluster.api.must({
    method: 'PATCH',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/lull-restraint-nodes?fieldManager=lull-install&force=true',
    body: { ...policy, spec: { ...(policy?.spec as object), validations: [rule] } },
    contentType: 'application/apply-patch+yaml',
  });
}
