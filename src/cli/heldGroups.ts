// What is held alike? Nodes that the same rules hold for the same reason until the same moment are told together.
import { reasons } from '../cluster/reason.ts';
import type { RefusalCode } from '../engine/refusal.ts';
import type { Verdict } from '../engine/verdict.ts';
import { type Until, untilWhen } from '../engine/why/untilWhen.ts';
import type { Instant } from '../time/instant.ts';

export interface HeldGroup {
  readonly reason: Verdict['reason'];
  readonly until: Until;
  readonly nodes: readonly string[];
  readonly refusals: readonly Telling[];
  /** Only where all of them say the same. */
  readonly detail?: string;
  readonly podsAgreeAt?: Instant;
}

/** One sentence for a code, and how many others there are. */
interface Telling {
  readonly code: RefusalCode;
  readonly message: string;
  readonly others: number;
}

export function groupHeld(verdicts: readonly Verdict[]): HeldGroup[] {
  const groups = new Map<string, { until: Until; verdicts: Verdict[] }>();
  for (const verdict of verdicts) {
    const until = untilWhen(verdict);
    const codes = [...new Set(verdict.refusals.map(({ code }) => code))].sort();
    const key = JSON.stringify([verdict.reason, keyOf(until), codes]);
    const group = groups.get(key) ?? { until, verdicts: [] };
    group.verdicts.push(verdict);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ until, verdicts: alike }) => tell(until, alike)).sort(byReason);
}

/** Of rules that never meet, those of the first are told: the others' are of the same kinds. */
const keyOf = (until: Until): unknown =>
  typeof until === 'object' && 'never' in until ? ['never', ...until.never.map(({ code }) => code)] : until;

/** One group a verdict, with every refusal it met. */
export function eachHeld(verdicts: readonly Verdict[]): HeldGroup[] {
  return verdicts.map((verdict) => ({
    ...tell(untilWhen(verdict), [verdict]),
    refusals: verdict.refusals.map(({ code, message }) => ({ code, message, others: 0 })),
  }));
}

function tell(until: Until, alike: readonly Verdict[]): HeldGroup {
  const [first] = alike as [Verdict, ...Verdict[]];
  const same = <Value>(read: (verdict: Verdict) => Value): boolean => alike.every((it) => read(it) === read(first));
  return {
    reason: first.reason,
    until,
    nodes: alike.map(({ node }) => node),
    refusals: tellRefusals(alike),
    ...(first.detail !== undefined && same(({ detail }) => detail) && { detail: first.detail }),
    ...(first.podsAgreeAt !== undefined && same((it) => it.podsAgreeAt) && { podsAgreeAt: first.podsAgreeAt }),
  };
}

function tellRefusals(alike: readonly Verdict[]): Telling[] {
  const messages = new Map<RefusalCode, Set<string>>();
  for (const { refusals } of alike) {
    for (const { code, message } of refusals) messages.set(code, (messages.get(code) ?? new Set()).add(message));
  }
  return [...messages].map(([code, said]) => ({ code, message: [...said][0] ?? '', others: said.size - 1 }));
}

/** In F1's order, the largest group first. */
const byReason = (a: HeldGroup, b: HeldGroup): number =>
  reasons.indexOf(a.reason) - reasons.indexOf(b.reason) || b.nodes.length - a.nodes.length;
