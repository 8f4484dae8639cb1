// Maintenance windows with `nodes`: a budget over all pools for the nodes that the window selects, at a time (D5) or as a rate (P2).
import { memo } from '../../cluster/memo.ts';
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { all, any, not } from '../../time/combine.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { closesAt, lifetime, opensAt, type Window } from '../../time/window.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { amountOf, isZero } from '../rules/budgets.ts';
import { activeHours, describeAllows, note, windowOwner, windowRules } from '../rules/openHours.ts';
import type { TimeRule } from '../rules/timeRules.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { describeUse } from './poolBudgets.ts';
import { needsUnit, type RateLimit } from './poolRates.ts';
import { PeriodLimit } from './rate.ts';
import { countOfWindow, countsUntilFor, type StartCounts } from './startCounts.ts';

interface WindowCap {
  readonly window: MaintenanceWindow;
  readonly isActive: boolean;
  /** Only for a window with `per`. */
  readonly rate?: PeriodLimit;
  isFull(): boolean;
  spend(wish: Wish, change: 1 | -1): void;
  refusal(isOnlyAllow: boolean): Refusal;
}

const noRules: readonly TimeRule[] = [];

export function openWindowCaps(situation: Situation, starts: StartCounts): RateLimit {
  const caps = new Map<MaintenanceWindow, WindowCap>();
  for (const window of situation.cluster.windows) {
    if (window.per !== undefined) caps.set(window, openRateCap(window, situation, starts));
    else if (isCapping(window, situation)) caps.set(window, openCap(window, situation));
  }
  if (caps.size === 0)
    return { active: [], rules: () => noRules, refuse: () => none, spend: () => undefined, takeBack: () => undefined };
  const capsOf = ({ view }: Wish): WindowCap[] => view.windows.flatMap((window) => caps.get(window) ?? []);
  return {
    active: [...caps.values()].flatMap(({ rate, isActive }) => (rate && isActive ? rate : [])),
    refuse: (wish) => refuseBy(capsOf(wish), wish, situation),
    spend: (wish) => {
      // A node that goes for any reason counts as in flight, whatever the window's actions are.
      for (const cap of capsOf(wish)) cap.spend(wish, 1);
    },
    takeBack: (wish) => {
      for (const cap of capsOf(wish)) cap.spend(wish, -1);
    },
    rules: (wish) => rulesBy(capsOf(wish), wish, situation.now),
  };
}

/** With `nodes`, a Block window caps instead of blocking while it is active; an Allow window caps while it is open. */
const isCapping = (window: MaintenanceWindow, { now }: Situation): boolean =>
  !isZero(window.nodes) && activeHours(window).isOpen(now);

const selectedBy = (window: MaintenanceWindow, { cluster }: Situation) =>
  cluster.nodes.filter((view) => view.managed && view.windows.includes(window));

function openCap(window: MaintenanceWindow, situation: Situation): WindowCap {
  const selected = selectedBy(window, situation);
  const atStart = selected.filter(({ node }) => situation.inFlight.has(node.name)).length;
  const most = amountOf(window.nodes, selected.length);
  let used = atStart;
  return {
    window,
    isActive: true,
    isFull: () => used >= most,
    spend: (_, change) => {
      used += change;
    },
    refusal: () => {
      const message = `MaintenanceWindow ${window.name} allows ${most} of its nodes at a time; ${describeUse(used, used - atStart, 'in flight')}${note(window)}`;
      // Only a Block window that was full at the start lifts when it closes: a closed Allow window refuses too.
      const lifts = window.mode === 'Block' && atStart >= most;
      const liftsAt = lifts ? closesAt(activeHours(window), situation.now) : undefined;
      return refuse('WindowCapSpent', message, { owner: windowOwner(window), liftsAt });
    },
  };
}

