// Groups of nodes that the same rules hold, for the same reason and until the same instant.
import { reasons } from '../../cluster/reason.ts';
import type { RefusalCode } from '../../engine/refusal.ts';
import type { Verdict } from '../../engine/verdict.ts';
import { type Until, untilWhen } from '../../engine/why/wishWhy.ts';
import type { Instant } from '../../time/instant.ts';

export interface HeldGroup {
  readonly reason: Verdict['reason'];
  readonly until: Until;
  readonly nodes: readonly string[];
  readonly refusals: readonly GroupedRefusal[];
  /** Only where it is the same for all of them. */
  readonly detail?: string;
  readonly podsAgreeAt?: Instant;
}

/** The first message of a code, and how many other messages it has. */
interface GroupedRefusal {
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
  return [...groups.values()].map(({ until, verdicts: alike }) => groupOf(until, alike)).sort(byReason);
}

/** Nodes with the same kinds of conflicting rules are one group, which names the rules of its first node. */
const keyOf = (until: Until): unknown =>
  typeof until === 'object' && 'never' in until ? ['never', ...until.never.map(({ code }) => code)] : until;

/** One group per verdict, with all its refusals. */
export function eachHeld(verdicts: readonly Verdict[]): HeldGroup[] {
  return verdicts.map((verdict) => ({
    ...groupOf(untilWhen(verdict), [verdict]),
    refusals: verdict.refusals.map(({ code, message }) => ({ code, message, others: 0 })),
  }));
}

function groupOf(until: Until, alike: readonly Verdict[]): HeldGroup {
  const [first] = alike as [Verdict, ...Verdict[]];
  const same = <Value>(read: (verdict: Verdict) => Value): boolean => alike.every((it) => read(it) === read(first));
  return {
    reason: first.reason,
    until,
    nodes: alike.map(({ node }) => node),
    refusals: refusalsByCode(alike),
    ...(first.detail !== undefined && same(({ detail }) => detail) && { detail: first.detail }),
    ...(first.podsAgreeAt !== undefined && same((it) => it.podsAgreeAt) && { podsAgreeAt: first.podsAgreeAt }),
  };
}

function refusalsByCode(alike: readonly Verdict[]): GroupedRefusal[] {
  const messages = new Map<RefusalCode, Set<string>>();
  for (const { refusals } of alike) {
    for (const { code, message } of refusals) messages.set(code, (messages.get(code) ?? new Set()).add(message));
  }
  return [...messages].map(([code, texts]) => ({ code, message: [...texts][0] ?? '', others: texts.size - 1 }));
}

/** In the order of reasons (F1), larger groups first. */
const byReason = (a: HeldGroup, b: HeldGroup): number =>
  reasons.indexOf(a.reason) - reasons.indexOf(b.reason) || b.nodes.length - a.nodes.length;
