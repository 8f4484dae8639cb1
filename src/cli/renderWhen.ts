// How is an outlook told to a person? The next openings on the clocks that matter, and a calendar of the days to come.
import type { Instant } from '../time/instant.ts';
import { between } from '../time/instant.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { type Calendar, renderCalendar } from './calendar.ts';
import { alignColumns } from './columns.ts';
import { sayDistance, sayEndInZone, sayInZone, sayLength, sayMoment, sayUtc } from './moment.ts';
import type { Outlook, Stretch } from './openingsFrom.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export interface View {
  readonly zone: Zone;
  readonly from: Instant;
  readonly now: Instant;
  readonly localZone: string;
  readonly width: number;
}

export function renderOutlook(title: string, outlook: Outlook, view: View, share: Calendar['share']): Line[] {
  const { zone, from, now } = view;
  const next = outlook.openings[0]?.from;
  const word = outlook.open === undefined ? 'fires' : 'open';
  return [
    [bold(title)],
    renderState(outlook, from),
    emptyLine,
    ...renderTable(outlook, view),
    emptyLine,
    ...renderCalendar({ zone, from, now, share, next, word }),
  ];
}

function renderState({ open, openings: [first] }: Outlook, from: Instant): Line {
  if (open === undefined) return [plain(first ? `fires next ${sayMoment(first.from, from)}` : 'does not fire')];
  const change = open ? first?.to : first?.from;
  const when = change === undefined ? 'for ever' : `${open ? 'closes' : 'opens'} ${sayMoment(change, from)}`;
  return [styled(open ? 'green' : 'yellow', open ? 'open' : 'closed'), plain(` at ${sayUtc(from)}, ${when}`)];
}

function renderTable({ open, openings: stretches }: Outlook, { zone, from, localZone, width }: View): Line[] {
  if (stretches.length === 0) return [[plain('  no opening ahead')]];
  if (open && stretches[0]?.to === undefined) return [[plain('  never closes')]];
  const local = findZone(localZone);
  const own = local && local.name !== zone.name ? local : undefined;
  const titles = [
    `${open === undefined ? 'fires' : 'opens'} (${zone.name})`,
    ...(open === undefined ? [] : ['closes', 'for']),
    ...(own ? [`local (${own.name})`] : []),
    '',
  ];
  const rows = stretches.map((stretch) => [
    [plain(sayInZone(stretch.from, zone))],
    ...(open === undefined ? [] : closing(stretch, zone)),
    ...(own ? [[plain(sayInZone(stretch.from, own))]] : []),
    [dim(stretch.from <= from ? 'now' : sayDistance(stretch.from, from))],
  ]);
  return alignColumns([titles.map((title) => [dim(title)]), ...rows], { indent: 2, width });
}

const closing = ({ from, to }: Stretch, zone: Zone): Line[] =>
  to === undefined
    ? [[plain('never')], []]
    : [[plain(sayEndInZone(to, from, zone))], [plain(sayLength(between(from, to)))]];
