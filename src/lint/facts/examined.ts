// Which pods' schedules lint looks into: as many as a bound on their openings lets it, the simplest first.
import type { PodView } from '../../cluster/nodeView.ts';
import { schedulesOf } from '../words/schedulesOf.ts';

/** Rules follow a schedule for a year, or for so many openings a day. */
const mostADay = 11;
/** Openings a day, of all different schedules together. A thousand pods with a daily schedule each take 2,000. */
const mostInAll = 3000;

/** Those that are not looked into are marked like pods whose schedules are not worked out (E13). */
export function limitExamined<Pod extends PodView>(
  pods: readonly Pod[],
): {
  readonly pods: readonly Pod[];
  readonly unexamined: readonly Pod[];
} {
  const costs = new Map<string, number>();
  for (const pod of pods) {
    const key = keyOf(pod);
    if (key !== '' && !pod.unworked && !costs.has(key)) costs.set(key, costOf(pod));
  }
  let left = mostInAll;
  const beyond = new Set<string>();
  for (const [key, cost] of [...costs].sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))) {
    if (cost > left) beyond.add(key);
    else left -= cost;
  }
  if (beyond.size === 0) return { pods, unexamined: [] };
  const isBeyond = (pod: Pod): boolean => !pod.unworked && beyond.has(keyOf(pod));
  return {
    pods: pods.map((pod) => (isBeyond(pod) ? { ...pod, unworked: true } : pod)),
    unexamined: pods.filter(isBeyond),
  };
}

/** Alike for pods with the same schedules; empty for those without. */
const keyOf = ({ pod: { rules } }: PodView): string =>
  rules?.allow || rules?.block ? `${rules.allow?.text ?? ''}\n${rules.block?.text ?? ''}` : '';

function costOf({ pod: { rules } }: PodView): number {
  let cost = 0;
  for (const window of [rules?.allow, rules?.block]) {
    for (const { cron } of (window && schedulesOf(window)) ?? []) {
      const { minutes, hours } = cron.pattern;
      cost += 1 + Math.min(mostADay, count(hours) * (count(minutes.to31) + count(minutes.from32)));
    }
  }
  return cost;
}

function count(bits: number): number {
  let members = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) members++;
  return members;
}
