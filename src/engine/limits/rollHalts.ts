// Halts of a roll: after some replacements in a row have failed, no further drifted node is replaced until a person acts (P5).
import { defined } from '../../cluster/defined.ts';
import type { Roll } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { RollRule } from '../../cluster/pool.ts';
import { isRunning, workloadOf } from '../../cluster/workload.ts';
import { after, asDuration, earliest, formatInstant, type Instant, latest, minute } from '../../time/instant.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';

/** How long pods may take to run on a new node, beside the time to settle. */
const podsTime = asDuration(10 * minute);

export interface HaltQuery {
  readonly rule: RollRule;
  /** The nodes of the pool. */
  readonly nodes: readonly NodeView[];
  readonly situation: Situation;
}

export interface HaltedRoll {
  readonly roll: Roll;
  /** When the pods of a new node have been given enough time. */
  readonly changesAt?: Instant;
}

/** The roll, halted if it is time, or resumed if a person asked for that (`lull turn pass`). */
export function withHalt(roll: Roll, asked: HaltQuery): HaltedRoll {
  const { rule, situation } = asked;
  if (roll.haltedAt !== undefined) return { roll: roll.passAsked === undefined ? roll : resumed(roll, situation.now) };
  if (rule.haltAfter === undefined) return { roll };
  const { failed, changesAt } = failedPods(roll, asked);
  const isHalted = (roll.failures ?? 0) + failed >= rule.haltAfter.failures;
  return isHalted ? { roll: { ...roll, haltedAt: situation.now } } : { roll, ...defined({ changesAt }) };
}

function resumed(roll: Roll, resumedAt: Instant): Roll {
  const { haltedAt: _, failures: __, passAsked: ___, ...rest } = roll;
  return { ...rest, resumedAt };
}

/** The newest new nodes in a row on which pods that the roll evicted do not run in time. Nodes that show neither are left out. */
function failedPods(
  roll: Roll,
  { rule, nodes, situation: { now } }: HaltQuery,
): { failed: number; changesAt?: Instant } {
  const since = roll.resumedAt === undefined ? roll.startedAt : latest(roll.startedAt, roll.resumedAt);
  const fresh = nodes.filter(({ node }) => node.createdAt > since);
  if (!fresh.some((view) => waiting(view).length > 0)) return { failed: 0 };
  const evicted = new Set(roll.expected.filter(({ running }) => running > 0).map(({ owner }) => owner));
  const time = asDuration(rule.settle + podsTime);
  let failed = 0;
  let isInARow = true;
  let changesAt: Instant | undefined;
  for (const view of fresh.sort(newestFirst)) {
    const ends = waiting(view)
      .filter((pod) => evicted.has(workloadOf(pod) ?? ''))
      .map(({ createdAt }) => after(createdAt, time));
    for (const at of ends) if (at > now) changesAt = earliest(changesAt, at);
    const isFailed = ends.some((at) => at <= now);
    if (isInARow && isFailed) failed++;
    else if (ends.length === 0 && hasRunning(view)) isInARow = false;
  }
  return { failed, ...defined({ changesAt }) };
}

const newestFirst = (a: NodeView, b: NodeView): number =>
  b.node.createdAt - a.node.createdAt || compareText(a.node.name, b.node.name);

/** Pods that would run again elsewhere, and do not run. */
const waiting = memo(({ reschedulable }: NodeView): readonly Pod[] =>
  reschedulable.filter((pod) => !isRunning(pod) && workloadOf(pod) !== undefined),
);

const hasRunning = memo(({ reschedulable }: NodeView): boolean => reschedulable.some(isRunning));

export function haltRefusals(roll: Roll, { haltAfter }: RollRule): readonly Refusal[] {
  if (roll.haltedAt === undefined) return [];
  const owner = { kind: 'NodePool', name: roll.pool, ...defined({ index: haltAfter?.index }) };
  return [refuse('RollHalted', describeHalt(roll, haltAfter?.failures), { owner })];
}

/** `the roll of pool web was halted at …: 3 replacements in a row failed` */
export const describeHalt = ({ pool, haltedAt }: Roll, failures: number | undefined): string =>
  `the roll of pool ${pool} was halted at ${haltedAt === undefined ? '' : formatInstant(haltedAt)}: ${failures === undefined ? '' : `${failures} `}replacements in a row failed`;
