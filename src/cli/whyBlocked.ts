// The windows that block a node or pool now, one line each: a pause by its author, note and end (Q5).
import type { BlockedBy } from '../engine/why/blockedBy.ts';
import { pauseName } from '../server/pause.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { type Line, styled } from './span.ts';
import type { Page } from './whyRefusals.ts';

export const renderBlocked = (blocked: readonly BlockedBy[] | undefined, { now, width }: Page): Line[] =>
  alignColumns(
    (blocked ?? []).map((it) => [[styled('yellow', sayBlocked(it, now))]]),
    { indent: 2, width },
  );

/** `paused by ann until 12:00Z (in 2h): release day` */
function sayBlocked({ name, author, note, reasons, until }: BlockedBy, now: Instant): string {
  const what = name === pauseName ? 'paused' : `window ${name} blocks ${reasons?.join(', ') ?? 'everything'}`;
  const by = author === undefined ? '' : ` by ${author}`;
  const end = until === undefined ? 'without an end' : `until ${sayMoment(until, now)}`;
  return `${what}${by} ${end}${note === undefined ? '' : `: ${note}`}`;
}
