// When does a schedule fire or a window open next (L4)?
import type { Cron } from '../time/cron.ts';
import type { Instant } from '../time/instant.ts';
import { formatInstant } from '../time/instant.ts';
import { openings, type Window } from '../time/window.ts';

/** A stretch as L4 tells it: always with a start, and without an end where there is none. */
export interface Stretch {
  readonly from: Instant;
  readonly to?: Instant;
}

export interface Outlook {
  /** Absent where only the hits of a schedule were asked for. */
  readonly open?: boolean;
  readonly openings: readonly Stretch[];
}

/** Hits strictly after `from`. */
export function hitsAfter(cron: Cron, from: Instant, count: number): Outlook {
  const hits: Stretch[] = [];
  for (let at = cron.next(from); at !== undefined && hits.length < count; at = cron.next(at)) hits.push({ from: at });
  return { openings: hits };
}

/** One that is open at `from` comes first with its true start; what has always been open is said to be so from `from` on. */
export function openingsFrom(window: Window, from: Instant, count: number): Outlook {
  const found: Stretch[] = [];
  for (const opening of openings(window, from)) {
    found.push({ ...opening, from: opening.from ?? from });
    if (found.length >= count) break;
  }
  return { open: window.isOpen(from), openings: found };
}

export const outlookAsJson = ({ open, openings: stretches }: Outlook): Record<string, unknown> => ({
  open,
  openings: stretches.map(({ from, to }) => ({
    from: formatInstant(from),
    to: to === undefined ? undefined : formatInstant(to),
  })),
});