function openRateCap(window: MaintenanceWindow, situation: Situation, starts: StartCounts): WindowCap {
  const { now } = situation;
  const hours = activeHours(window);
  const terms = {
    name: `MaintenanceWindow ${window.name}`,
    owner: windowOwner(window),
    per: window.per ?? 'opening',
    limit: amountOf(window.nodes, selectedBy(window, situation).length),
    count: countOfWindow(starts, window),
    countsUntil: (start: Parameters<typeof countsUntilFor>[0]) => countsUntilFor(start, window, now),
    note: note(window),
  };
  const rate = new PeriodLimit(terms, now);
  return {
    window,
    isActive: hours.isOpen(now),
    rate,
    isFull: () => rate.isSpent(),
    spend: (wish, change) => {
      if (needsUnit(wish)) rate.spend(change);
    },
    refusal: (isOnlyAllow) => {
      const freeAt = rate.freeAt();
      if (freeAt === now) return rate.refuse(undefined);
      const closes = closesAt(hours, now);
      if (window.mode === 'Block') return rate.refuse(earliest(freeAt, closes));
      // A closed Allow window refuses too, and another Allow window that opens ends this refusal.
      const lifts = isOnlyAllow && freeAt !== undefined && (closes === undefined || freeAt < closes);
      return rate.refuse(lifts ? freeAt : undefined, freeAt === undefined ? undefined : opensAt(hours, freeAt));
    },
  };
}

/** Every capping Block window must have room, and at least one open Allow window must have room or no cap. */
function refuseBy(caps: readonly WindowCap[], wish: Wish, situation: Situation): readonly Refusal[] {
  const { view, reason } = wish;
  const full = caps.filter(
    (cap) => cap.isActive && cap.window.reasons.has(reason) && (!cap.rate || needsUnit(wish)) && cap.isFull(),
  );
  if (full.length === 0) return none;
  const { allows } = windowRules(view.windows, reason);
  const open = allows.filter((window) => activeHours(window).isOpen(situation.now));
  const isAllowed = open.some((window) => !full.some((cap) => cap.window === window));
  return full
    .filter(({ window }) => window.mode === 'Block' || !isAllowed)
    .map((cap) => cap.refusal(allows.length === 1));
}

/** Rates that are spent now, as rules that depend on time. A rate that nodes in flight use up is not one of them. */
function rulesBy(caps: readonly WindowCap[], wish: Wish, now: Instant): readonly TimeRule[] {
  if (wish.kind === 'forced' || !needsUnit(wish)) return noRules;
  const spent = caps.flatMap(({ window, rate }) => {
    const freeAt = window.reasons.has(wish.reason) ? rate?.freeAt() : undefined;
    return freeAt === undefined || freeAt === now ? [] : [{ window, freeAt }];
  });
  if (spent.length === 0) return noRules;
  const rules = spent.filter(({ window }) => window.mode === 'Block').map((it) => blockRule(it.window, it.freeAt));
  const first = spent.find(({ window }) => window.mode === 'Allow');
  if (!first) return rules;
  const { allows } = windowRules(wish.view.windows, wish.reason);
  const from = allows.map((window) => spent.find((it) => it.window === window)?.freeAt);
  return [...rules, allowRule(allows, first.window, from)];
}

const ruleOf = (window: MaintenanceWindow, message: string, hours: Window): TimeRule => ({
  code: 'RateSpent',
  message,
  closing: `MaintenanceWindow ${window.name} limits how many nodes begin`,
  owner: windowOwner(window),
  window: hours,
});

// The same rule for the same window and instant, so that memos hit.

const blockRule = memo((window: MaintenanceWindow, at: Instant): TimeRule => {
  const message = `MaintenanceWindow ${window.name} limits how many nodes begin${note(window)}`;
  return ruleOf(window, message, any([not(activeHours(window)), lifetime(at, undefined)]));
});

/** Permits while an Allow window is open and its rate is not spent, or while none of them is in force (D3). */
const allowRule = memo(
  (
    allows: readonly MaintenanceWindow[],
    first: MaintenanceWindow,
    from: readonly (Instant | undefined)[],
  ): TimeRule => {
    const open = allows.map((window, index) => all([activeHours(window), lifetime(from[index], undefined)]));
    return ruleOf(first, describeAllows(allows), any([...open, all(allows.map(({ life }) => not(life)))]));
  },
);
