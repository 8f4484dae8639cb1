// A PodDisruptionBudget that opens late: the node waits before or during its drain, and is then disrupted within the budget.
import { expect, it } from 'vitest';
import { brokenPdbs, exchanged, replacedMoreThanOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { deployment, nodepool, type PoolParts, pdb } from './story/objects.ts';
import { type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

interface Refusal {
  readonly code: string;
}

describeStory('late-pdb', { install: ['--set', 'role=drive'] }, (story) => {
  let lull: RunningLull;
  let patient: Roll;
  let strict: Roll;

  const round = async () => JSON.parse((await lull.get('/api/round')).text);
  const isSpent = (refusals: readonly Refusal[] = []): boolean => refusals.some(({ code }) => code === 'PdbSpent');

  /** One node with two pods, both of which are needed. */
  async function growTwo(name: string, parts: PoolParts = {}): Promise<void> {
    const common = { budgets: [{ nodes: '1' }], karpenterBudgets: [{ nodes: '0' }], zones: ['test-zone-a'] };
    await story.apply(
      nodepool({ name, ...common, ...parts }),
      deployment({ name, pool: name, replicas: 2, spread: false, cpu: '1500m' }),
      pdb(name, { minAvailable: 2 }),
    );
    await story.until(`two pods of ${name} run`, async () => (await runningPods(story, name)).length === 2);
    expect(await story.list('Node', `karpenter.sh/nodepool=${name}`)).toHaveLength(1);
  }

  const spentEvictions = () =>
    story.audit().filter(({ user, resource }) => user === lullUser && resource === 'pods/eviction');

  it('two nodes must be disrupted, and the PDBs of their pods allow nothing', async () => {
    await growTwo('strict');
    // A deadline so far away that the drain may begin nevertheless (A2), and nothing is forced.
    await growTwo('patient', { terminationGracePeriod: '6h' });
    await story.until('the PDBs report it', async () =>
      (await story.list('PodDisruptionBudget')).every(({ status }) => status?.disruptionsAllowed === 0),
    );
    lull = await story.startLull({ role: 'drive' });
    strict = await release(story, 'two', 'strict');
    patient = await release(story, 'two', 'patient');
  });

  it('E10: one is held before anything is changed', async () => {
    const node = await story.until('it is held', async () => {
      const { verdicts } = await round();
      return verdicts.find(
        ({ pool, refusals }: { pool: string; refusals: Refusal[] }) => pool === 'strict' && isSpent(refusals),
      )?.node as string | undefined;
    });
    const { stdout } = await story.lull('why', node, '--server', lull.url);
    expect(stdout).toMatch(/PodDisruptionBudget\s+default\/strict/);
    expect((await story.read('Node', node))?.spec.taints ?? []).toEqual([]);
  });

  it('A2: the other has its replacement and waits in its drain; no pod was evicted', async () => {
    const command = await story.until('its drain waits for the PDB', async () => {
      const { commands } = await round();
      return commands.find(
        ({ step, waitingFor }: { step: string; waitingFor?: Refusal[] }) => step === 'draining' && isSpent(waitingFor),
      );
    });
    expect(command.nodes).toHaveLength(1);
    expect(await story.list('Node', 'karpenter.sh/nodepool=patient')).toHaveLength(2);
    expect(await runningPods(story, 'patient')).toHaveLength(2);
    expect(spentEvictions()).toEqual([]);
  });

  it('both are disrupted when their PDBs allow it, one pod after the other; no PDB was violated', async () => {
    for (const name of ['strict', 'patient'])
      await story.patch('PodDisruptionBudget', name, { spec: { minAvailable: 1 } });
    const isNew = async (name: string, roll: Roll): Promise<boolean> =>
      (await roll.gone()) === 1 && (await runningPods(story, name)).length === 2;
    await story.until(
      'both nodes are new, and their pods run',
      async () => (await isNew('strict', strict)) && (await isNew('patient', patient)),
      { within: 120 },
    );
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, strict.since)}`);
    expect(brokenPdbs(timeline)).toEqual([]);
    for (const pool of ['strict', 'patient']) {
      expect(exchanged(timeline, { pool }).taken).toHaveLength(1);
      expect(replacedMoreThanOnce(timeline, { pool })).toEqual([]);
    }
    const asked = story.audit().filter(({ user }) => user === lullUser);
    expect(asked.filter(({ resource, verb }) => resource === 'pods' && verb === 'delete')).toEqual([]);
    expect(asked.filter(({ decision }) => decision === 'forbid')).toEqual([]);
    expect(spentEvictions().filter(({ code }) => code < 300)).toHaveLength(4);
    expect(evictedTwice(asked)).toEqual([]);
  });
});
