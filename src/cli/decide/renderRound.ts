// A round as text: a summary, each pool, the windows, and what is wrong with the input.
import type { Fault } from '../../cluster/fault.ts';
import type { GateReport, PodReport, Round, WindowReport } from '../../engine/verdict.ts';
import { formatMoment, formatTime, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, type Style, styled } from '../span.ts';
import { commandsByNode, partsByPool, type RoundView, renderPool } from './renderPool.ts';

export function renderRound(round: Round, view: RoundView): Line[] {
  const commands = commandsByNode(round.commands);
  return [
    ...renderSummary(round, view),
    emptyLine,
    ...partsByPool(round).flatMap((part) => [...renderPool(part, commands, view), emptyLine]),
    ...renderReports(round, view),
    [
      dim('next round: '),
      plain(round.wakeAt === undefined ? 'when the cluster changes' : formatMoment(round.wakeAt, view)),
    ],
  ];
}

function renderSummary(round: Round, { counted, role, width, zone }: RoundView): Line[] {
  const nodes = [...counted.values()].reduce((sum, number) => sum + number, 0);
  const head = `${count(nodes, 'node')} in ${count(counted.size, 'pool')} at ${formatTime(round.at, zone)}, role ${role}: `;
  return alignColumns([[[bold(head), ...(nodes === 0 ? noNodes : outcome(round))]]], { indent: 0, width });
}

const noNodes: Line = [styled('yellow', 'no pool has nodes')];

function outcome({ verdicts, faults }: Round): Line {
  const nodesWith = (wanted: string): Set<string> =>
    new Set(verdicts.filter(({ outcome: it }) => it === wanted).map(({ node }) => node));
  const [go, underway] = [nodesWith('go'), nodesWith('underway')];
  const held = nodesWith('held').difference(go).difference(underway);
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const wrong = errors > 0 ? [styled('red', `, ${count(errors, 'error')} in the input`)] : [];
  if (verdicts.length === 0) return [styled('green', 'no node has a reason to be disrupted'), ...wrong];
  return [
    styled('green', `${go.size} may be disrupted now`),
    plain(`, ${underway.size} under way, `),
    styled('yellow', `${held.size} held`),
    ...wrong,
  ];
}

function renderReports(round: Round, view: RoundView): Line[] {
  const mode = modes(view);
  return [
    ...titled(
      'windows',
      round.windows.map((window) => windowRow(window, view, mode)),
      view,
    ),
    ...titled(
      'health gates',
      (round.gates ?? []).map((gate) => gateRow(gate, view)),
      view,
    ),
    ...titled('pods that restrict when they move', view.all ? round.pods.map((pod) => podRow(pod, view)) : [], view),
    ...titled('faults', bySeverity(round.faults).map(faultRow), view),
  ];
}

function titled(title: string, rows: readonly Line[][], { width }: RoundView): Line[] {
  return rows.length === 0 ? [] : [[bold(title)], ...alignColumns(rows, { indent: 2, width }), emptyLine];
}

function windowRow(
  { kind, name, open, nextChange, selected, holding, author, note }: WindowReport,
  times: TimeView,
  mode: Mode,
): Line[] {
  const change =
    nextChange === undefined ? 'permanently' : `${open ? 'closes' : 'opens'} ${formatMoment(nextChange, times)}`;
  const isBlocking = open && mode(kind, name) !== 'Allow';
  const noun = kind === 'MaintenanceWindow' ? 'node' : 'pod';
  return [
    [plain(name)],
    [plain(verbs[mode(kind, name) ?? 'Block'])],
    [styled(open ? 'green' : 'dim', open ? 'open' : 'closed')],
    [
      plain(
        `${change}; ${count(selected, noun)} selected, ${holding} held${isBlocking ? describeAuthor(author, note) : ''}`,
      ),
    ],
  ];
}

const gateStyles: Readonly<Record<GateReport['state'], Style>> = {
  open: 'green',
  closed: 'red',
  recovering: 'yellow',
  unknown: 'yellow',
};

function gateRow(
  { name, state, message, since, opensAt, selected, holding, note }: GateReport,
  times: TimeView,
): Line[] {
  const from = since === undefined ? '' : ` since ${formatMoment(since, times)}`;
  const opens = opensAt === undefined ? '' : `, opens ${formatMoment(opensAt, times)}`;
  const why = state === 'open' ? '' : `: ${message}${note === undefined ? '' : ` (${note})`}`;
  return [
    [plain(name)],
    [styled(gateStyles[state], state)],
    [plain(`${from}${opens}; ${count(selected, 'node')} selected, ${holding} held${why}`.replace(/^[;,]? /, ''))],
  ];
}

/** `; by ann: release day` */
function describeAuthor(author: string | undefined, note: string | undefined): string {
  const words = [...(author === undefined ? [] : [`by ${author}`]), ...(note === undefined ? [] : [note])];
  return words.length === 0 ? '' : `; ${words.join(': ')}`;
}

const verbs = { Allow: 'allows', Block: 'blocks', Approve: 'asks for approval' } as const;

type Mode = (kind: WindowReport['kind'], name: string) => keyof typeof verbs | undefined;

function modes({ cluster: { windows, podSchedules } }: RoundView): Mode {
  const known = {
    MaintenanceWindow: new Map(windows.map(({ name, mode }) => [name, mode])),
    PodDisruptionSchedule: new Map(podSchedules.map(({ name, mode }) => [name, mode])),
  };
  return (kind, name) => known[kind].get(name);
}

function podRow({ namespace, name, node, movable, movableAt, refusals }: PodReport, times: TimeView): Line[] {
  const codes = refusals.map(({ code }) => code).join(', ');
  const until = movableAt === undefined ? '' : ` until ${formatMoment(movableAt, times)}`;
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
