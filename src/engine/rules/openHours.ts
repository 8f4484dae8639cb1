// The hours in which a pool may be disrupted for a reason: by its budgets and by the maintenance windows that select its nodes.
import { memo } from '../../cluster/memo.ts';
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { type Reason, reasons } from '../../cluster/reason.ts';
import { all, any, not } from '../../time/combine.ts';
import { describeSchedules } from '../../time/describeSchedules.ts';
import { always, type Window } from '../../time/window.ts';
import type { RuleOwner } from '../refusal.ts';
import { isZero } from './budgets.ts';

/** Open while no active budget of zero applies to the reason. Any other limit allows at least one node. */
export const openByBudgets = memo(({ budgets, rates }: Pool, reason: Reason): Window => {
  const zeros = [...budgets, ...rates].filter(
    ({ nodes, reasons, topologyKey }) =>
      // A topology budget limits drift only (C9).
      (topologyKey === undefined || reason === 'Drifted') &&
      isZero(nodes) &&
      (reasons === undefined || reasons.has(reason)),
  );
  return zeros.length === 0 ? always : not(any(zeros.map(({ window }) => window ?? always)));
}, reasons.length);

/** The maintenance windows of a node that concern one reason. */
export interface WindowRules {
  /** Windows that block it while they are active. */
  readonly blocks: readonly MaintenanceWindow[];
  readonly allows: readonly MaintenanceWindow[];
  /** Windows that ask for approval while they are active (Q2). */
  readonly asks: readonly MaintenanceWindow[];
  /** Open while any Allow window is open, or while none of them is in force (D3). */
  readonly permitted: Window;
  /** Open while no window refuses. */
  readonly hours: Window;
  /** All windows involved: as long as none of them opens or closes, nothing changes. */
  readonly parts: readonly Window[];
}

/** Nodes under the same windows share one list (see the store), so this is computed once for all of them. */
export const windowRules = memo((windows: readonly MaintenanceWindow[], reason: Reason): WindowRules => {
  const mine = windows.filter((window) => window.reasons.has(reason));
  const blocks = mine.filter((window) => window.mode === 'Block' && isZero(window.nodes));
  const allows = mine.filter((window) => window.mode === 'Allow');
  const asks = mine.filter((window) => window.mode === 'Approve');
  const permitted =
    allows.length === 0 ? always : any([...allows.map(activeHours), all(allows.map(({ life }) => not(life)))]);
  const hours = all([...blocks.map((window) => not(activeHours(window))), permitted]);
  const parts = new Set([...blocks, ...allows, ...asks].flatMap(({ window, life }) => [window, life]));
  return { blocks, allows, asks, permitted, hours, parts: [...parts] };
}, reasons.length);

/** When a window is active: while it is in force and its schedules are open. */
export const activeHours = memo(({ life, window }: MaintenanceWindow): Window => all([life, window]));

export const windowOwner = ({ name }: MaintenanceWindow): RuleOwner => ({ kind: 'MaintenanceWindow', name });

/** The window's note: who to ask and why (D4). */
export const note = (window: MaintenanceWindow): string => (window.note ? ` (${window.note})` : '');

/** `MaintenanceWindow nights (every day 22:00–04:00 UTC)`, with its note. */
export const describeWindow = (window: MaintenanceWindow): string =>
  `MaintenanceWindow ${window.name} (${describeActive(window)})${note(window)}`;

function describeActive({ life, window }: MaintenanceWindow): string {
  const hours = describeSchedules(window) ?? window.text;
  if (life === always) return hours;
  return window === always ? life.text : `${hours}, ${life.text}`;
}

/** What Allow windows permit, as a sentence about the node. */
export const describeAllows = (allows: readonly MaintenanceWindow[]): string =>
  `it may be disrupted only in ${allows.map(describeWindow).join(' or ')}`;

/** Open while the budgets permit the reason and the windows permit it on at least one of these nodes. */
export function openHours(pool: Pool, nodes: readonly NodeView[], reason: Reason): Window {
  return hoursUnder(pool, reason, [...new Set(nodes.map(({ windows }) => windows))]);
}

/** The same window for the same pool under the same windows, so that its cached answers are reused. */
const hoursUnder = memo((pool: Pool, reason: Reason, lists: readonly (readonly MaintenanceWindow[])[]): Window => {
  const byWindows = lists.length === 0 ? always : any(lists.map((windows) => windowRules(windows, reason).hours));
  return all([openByBudgets(pool, reason), byWindows]);
}, reasons.length);
