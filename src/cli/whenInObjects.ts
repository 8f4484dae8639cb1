// When does every schedule in these objects open? One answer each for programs; for people, one block for all that say the same.
import { parseCron } from '../time/cron.ts';
import type { Instant } from '../time/instant.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { type ObjectFlags, tellWhom, textsAsked } from './asked.ts';
import { openShare } from './calendar.ts';
import { alignColumns } from './columns.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { openingsFrom, outlookAsJson } from './openingsFrom.ts';
import { type Form, printAnswer } from './output.ts';
import { renderOutlook } from './renderWhen.ts';
import { type FoundSchedule, schedulesIn } from './schedulesIn.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export interface Look {
  readonly from: Instant;
  readonly now: Instant;
  readonly count: number;
}

export async function whenInObjects(flags: ObjectFlags & { readonly output: Form }, look: Look, io: Io): Promise<void> {
  const { sources, whom } = await textsAsked(flags, io);
  const found = schedulesIn(documentsIn(sources));
  tellWhom(whom, flags.output, io);
  printAnswer(io, flags.output, {
    value: () =>
      found.map(({ window, ...rest }) => ({
        ...rest,
        ...(window && outlookAsJson(openingsFrom(window, look.from, look.count))),
      })),
    lines: () => renderFound(found, look, io),
  });
}

function renderFound(found: readonly FoundSchedule[], look: Look, io: Io): Line[] {
  if (found.length === 0) return [[plain('There is no schedule in these objects.')]];
  const alike = Map.groupBy(found, ({ schedule, duration, zone, fault, notBefore, notAfter }) =>
    JSON.stringify([schedule, duration, zone, fault, notBefore, notAfter]),
  );
  return [...alike.values()].flatMap((its) => [...renderBlock(its, look, io), emptyLine]);
}

/** So many owners of one schedule are named. */
const ownersNamed = 4;

function renderBlock(its: readonly FoundSchedule[], look: Look, io: Io): Line[] {
  const [first] = its as [FoundSchedule, ...FoundSchedule[]];
  const owners = its.slice(0, ownersNamed).map(({ object, path }): Line[] => [[dim(object)], [dim(path)]]);
  if (its.length > ownersNamed) owners.push([[dim(`and ${its.length - ownersNamed} more`)]]);
  const named = alignColumns(owners, { indent: 2, width: io.width });
  const title = titleOf(first);
  const { window } = first;
  if (!window)
    return [
      [bold(title)],
      ...alignColumns([[[styled('red', 'error')], [plain(first.fault ?? '')]]], { indent: 2, width: io.width }),
      ...named,
    ];
  const view = { zone: clockOf(first), from: look.from, now: look.now, localZone: io.localZone, width: io.width };
  const share = (start: Instant, end: Instant): number => openShare(window, start, end);
  const [head = [], ...rest] = renderOutlook(title, openingsFrom(window, look.from, look.count), view, share);
  return [head, ...named, ...rest];
}

function titleOf({ schedule, duration, zone, notBefore, notAfter }: FoundSchedule): string {
  const hours =
    schedule === undefined ? 'at all times' : `${schedule}${duration === undefined ? '' : ` for ${duration}`}`;
  const dates = [notBefore && ` from ${notBefore}`, notAfter && ` until ${notAfter}`].filter(Boolean).join('');
  return `${hours}${dates} (${zone || 'UTC'})`;
}

/** The clock its author looks at: that of the first expression. */
function clockOf({ schedule, zone }: FoundSchedule): Zone {
  const parsed = parseCron(schedule?.split(';')[0] ?? '', zone);
  return 'cron' in parsed ? parsed.cron.zone : (findZone('') as Zone);
}
