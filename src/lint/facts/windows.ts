// MaintenanceWindows that apply together, how long windows stay open, and suggestions for selectors without a match.
import { memo } from '../../cluster/memo.ts';
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Requirement, TextMap } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import { activeHours, windowRules } from '../../engine/rules/openHours.ts';
import { nearest } from '../../kinds/read/nearMiss.ts';
import { not } from '../../time/combine.ts';
import { after, asDuration, type Duration, day, type Instant } from '../../time/instant.ts';
import { andList, count } from '../../time/lists.ts';
import { firstMeeting } from '../../time/meet.ts';
import { openings, opensAt, type Window } from '../../time/window.ts';
import { checkEach, type LintPolicy, type LintRule, type PartialFinding } from '../rule.ts';

export const windowObject = ({ name }: MaintenanceWindow): string => `MaintenanceWindow/${name}`;

/** The valid windows. The others block (D7), and their faults are reported. */
export const soundWindows = ({ cluster }: LintPolicy): readonly MaintenanceWindow[] =>
  cluster.windows.filter(({ fault }) => fault === undefined);

/** The check of a rule that looks at MaintenanceWindows one by one. */
export const checkEachWindow = (
  judge: (window: MaintenanceWindow, policy: LintPolicy) => PartialFinding | undefined,
): LintRule['check'] =>
  checkEach(
    (policy) =>
      soundWindows(policy).map((window) => ({ window, object: windowObject(window), path: 'spec.schedules' })),
    ({ window }, policy) => judge(window, policy),
  );

/** A finding if a rule over nodes selects none of those in the input. */
export function selectsNothing(
  { selector }: { readonly selector?: readonly Requirement[] },
  { nodes: all }: Pick<Cluster, 'nodes'>,
  { isMeant, noun }: { readonly isMeant: (view: NodeView) => boolean; readonly noun: string },
): PartialFinding | undefined {
  const nodes = selector && !all.some(isMeant) ? all.filter(({ managed }) => managed) : [];
  // Without nodes in the input, it may be only a part of the cluster.
  if (nodes.length === 0) return undefined;
  const labels = nodes.map(({ node }) => node.labels);
  return {
    path: 'spec.selector',
    message: `It selects none of the nodes in the input (${count(nodes.length, 'node')} managed by Karpenter): it has no effect.`,
    suggestion: nearLabel(selector ?? [], labels) ?? `Select labels that the nodes have, or remove the ${noun}.`,
  };
}

/** The next instant at which a window's life ends (D4); undefined = never, or it has ended. */
export function endOfLife({ life }: MaintenanceWindow, now: Instant): Instant | undefined {
  const begin = opensAt(life, now);
  return begin === undefined ? undefined : life.nextChange(begin);
}

/** Whether a window's life has ended (D4). */
export const isOver = ({ life }: MaintenanceWindow, now: Instant): boolean => opensAt(life, now) === undefined;

/** Whether one covers at least the nodes and actions of the other, as written. */
export const covers = (one: MaintenanceWindow, other: MaintenanceWindow): boolean =>
  (one.selector === undefined || JSON.stringify(one.selector) === JSON.stringify(other.selector)) &&
  other.reasons.isSubsetOf(one.reasons);

/** The different sets of windows that apply to a node. Without nodes: per selector, the windows with it and those without one. */
export function windowSets(policy: LintPolicy): (readonly MaintenanceWindow[])[] {
  const { cluster } = policy;
  const managed = cluster.nodes.filter((view) => view.managed);
  if (managed.length > 0) return [...new Set(managed.map(({ windows }) => windows))];
  const selectors = new Set(cluster.windows.map(({ selector }) => JSON.stringify(selector)));
  return [...selectors].map((text) =>
    cluster.windows.filter(({ selector }) => selector === undefined || JSON.stringify(selector) === text),
  );
}

/** The windows that must all be open for a reason. A common instant is found faster from a list than from their intersection. */
export function permittingHours(windows: readonly MaintenanceWindow[], reason: Reason): Window[] {
  const { permitted, blocks } = windowRules(windows, reason);
  return [permitted, ...blocks.map((window) => not(activeHours(window)))];
}

/** In the order in which reasons are tried; `any reason` for all of them. */
export function reasonsText(reasons: ReadonlySet<Reason>): string {
  const named = budgetReasons.filter((reason) => reasons.has(reason));
  return named.length === budgetReasons.length ? 'any reason' : andList(named);
}

/** Long enough to see weekly, monthly and yearly windows open. */
const year = asDuration(366 * day);
/** Bounds the walk: windows that change more often are observed for less than a year. */
const mostChanges = 4000;

/** The longest opening within a year; infinite if one does not end. Memoised: many pools and pods share a window. */
export const longestOpening = memo((window: Window, now: Instant): Duration => {
  let most = 0;
  let changes = 0;
  // An opening that includes now started earlier.
  for (const { from = now, to } of openings(window, now)) {
    if (from >= after(now, year) || changes >= mostChanges) break;
    if (to === undefined) return asDuration(Infinity);
    most = Math.max(most, to - from);
    changes += 2;
  }
  return asDuration(most);
});

/** The longest time between two openings; infinite if it does not open again. */
export const longestClosing = (window: Window, now: Instant): Duration => longestOpening(not(window), now);

/** Whether all are open together at some instant within 400 days; also true if that could not be determined. */
export const everOpen = (windows: readonly Window[], now: Instant): boolean =>
  firstMeeting(
    windows.map((window) => ({ window })),
    now,
  ) !== 'never';

/** `Did you mean the label karpenter.sh/nodepool?`; undefined if nothing is close. */
export function nearLabel(requirements: readonly Requirement[], labels: readonly TextMap[]): string | undefined {
  for (const requirement of requirements) {
    const hint = nearKey(requirement.key, labels) ?? nearValue(requirement, labels);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

export function nearKey(key: string, labels: readonly TextMap[]): string | undefined {
  if (labels.some((each) => each[key] !== undefined)) return undefined;
  const meant = nearest(key, distinct(labels.flatMap((each) => Object.keys(each))));
  return meant === undefined ? undefined : `Did you mean the label ${meant}?`;
}

function nearValue({ key, operator, values }: Requirement, labels: readonly TextMap[]): string | undefined {
  const present = distinct(labels.flatMap((each) => each[key] ?? []));
  if (operator !== 'In' || values.some((value) => present.includes(value))) return undefined;
  // Only a difference in case counts: eu-central-1a and eu-central-1b are close, but not the same.
  const meant = present.find((value) => values.some((written) => written.toLowerCase() === value.toLowerCase()));
  return meant === undefined ? undefined : `Did you mean the value ${meant} of ${key}?`;
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort(compareText);
