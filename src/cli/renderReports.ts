// What else has a say? Windows, pods with rules of their own, and what is wrong with what was read.
import type { Fault } from '../cluster/fault.ts';
import type { PodReport, Round, WindowReport } from '../engine/verdict.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { count, type Scene } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, type Style, styled } from './span.ts';

export function renderReports(round: Round, scene: Scene): Line[] {
  const mode = modes(scene);
  return [
    ...titled(
      'windows',
      round.windows.map((window) => windowRow(window, round.at, mode)),
      scene,
    ),
    ...titled('pods with a say', scene.all ? round.pods.map((pod) => podRow(pod, round.at)) : [], scene),
    ...titled('faults', bySeverity(round.faults).map(faultRow), scene),
  ];
}

function titled(title: string, rows: readonly Line[][], { width }: Scene): Line[] {
  return rows.length === 0 ? [] : [[bold(title)], ...alignColumns(rows, { indent: 2, width }), emptyLine];
}

function windowRow(
  { kind, name, open, nextChange, selected, holding, author, note }: WindowReport,
  now: Instant,
  mode: Mode,
): Line[] {
  const change = nextChange === undefined ? 'for ever' : `${open ? 'closes' : 'opens'} ${sayMoment(nextChange, now)}`;
  const isBlocking = open && mode(kind, name) !== 'Allow';
  const noun = kind === 'MaintenanceWindow' ? 'node' : 'pod';
  return [
    [plain(name)],
    [plain(mode(kind, name) === 'Allow' ? 'allows' : 'blocks')],
    [styled(open ? 'green' : 'dim', open ? 'open' : 'closed')],
    [plain(`${change}; ${count(selected, noun)} selected, ${holding} held${isBlocking ? sayWho(author, note) : ''}`)],
  ];
}

/** Who made a window, and what for. */
function sayWho(author: string | undefined, note: string | undefined): string {
  const words = [...(author === undefined ? [] : [`by ${author}`]), ...(note === undefined ? [] : [note])];
  return words.length === 0 ? '' : `; ${words.join(': ')}`;
}

type Mode = (kind: WindowReport['kind'], name: string) => 'Allow' | 'Block' | undefined;

function modes({ cluster: { windows, podSchedules } }: Scene): Mode {
  const known = {
    MaintenanceWindow: new Map(windows.map(({ name, mode }) => [name, mode])),
    PodDisruptionSchedule: new Map(podSchedules.map(({ name, mode }) => [name, mode])),
  };
  return (kind, name) => known[kind].get(name);
}

function podRow({ namespace, name, node, movable, movableAt, refusals }: PodReport, now: Instant): Line[] {
  const codes = refusals.map(({ code }) => code).join(', ');
  const until = movableAt === undefined ? '' : ` until ${sayMoment(movableAt, now)}`;
  return [
    [plain(`${namespace}/${name}`)],
    [dim(node)],
    movable ? [styled('green', 'movable')] : [styled('yellow', `held${until}`), plain(` by ${codes}`)],
  ];
}

const styleOf: Readonly<Record<Fault['severity'], Style>> = { error: 'red', warning: 'yellow', info: 'dim' };
const severities = Object.keys(styleOf);

const bySeverity = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

function faultRow({ object, path, message, severity, position }: Fault): Line[] {
  const place = position ? `${position.file}:${position.line}: ` : '';
  return [[styled(styleOf[severity], severity)], [dim(place), bold(`${object} ${path}`), plain(`: ${message}`)]];
}
