// D5: a maintenance window with `nodes` is a budget over all pools: so many of the nodes it selects in flight at once.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { closesAt } from '../../time/window.ts';
import { note, windowOwner } from '../gates/windows.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { amountOf, isZero } from './budgets.ts';
import { sayUse } from './poolBudgets.ts';
import { activeHours, windowRules } from './poolHours.ts';
import type { SharedLimit } from './sharedLimit.ts';

interface Cap {
  readonly window: MaintenanceWindow;
  readonly most: number;
  readonly atStart: number;
  used: number;
}

export function openWindowCaps(situation: Situation): SharedLimit {
  const caps = new Map<MaintenanceWindow, Cap>();
  for (const window of situation.cluster.windows) {
    if (isCapping(window, situation)) caps.set(window, openCap(window, situation));
  }
  if (caps.size === 0) return { refuse: () => none, spend: () => undefined, takeBack: () => undefined };
  const capsOf = ({ view }: Wish): Cap[] => view.windows.flatMap((window) => caps.get(window) ?? []);
  return {
    refuse: (wish) => refuseBy(capsOf(wish), wish, situation),
    spend: (wish) => {
      // What goes for any reason is in flight, whatever the window's actions are.
      for (const cap of capsOf(wish)) cap.used++;
    },
    takeBack: (wish) => {
      for (const cap of capsOf(wish)) cap.used--;
    },
  };
}

/** A Block window caps while it is active instead of blocking; an Allow window caps while it is open. */
const isCapping = (window: MaintenanceWindow, { now }: Situation): boolean =>
  !isZero(window.nodes) && activeHours(window).isOpen(now);

function openCap(window: MaintenanceWindow, { cluster, inFlight }: Situation): Cap {
  const selected = cluster.nodes.filter((view) => view.managed && view.windows.includes(window));
  const atStart = selected.filter(({ node }) => inFlight.has(node.name)).length;
  return { window, most: amountOf(window.nodes, selected.length), atStart, used: atStart };
}

/** Every capping Block window must have room; of several open Allow windows, one that has room or caps nothing. */
function refuseBy(caps: readonly Cap[], { view, reason }: Wish, situation: Situation): readonly Refusal[] {
  const mine = caps.filter(({ window }) => window.reasons.has(reason));
  const full = mine.filter(({ used, most }) => used >= most);
  if (full.length === 0) return none;
  const { allows } = windowRules(view.windows, reason);
  const open = allows.filter((window) => activeHours(window).isOpen(situation.now));
  const isAllowed = open.some((window) => !full.some((cap) => cap.window === window));
  return full.filter(({ window }) => window.mode === 'Block' || !isAllowed).map((cap) => capSpent(cap, situation));
}

function capSpent({ window, most, atStart, used }: Cap, { now }: Situation): Refusal {
  const message = `${window.name} lets ${most} of its nodes go at once; ${sayUse(used, used - atStart, 'in flight')}${note(window)}`;
  // An Allow window that closes refuses all the more; one that only lost its last unit to another waits for that one.
  const lifts = window.mode === 'Block' && atStart >= most;
  return refuse('WindowCapSpent', message, {
    owner: windowOwner(window),
    liftsAt: lifts ? closesAt(activeHours(window), now) : undefined,
  });
}
