// Which maintenance windows hold together, and when does each begin and end to count?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { activeHours, windowRules } from '../../engine/limits/poolHours.ts';
import { not } from '../../time/combine.ts';
import type { Instant } from '../../time/instant.ts';
import { opensAt, type Window } from '../../time/window.ts';
import type { Policy } from '../rule.ts';
import { andList } from '../words/lists.ts';

export const windowObject = ({ name }: MaintenanceWindow): string => `MaintenanceWindow/${name}`;

/** Windows that could be read; what is wrong with the others is told as their fault, and they block (D7). */
export const soundWindows = ({ cluster }: Policy): readonly MaintenanceWindow[] =>
  cluster.windows.filter(({ fault }) => fault === undefined);

/** D4: when it stops to count, from now on; undefined = never, or it has already. */
export function endOfLife({ life }: MaintenanceWindow, now: Instant): Instant | undefined {
  const begin = opensAt(life, now);
  return begin === undefined ? undefined : life.nextChange(begin);
}

/** D4: it will never count again. */
export const isOver = ({ life }: MaintenanceWindow, now: Instant): boolean => opensAt(life, now) === undefined;

/** Whether one means at least the nodes and actions of the other, by what is written. */
export const covers = (one: MaintenanceWindow, other: MaintenanceWindow): boolean =>
  (one.selector === undefined || JSON.stringify(one.selector) === JSON.stringify(other.selector)) &&
  other.reasons.isSubsetOf(one.reasons);

/** The sets of windows that hold over one node each. Without nodes: those without a selector, with each of the selectors. */
export function windowSets(policy: Policy): (readonly MaintenanceWindow[])[] {
  const { cluster } = policy;
  const managed = cluster.nodes.filter((view) => view.managed);
  if (managed.length > 0) return [...new Set(managed.map(({ windows }) => windows))];
  const selectors = new Set(cluster.windows.map(({ selector }) => JSON.stringify(selector)));
  return [...selectors].map((text) =>
    cluster.windows.filter(({ selector }) => selector === undefined || JSON.stringify(selector) === text),
  );
}

/** All of these must be open for a reason. Asked apart, a moment in common is found sooner than in their intersection. */
export function permittingHours(windows: readonly MaintenanceWindow[], reason: Reason): Window[] {
  const { permitted, blocks } = windowRules(windows, reason);
  return [permitted, ...blocks.map((window) => not(activeHours(window)))];
}

/** In the order in which reasons are tried; `any reason` where it is all of them. */
export function reasonsText(reasons: ReadonlySet<Reason>): string {
  const named = budgetReasons.filter((reason) => reasons.has(reason));
  return named.length === budgetReasons.length ? 'any reason' : andList(named);
}
