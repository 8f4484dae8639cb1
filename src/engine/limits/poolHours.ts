// When is a pool open for a reason at all? As windows: by its budgets, and by the maintenance windows over its nodes.
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { all, any, not } from '../../time/combine.ts';
import { always, type Window } from '../../time/window.ts';
import { isZero } from './budgets.ts';

/** Open while no active budget of zero binds the reason. Any other limit lets at least one node go. */
export function openByBudgets(pool: Pool, reason: Reason): Window {
  const known = budgetHours.get(pool) ?? new Map<Reason, Window>();
  budgetHours.set(pool, known);
  const hours = known.get(reason) ?? compileBudgetHours(pool, reason);
  known.set(reason, hours);
  return hours;
}

const budgetHours = new WeakMap<Pool, Map<Reason, Window>>();

function compileBudgetHours({ budgets }: Pool, reason: Reason): Window {
  const zeros = budgets.filter(
    ({ nodes, reasons, topologyKey }) =>
      // C9: a topology budget binds drift alone.
      (topologyKey === undefined || reason === 'Drifted') &&
      isZero(nodes) &&
      (reasons === undefined || reasons.has(reason)),
  );
  return zeros.length === 0 ? always : not(any(zeros.map(({ window }) => window ?? always)));
}

/** What the windows over a node say to one reason. */
export interface WindowRules {
  /** Those that forbid it outright while they are in force. */
  readonly blocks: readonly MaintenanceWindow[];
  readonly allows: readonly MaintenanceWindow[];
  /** D3: any open Allow window permits; and so it is while none of them is in its life. */
  readonly permitted: Window;
  /** Open while nothing of this refuses. */
  readonly hours: Window;
  /** What all of this is made of: as long as none of it opens or closes, the same windows say the same. */
  readonly parts: readonly Window[];
}

/** Nodes under the same windows share one list of them (see the store), so this is worked out once for all. */
export function windowRules(windows: readonly MaintenanceWindow[], reason: Reason): WindowRules {
  const known = rules.get(windows) ?? new Map<Reason, WindowRules>();
  rules.set(windows, known);
  const mine = known.get(reason) ?? compileRules(windows.filter((window) => window.reasons.has(reason)));
  known.set(reason, mine);
  return mine;
}

const rules = new WeakMap<readonly MaintenanceWindow[], Map<Reason, WindowRules>>();

function compileRules(windows: readonly MaintenanceWindow[]): WindowRules {
  const blocks = windows.filter((window) => window.mode === 'Block' && isZero(window.nodes));
  const allows = windows.filter((window) => window.mode === 'Allow');
  const permitted =
    allows.length === 0 ? always : any([...allows.map(activeHours), all(allows.map(({ life }) => not(life)))]);
  const hours = all([...blocks.map((window) => not(activeHours(window))), permitted]);
  const parts = new Set([...blocks, ...allows].flatMap(({ window, life }) => [window, life]));
  return { blocks, allows, permitted, hours, parts: [...parts] };
}

/** When a window is in force: within its life, while its schedules say so. */
export function activeHours(window: MaintenanceWindow): Window {
  const known = active.get(window) ?? all([window.life, window.window]);
  active.set(window, known);
  return known;
}

const active = new WeakMap<MaintenanceWindow, Window>();

/** Open while the budgets permit the reason and the windows permit it on at least one of these nodes. */
export function openHours(pool: Pool, nodes: readonly NodeView[], reason: Reason): Window {
  const lists = [...new Set(nodes.map(({ windows }) => windows))];
  const known = poolHours.get(pool) ?? new Map<Reason, { lists: Lists; hours: Window }>();
  poolHours.set(pool, known);
  const last = known.get(reason);
  if (last && last.lists.length === lists.length && lists.every((list) => last.lists.includes(list))) return last.hours;
  const hours = all([openByBudgets(pool, reason), anyOf(lists, reason)]);
  known.set(reason, { lists, hours });
  return hours;
}

type Lists = readonly (readonly MaintenanceWindow[])[];

/** The same window for the same pool under the same windows, so that what it was asked is remembered with it. */
const poolHours = new WeakMap<Pool, Map<Reason, { lists: Lists; hours: Window }>>();

const anyOf = (lists: Lists, reason: Reason): Window =>
  lists.length === 0 ? always : any(lists.map((windows) => windowRules(windows, reason).hours));
