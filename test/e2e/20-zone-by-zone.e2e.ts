// A new image in guide: it rolls one zone after another, each node once; Karpenter disrupts, Lull decides when.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contextOf } from '../cluster/keys.ts';
import { bin, root } from '../cluster/places.ts';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import { program, type RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

interface Verdict {
  readonly node: string;
  readonly reason: string;
  readonly outcome: string;
  readonly refusals: readonly { readonly code: string; readonly owner?: object }[];
}

describeStory('zone-by-zone', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('N3: nine nodes in three zones are parked as soon as they are seen', async () => {
    await grow(story, { budgets: oneByOne });
    await story.apply(pdb('web', { minAvailable: 8 }));
    lull = await story.startLull({ role: 'guide' });
    await story.until('all nine are parked', async () => (await parkedNodes(story)).length === 9);
  });

  it('a changed template is rolled: the first node is gone, and the others wait for their turn', async () => {
    roll = await release(story, 'two');
    await story.until('a node is gone', async () => (await roll.gone()) > 0);
  });

  it("L2: deciding from a file of kubectl's output gives the verdicts of the live controller", async () => {
    // The cluster changes meanwhile; retry until both have seen the same state.
    await story.until('both say the same', async () => {
      const before = await liveVerdicts(lull);
      const decided = decidedFrom(kubectl('get', kinds, '-A', '-o', 'yaml'));
      return before === (await liveVerdicts(lull)) && before === decided && before.includes('NotItsTurn');
    });
  });

  it('J1: `kubectl lull why` explains in its first line why a node is still there', async () => {
    const waiting = await story.until('a node that waits for its turn', async () => {
      const { verdicts } = JSON.parse((await lull.get('/api/round')).text) as { verdicts: Verdict[] };
      return verdicts.find(({ refusals }) => refusals.some(({ code }) => code === 'NotItsTurn'))?.node;
    });
    const said = kubectl('lull', 'why', waiting, '--context', contextOf(story.cluster.name));
    expect(said).toContain(waiting);
    expect(said).toMatch(/zone test-zone-[abc] has the turn|is held/);
  });

  it('it ends; the observer saw zone after zone, one node at a time, nothing twice and no PDB violated', async () => {
    await story.until('all nine nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    await story.until('all are parked again', async () => (await parkedNodes(story)).length === 9);
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 9)).toEqual([]);
    expect(evictedTwice(story.audit())).toEqual([]);
  });

  it('N1: Karpenter evicted the pods and deleted the claims; Lull did neither, and no request of it was refused', () => {
    const asked = story.audit();
    const evictors = new Set(
      asked.filter(({ resource, code }) => resource === 'pods/eviction' && code < 300).map(({ user }) => user),
    );
    expect([...evictors]).toEqual(['karpenter']);
    const own = asked.filter(({ user }) => user === lullUser);
    expect(own.filter(({ verb }) => verb === 'delete')).toEqual([]);
    expect(own.filter(({ decision }) => decision === 'forbid')).toEqual([]);
  });

  /** All kinds of L1, and Lull's own. */
  const kinds =
    'nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets,maintenancewindows,poddisruptionschedules,disruptionledgers';

  const kubectl = (...words: string[]): string => {
    const env = {
      ...process.env,
      KUBECONFIG: story.cluster.kubeconfig,
      PATH: `${bin}:${join(root, 'bin')}:${process.env.PATH}`,
      NO_COLOR: '1',
    };
    return execFileSync('kubectl', words, {
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };

  const decidedFrom = (yaml: string): string => {
    const printed = execFileSync(program, ['decide', '-f', '-', '--set', 'role=guide', '-o', 'json'], {
      input: yaml,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return verdictsOf(printed);
  };

  const liveVerdicts = async (it: RunningLull): Promise<string> => verdictsOf((await it.get('/api/round')).text);
});

/** Without sentences, which contain countdowns. */
function verdictsOf(text: string): string {
  const { verdicts } = JSON.parse(text) as { verdicts: readonly Verdict[] };
  const lines = verdicts.map(({ node, reason, outcome, refusals }) => {
    const why = refusals.map(({ code, owner }) => `${code} ${JSON.stringify(owner ?? {})}`).join(', ');
    return `${node} ${reason} ${outcome} ${why}`;
  });
  return lines.join('\n');
}
