// What does a MaintenanceWindow do, when, and to whom?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import { amountOf, isZero } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import type { Instant } from '../../time/instant.ts';
import { always } from '../../time/window.ts';
import { andList, count, orList } from './lists.ts';
import { saySelected } from './selectorWords.ts';
import { sayLife, sayOnly, sayWindow } from './windowWords.ts';

/** Without its name: `blocks drift and consolidation Monday to Friday 09:00–19:00 UTC on nodes with zone us-west-2a (4 of 11 nodes today)` */
export function sayMaintenance(window: MaintenanceWindow, cluster: Cluster, now: Instant): string {
  const { fault, note } = window;
  const managed = cluster.nodes.filter((view) => view.managed);
  const selected = managed.filter((view) => view.windows.includes(window)).length;
  const where = `on ${saySelected('node', { requirements: window.selector ?? [] })}`;
  const today =
    managed.length === 0 ? '' : ` (${selected === 0 ? 'none' : selected} of ${count(managed.length, 'node')} today)`;
  const said = note ? `; note: ${note.replace(/\.$/, '')}` : '';
  const end = `${isZero(window.nodes) ? '' : ','} ${where}${today}${sayOthers(window, cluster)}${said}.`;
  if (fault) return `${sayEffect(window, selected, now)}${end} ${fault.path}: ${fault.message}`;
  return `${sayEffect(window, selected, now)}${end}`;
}

/** D3: of several Allow windows any open one allows. */
function sayOthers({ name, mode, reasons }: MaintenanceWindow, { windows }: Cluster): string {
  if (mode !== 'Allow') return '';
  const others = windows.filter(
    (it) => it.mode === 'Allow' && it.name !== name && [...it.reasons].some((reason) => reasons.has(reason)),
  );
  return others.length === 0
    ? ''
    : `, or while ${orList(others.map((it) => it.name))} is open, where it means the same node`;
}

/** `blocks drift Monday to Friday 09:00–17:00 UTC`, with its dates. */
export function sayEffect(window: MaintenanceWindow, selected: number, now: Instant): string {
  const { mode, nodes, reasons, life, fault } = window;
  const [what, hours, dates] = [sayActions(reasons), sayWindow(window.window, now), sayLife(life, now)];
  const cap = isZero(nodes) ? '' : sayCap(window, selected);
  const bounds = dates && ` ${dates}`;
  // A freeze by date needs no hours.
  const when = dates && window.window === always ? '' : ` ${hours}`;
  if (fault) return `cannot be read, so it blocks ${what} at all times`;
  if (mode === 'Allow') return `allows ${what} ${sayOnly(window.window, now)}${cap && `, and then ${cap}`}${bounds}`;
  return cap ? `limits ${what}${when} to ${cap}${bounds}` : `blocks ${what}${when}${bounds}`;
}

/** D5: counted over all pools, whatever the nodes go for. */
function sayCap({ nodes }: MaintenanceWindow, selected: number): string {
  const today = selected === 0 || 'count' in nodes ? '' : ` (${amountOf(nodes, selected)} of ${selected} today)`;
  return `${formatNodeCount(nodes)} of its nodes at once${today}, counted over all pools`;
}

const actionNames: Readonly<Partial<Record<Reason, string>>> = {
  Drifted: 'drift',
  Expired: 'expiry',
  Rebalance: 'rebalancing',
  Unhealthy: 'repair',
  Empty: 'removal of empty nodes',
  Underutilized: 'consolidation of nodes in use',
};
const consolidation: readonly Reason[] = ['Empty', 'Underutilized'];

/** `drift and consolidation`; `everything` is all but interruption, which nothing blocks. */
function sayActions(reasons: ReadonlySet<Reason>): string {
  if (budgetReasons.every((reason) => reasons.has(reason))) return 'everything but interruption';
  const both = consolidation.every((reason) => reasons.has(reason));
  const named = Object.entries(actionNames).filter(([reason]) => reasons.has(reason as Reason));
  const apart = both ? named.filter(([reason]) => !consolidation.includes(reason as Reason)) : named;
  return andList([...apart.map(([, name]) => name), ...(both ? ['consolidation'] : [])]);
}
