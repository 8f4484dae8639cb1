// The test's own reading of maintenance windows; invalid ones fail closed (D7).
import type { PlainWindow, Texts } from '../plain.ts';
import { type Hours, isOpen, isZone, readHours } from './clock.ts';
import { type Host, isLeaving, ofKind, type Seen } from './cluster.ts';
import { amountOf, type Count, isBadSelector, readCount, readMinutes, selects } from './reading.ts';

const actions: Record<string, readonly string[]> = {
  Expiration: ['Expired'],
  Consolidation: ['Empty', 'Underutilized'],
  EmptyConsolidation: ['Empty'],
  NonEmptyConsolidation: ['Underutilized'],
  Drift: ['Drifted'],
  Rebalance: ['Rebalance'],
  Repair: ['Unhealthy'],
};

export interface SeenWindow {
  readonly name: string;
  /** A Block window is idle, blocks, or caps the nodes in flight; an Allow window is closed or permits, with or without a cap. */
  readonly state: 'idle' | 'blocks' | 'caps' | 'closed' | 'permits' | 'asks';
  readonly cap?: Count;
  readonly means: (labels: Texts, reason: string) => boolean;
  readonly selects: (labels: Texts) => boolean;
}

export const seeWindows = (seen: Seen): SeenWindow[] =>
  ofKind(seen.plain.objects, 'MaintenanceWindow').map((window) => seeWindow(window, seen.now));

function seeWindow({ metadata, spec }: PlainWindow, now: number): SeenWindow {
  const named = spec.actions?.map((action) => actions[action]);
  const badAction = named?.includes(undefined) ?? false;
  const reasons = badAction || !named || named.length === 0 ? undefined : (named as string[][]).flat();
  const badSelector = spec.selector !== undefined && isBadSelector(spec.selector);
  const isSelected = (labels: Texts): boolean => !spec.selector || badSelector || selects(spec.selector, labels);
  const when = readWhen(spec);
  const isFaulty = badAction || badSelector || when === undefined;
  // With `per` the number limits starts, not nodes in flight (P2).
  const cap = spec.per === undefined ? when?.cap : undefined;
  const isRate = spec.per !== undefined;
  const capped = cap && cap.number > 0 ? { cap } : {};
  return {
    name: metadata.name,
    ...capped,
    state: stateOf(spec.approval && !isFaulty ? 'asks' : (spec.mode ?? 'Block'), when, {
      isFaulty,
      isCapped: 'cap' in capped || isRate,
      now,
    }),
    means: (labels, reason) => isSelected(labels) && (!reasons || reasons.includes(reason)),
    selects: isSelected,
  };
}

export interface When {
  readonly hours: readonly Hours[];
  readonly from: number;
  readonly to: number;
  readonly cap: Count;
}

/** Undefined if a schedule, date or count is invalid. */
export function readWhen({
  schedules = [],
  notBefore,
  notAfter,
  nodes = '0',
  mode = 'Block',
}: PlainWindow['spec']): When | undefined {
  const hours = schedules.map(({ cron, duration, timeZone = 'UTC' }) => {
    const minutes = duration === undefined ? undefined : readMinutes(duration);
    return cron !== undefined && minutes !== undefined && isZone(timeZone)
      ? readHours(cron, minutes, timeZone)
      : undefined;
  });
  const from = notBefore === undefined ? -Infinity : Date.parse(notBefore);
  const to = notAfter === undefined ? Infinity : Date.parse(notAfter);
  const cap = readCount(nodes);
  if (hours.includes(undefined) || hours.includes('never') || !(from < to) || !cap) return undefined;
  return ['Block', 'Allow'].includes(mode) ? { hours: hours as Hours[], from, to, cap } : undefined;
}

function stateOf(
  mode: string,
  when: When | undefined,
  { isFaulty, isCapped, now }: { isFaulty: boolean; isCapped: boolean; now: number },
): SeenWindow['state'] {
  if (!when) return 'blocks';
  if (now < when.from || now >= when.to) return 'idle';
  const isActive = when.hours.length === 0 || when.hours.some((hours) => isOpen(hours, now));
  // An invalid window permits nothing (D7).
  if (mode === 'Allow') return isFaulty ? 'blocks' : isActive ? 'permits' : 'closed';
  if (!isActive) return 'idle';
  if (mode === 'asks') return 'asks';
  return isCapped && !isFaulty ? 'caps' : 'blocks';
}

/** How many of the selected managed nodes may be in flight at a time, and how many are (D5). */
export function capOf({ cap, selects: isSelected }: SeenWindow, seen: Seen): { most: number; inFlight: Set<string> } {
  const mine = [...seen.hosts.values()].filter(
    ({ managed, node }) => managed && isSelected(node.metadata.labels ?? {}),
  );
  const inFlight = new Set(mine.filter((host) => isLeaving(host, seen)).map(({ name }) => name));
  return { most: cap ? amountOf(cap, mine.length) : Infinity, inFlight };
}

export const windowsOver = (windows: readonly SeenWindow[], { node }: Host, reason: string): SeenWindow[] =>
  windows.filter(({ means }) => means(node.metadata.labels ?? {}, reason));
