// Lull's placement agrees with the real kube-scheduler, rule by rule and on random clusters: pods are bound where Lull finds
// room, and stay pending where it finds none.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoCluster } from '../cluster/binaries.ts';
import { features } from '../placement/features.ts';
import { cases, drains } from './scheduler/cases.ts';
import { knownAs } from './scheduler/known.ts';
import { lull, planRemoval } from './scheduler/lull.ts';
import { reasons } from './scheduler/reasons.ts';
import { simulator } from './scheduler/simulator.ts';
import { openStand, type Stand } from './scheduler/stand.ts';
import { printTally, strandedShare, tallyOf } from './scheduler/tally.ts';
import { type Disagreement, offerOne, takeOne } from './scheduler/trial.ts';
import { type Tried, trySeed } from './scheduler/trySeed.ts';

const seeds = 200;
const batch = 25;
/** Each feature must be in at least this many clusters, so that every rule is tested. */
const least = 5;

describe.skipIf(whyNoCluster() !== undefined)('F6: the real scheduler', () => {
  let stand: Stand;
  const trials: Tried[] = [];
  beforeAll(async () => {
    stand = await openStand('sched');
  });
  afterAll(() => stand?.close());

  it.each(cases)('$name', async ({ objects, pod }) => {
    await stand.build(objects);
    const { disagreements } = await offerOne(pod, { stand, judges: [lull, simulator], plan: planRemoval });
    await stand.clear();
    expect(disagreements.filter(isBug).map(({ who, says }) => `${who}: ${says}`)).toEqual([]);
  });

  it.each(drains)('while it is drained: $name', async ({ objects, node, fits }) => {
    await stand.build(objects);
    const options = { stand, judges: [lull, simulator], plan: planRemoval };
    const { disagreements, removals } = await takeOne(node, objects, options);
    await stand.clear();
    expect(disagreements.filter(isBug).map(({ who, says }) => `${who}: ${says}`)).toEqual([]);
    expect(removals.map(({ ending, says }) => (ending === (fits ? 'fits' : 'stuck') ? ending : says))).toEqual([
      fits ? 'fits' : 'stuck',
    ]);
  });

  it.each(Array.from({ length: seeds / batch }, (_, index) => 1 + index * batch))(
    `agrees on ${batch} random clusters from seed %i`,
    async (from) => {
      for (let seed = from; seed < from + batch; seed++) trials.push(await trySeed(seed, stand));
      expect(trials.slice(-batch).flatMap((trial) => tellWrong(trial, stand.cluster.folder))).toEqual([]);
    },
  );

  it('has been tested with every rule, in clusters and pods', () => {
    const tally = tallyOf(trials);
    process.stderr.write(`${printTally(tally)}\n`);
    expect(features.filter((name) => (tally.features.get(name) ?? 0) < least)).toEqual([]);
    expect(reasons.filter((name) => (tally.reasons.get(name) ?? 0) < least)).toEqual([]);
  });

  // It chooses randomly among nodes with equal scores, so no seed strands a pod for certain; that each move of the plan is allowed is certain.
  it('hardly ever strands the pods of a plan by its own choices', () => {
    const left = trials.flatMap(({ seed, removals }) =>
      removals.flatMap(({ node, ending, says }) =>
        ending === 'stranded' ? [`seed ${seed}: without ${node} a pod is stranded. ${says}\n`] : [],
      ),
    );
    process.stderr.write(left.join(''));
    expect(strandedShare(tallyOf(trials))).toBeLessThan(0.02);
  });
});

const isBug = (disagreement: Disagreement): boolean => knownAs(disagreement) === undefined;

/** Writes the objects to a file, to examine them again: `lull decide -f FILE`. */
function tellWrong({ seed, disagreements }: Tried, folder: string): string[] {
  return disagreements.filter(isBug).map(({ who, pod, says, objects }, index) => {
    const file = join(folder, `disagreement-${seed}-${index}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return `seed ${seed}: ${who} says that ${pod} ${says} (${file})`;
  });
}
