// Compares Lull with the real kube-scheduler on any number of random clusters, one after another on a real control plane.
import { knownAs } from '../../test/e2e/scheduler/known.ts';
import { openStand } from '../../test/e2e/scheduler/stand.ts';
import { printTally, tallyOf } from '../../test/e2e/scheduler/tally.ts';
import { type Tried, trySeed } from '../../test/e2e/scheduler/trySeed.ts';

export interface Seeds {
  readonly from: number;
  readonly seeds: number;
}

/** How many clusters showed a disagreement. */
export async function soakScheduler({ from, seeds }: Seeds): Promise<number> {
  const stand = await openStand('soak-scheduler');
  const trials: Tried[] = [];
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      const tried = await trySeed(seed, stand);
      trials.push(tried);
      tell(tried);
      if (trials.length % 100 === 0) console.log(`${trials.length} of ${seeds} clusters`);
    }
  } finally {
    await stand.close();
  }
  console.log(`\n${printTally(tallyOf(trials))}`);
  const wrong = trials.filter(({ disagreements }) => disagreements.some((it) => !knownAs(it)));
  for (const { seed } of wrong) console.log(`  npm run soak -- scheduler --from ${seed} --seeds 1`);
  return wrong.length;
}

function tell({ seed, disagreements, removals }: Tried): void {
  for (const it of disagreements)
    if (!knownAs(it)) console.log(`seed ${seed}: ${it.who} says that ${it.pod} ${it.says}`);
  for (const { node, ending, says } of removals)
    if (ending === 'stranded') console.log(`seed ${seed}: without ${node} a pod is stranded. ${says}`);
}
