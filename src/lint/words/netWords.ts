// Karpenter's own limit of a pool, in words: what holds while Lull is away (C17, N10).
import type { SafetyNet } from '../../engine/limits/safetyNet.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import { andList } from './lists.ts';

/** `10% at a time`, `Drifted: 2 at a time; Empty: no limit`, `10% at a time; no limit for Drifted from 2026-03-10T17:00:00Z` */
export function sayNet({ limits, gaps }: SafetyNet, now: Instant): string {
  const told = limits.map(({ reason, atMost }) => ({ reason, text: sayLimit(atMost.map(formatNodeCount)) }));
  const alike = [...Map.groupBy(told, ({ text }) => text)];
  const today = alike.map(([text, its]) =>
    alike.length === 1 ? text : `${andList(its.map(({ reason }) => reason))}: ${text}`,
  );
  const later = Map.groupBy(
    gaps.filter(({ from }) => from > now),
    ({ from }) => from,
  );
  return [
    ...today,
    ...[...later].map(
      ([from, its]) => `no limit for ${andList(its.map(({ reason }) => reason))} from ${formatInstant(from)}`,
    ),
  ].join('; ');
}

const sayLimit = (atMost: readonly string[]): string =>
  atMost.length === 0 ? 'no limit' : `${andList([...new Set(atMost)])} at a time`;
