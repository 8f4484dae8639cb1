// The away trial: Lull is killed, a pool of nine nodes doubles, its image changes. What Karpenter takes meanwhile, on a real control plane.
import { setTimeout as wait } from 'node:timers/promises';
import { whyNoCluster } from '../test/cluster/binaries.ts';
import { parksAtBirth, policyName, scaleTo, takenSince } from '../test/e2e/story/away.ts';
import { openStory, type Story } from '../test/e2e/story/openStory.ts';
import { grow, oneByOne, parkedNodes, release } from '../test/e2e/story/roll.ts';
import { table } from './table.ts';

interface Trial {
  readonly name: string;
  readonly lull: 'none' | 'up' | 'away';
  /** Whether new nodes are parked from birth. */
  readonly policy: boolean;
  /** `nodes` of the only budget in spec.disruption.budgets, which Karpenter applies. */
  readonly spec: string;
}

const trials: readonly Trial[] = [
  { name: 'Karpenter alone', lull: 'none', policy: false, spec: '100%' },
  { name: 'Lull up', lull: 'up', policy: true, spec: '100%' },
  { name: 'Lull away, with the policy', lull: 'away', policy: true, spec: '100%' },
  { name: 'Lull away, without the policy', lull: 'away', policy: false, spec: '100%' },
  { name: 'Lull away, without the policy', lull: 'away', policy: false, spec: '10%' },
];

/** How long Karpenter is watched after the image has changed. */
const watchedSeconds = Number(process.env.SECONDS ?? 90);

export async function benchAway(): Promise<string> {
  const why = whyNoCluster();
  if (why) return why;
  const rows: string[][] = [];
  for (const trial of trials) rows.push(await play(trial));
  const head = [
    '',
    'spec.disruption.budgets',
    `nodes taken in ${watchedSeconds} s`,
    'most at once',
    'most zones at once',
  ];
  return table(head, rows);
}

async function play(trial: Trial): Promise<string[]> {
  const { name, lull, policy, spec } = trial;
  const story = await openStory('bench-away', { install: lull === 'none' ? false : ['--set', 'role=guide'] });
  try {
    await grow(story, { budgets: oneByOne, karpenterBudgets: [{ nodes: spec }] });
    if (lull !== 'none') await guide(story, trial);
    await story.until(
      `the policy is ${policy ? '' : 'not '}in force`,
      async () => (await parksAtBirth(story)) === policy,
    );
    await scaleTo(story, 18);
    const { since } = await release(story, 'two');
    await wait(watchedSeconds * 1000);
    const { nodes, mostAtOnce, mostZonesAtOnce } = takenSince(await story.observer.timeline(), since);
    return [name, spec, String(nodes.length), String(mostAtOnce), String(mostZonesAtOnce)];
  } finally {
    await story.close();
  }
}

async function guide(story: Story, { lull, policy }: Trial): Promise<void> {
  const running = await story.startLull({ role: 'guide' });
  await story.until('all nine are parked', async () => (await parkedNodes(story)).length === 9);
  if (lull === 'away') await running.kill();
  if (policy) return;
  for (const kind of ['MutatingAdmissionPolicyBinding', 'MutatingAdmissionPolicy'])
    await story.remove(kind, policyName);
}
