// At which instants does a pattern of the wall clock fire? Every zone changes its clocks in its own way; B3 says what then.
import { asInstant, type Instant, minute } from './instant.ts';
import { matchAtOrAfter, matchAtOrBefore, type Pattern } from './pattern.ts';
import type { Stretch } from './stretches.ts';
import type { Zone } from './zone.ts';

/** The first hit after `after`. Only for a pattern that ever matches. */
export function nextHit(pattern: Pattern, zone: Zone, after: Instant): Instant {
  let stretch = zone.stretchAt(after);
  let hit = firstHit(pattern, stretch, after);
  while (hit >= stretch.end) {
    stretch = zone.stretchAt(stretch.end);
    hit = firstHit(pattern, stretch, asInstant(stretch.start - 1));
  }
  return hit;
}

/** The last hit up to `at`. Only for a pattern that ever matches. */
export function previousHit(pattern: Pattern, zone: Zone, at: Instant): Instant {
  let stretch = zone.stretchAt(at);
  let hit = lastHit(pattern, stretch, at);
  while (hit < stretch.start) {
    const before = asInstant(stretch.start - 1);
    stretch = zone.stretchAt(before);
    hit = lastHit(pattern, stretch, before);
  }
  return hit;
}

/** The first hit of a stretch after `at`; an instant beyond its end if there is none. */
function firstHit(pattern: Pattern, stretch: Stretch, at: Instant): Instant {
  const { start, repeatedUntil } = stretch;
  if (at < start && skipsMatch(pattern, stretch)) return start;
  if (at >= repeatedUntil) return firstMatch(pattern, pattern.hours, stretch, at);
  const again = firstMatch(pattern, pattern.neighbouredHours, stretch, at);
  return again < repeatedUntil ? again : firstMatch(pattern, pattern.hours, stretch, asInstant(repeatedUntil - 1));
}

/** The last hit of a stretch up to `at`; an instant before its start if there is none. */
function lastHit(pattern: Pattern, stretch: Stretch, at: Instant): Instant {
  const { start, repeatedUntil } = stretch;
  const hit = lastMatch(pattern, pattern.hours, stretch, at);
  if (hit >= start && hit >= repeatedUntil) return hit;
  if (skipsMatch(pattern, stretch)) return start;
  return lastMatch(pattern, pattern.neighbouredHours, stretch, asInstant(Math.min(at, repeatedUntil - 1)));
}

/** Whether the pattern matches a time that the clock leaves out as the stretch begins. */
function skipsMatch(pattern: Pattern, { start, offset, jump }: Stretch): boolean {
  if (jump <= 0) return false;
  const shown = start + offset;
  return matchAtOrAfter(pattern, pattern.hours, Math.ceil((shown - jump) / minute)) * minute < shown;
}

function firstMatch(pattern: Pattern, hours: number, { offset }: Stretch, after: Instant): Instant {
  if (hours === 0) return asInstant(Infinity);
  return asInstant(matchAtOrAfter(pattern, hours, Math.floor((after + offset) / minute) + 1) * minute - offset);
}

function lastMatch(pattern: Pattern, hours: number, { offset }: Stretch, at: Instant): Instant {
  if (hours === 0) return asInstant(-Infinity);
  return asInstant(matchAtOrBefore(pattern, hours, Math.floor((at + offset) / minute)) * minute - offset);
}
