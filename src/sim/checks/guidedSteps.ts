// Does a command in Karpenter's hands go through its steps as it must (G1, N3)? Offered, taken, gone; or withdrawn.
import type { Instant } from '../../time/instant.ts';
import type { Host } from './host.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { keepOff } from './parking.ts';
import { annotationsOf, taintsOf } from './raw.ts';
import type { Sight } from './sight.ts';
import { type Finding, finding } from './violation.ts';

const follows: Readonly<Record<string, readonly string[]>> = {
  offered: ['taken', 'withdrawn'],
  taken: ['withdrawn'],
  withdrawn: ['taken'],
};

export function wrongGuided(was: RawCommand | undefined, is: RawCommand, sight: Sight): Finding[] {
  // What was found again is withdrawn, or taken already (G2).
  if (!was) return is.step in follows ? [] : [finding('G1', `${is.id} begins as ${is.step}`)];
  if (was.step === is.step) return [];
  if (!follows[was.step]?.includes(is.step)) return [finding('G1', `${is.id} goes from ${was.step} to ${is.step}`)];
  const hosts = hostsOf(is, sight);
  const isSeen = hosts.length === 0 || hosts.some(isBegun);
  return is.step !== 'taken' || isSeen ? [] : [finding('G1', `${is.id} is taken, but nobody has taken its node`)];
}

/** N3: its unit stays spent for a minute after it was parked again. */
const shortest = 60_000;

/** Over when its nodes are gone; or withdrawn, parked, and waited for. */
export function wrongGuidedEnd(was: RawCommand, sight: Sight, at: Instant): Finding[] {
  return hostsOf(was, sight).flatMap((host) => {
    if (was.step !== 'withdrawn')
      return [finding('G1', `${was.id} is over while ${was.step}, but ${host.name} is there`)];
    const isKept = annotationsOf(host.node)[keepOff] === 'true';
    const isLong = was.parkedAt !== undefined && at - was.parkedAt >= shortest;
    return isKept && isLong
      ? []
      : [finding('N3', `${was.id} is over, but ${host.name} ${isKept ? 'was parked a moment ago' : 'is not parked'}`)];
  });
}

const hostsOf = ({ nodes }: RawCommand, sight: Sight): Host[] =>
  nodes.flatMap(({ name, claim }) => {
    const host = sight.host(name);
    return host && (claim === undefined || host.claim?.metadata.name === claim) ? [host] : [];
  });

const isBegun = ({ node, isLeaving, isDeleting }: Host): boolean =>
  isLeaving || isDeleting || taintsOf(node).some(({ key }) => key === 'karpenter.sh/disrupted');
