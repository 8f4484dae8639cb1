import { describe, it } from 'vitest';
import type { RefusalCode } from '../../src/engine/refusal.ts';
import type { Verdict } from '../../src/engine/verdict.ts';
import { asInstant, formatInstant } from '../../src/time/instant.ts';
import { decide } from './decide.ts';
import { fewerClusters, forAll } from './forAll.ts';
import { ofKind, type Seen, see } from './oracle/cluster.ts';
import { half, layOut, walk } from './oracle/possible.ts';
import { readDuration } from './oracle/reading.ts';
import type { Plain } from './plain.ts';

/** Two days of half minutes; for later instants only possibleAt itself is checked. */
const slots = 2 * 2880;

/** Codes that depend on more than the node and the time, such as a domain that settles. */
const apart: ReadonlySet<RefusalCode> = new Set([
  'DomainSettling',
  'WaveSettling',
  'NoPlacement',
  'PoolFault',
  'PoolMissing',
] as const);

function untrue(verdict: Verdict, seen: Seen): string[] {
  const { node, reason, possibleAt, outcome, refusals } = verdict;
  const host = seen.hosts.get(node);
  if (outcome !== 'held' || !host || refusals.some(({ code }) => apart.has(code))) return [];
  // Unit tests cover the rates of windows (P2).
  if (ofKind(seen.plain.objects, 'MaintenanceWindow').some(({ spec }) => spec.per !== undefined)) return [];
  const margin = readDuration(seen.plain.settings.windowMargin ?? '0s') ?? 0;
  const laid = layOut(host, reason, seen);
  const says = (what: string): string[] => [`E12: ${node} ${reason} ${what}`];
  const found = walk(laid, margin, slots);
  const told = found === undefined ? 'within two days' : `before ${formatInstant(asInstant(found))}`;
  if (possibleAt === undefined) return [];
  if (possibleAt === 'never')
    return found === undefined ? [] : says(`is never possible, and yet at ${formatInstant(asInstant(found))}`);
  const at = possibleAt === 'now' ? seen.now : possibleAt;
  // On the grid both must agree; off it, nothing on the grid may come earlier.
  if (at % half === 0 && found !== undefined && at !== found)
    return says(`is possible at ${formatInstant(asInstant(at))}, not ${told}`);
  if (found !== undefined && found < at)
    return says(`is possible before ${formatInstant(asInstant(at))}, at ${formatInstant(asInstant(found))}`);
  const there = walk({ ...laid, from: at }, margin, 1);
  const isThere = there !== undefined && there - at < half;
  return at >= laid.from && isThere ? [] : says(`is not possible at ${formatInstant(asInstant(at))}`);
}

describe('E12, J1: possibleAt', () => {
  it('is the first instant at which all time rules permit the wish, by a walk over all half minutes', () => {
    forAll(
      (plain) => {
        // In guide the rules of other wishes and Karpenter's reading of budgets apply as well (N4); other tests cover that.
        const alone: Plain = { ...plain, settings: { ...plain.settings, role: 'drive' } };
        const seen = see(alone);
        return decide(alone).verdicts.flatMap((verdict) => untrue(verdict, seen));
      },
      Math.ceil(fewerClusters / 2),
    );
  });
});
