// One pool as text: its allowances, its domains, the nodes that may be disrupted, and what holds the others.
import type { Command } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Interruption } from '../../engine/interruptions.ts';
import type { Allowance, DomainReport, RateReport, Round, Verdict } from '../../engine/verdict.ts';
import { describeWorth, isReplacedByKarpenter } from '../../engine/why/commandWhy.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import { describeUntil, formatMoment, messageInZone, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, indented, type Line, plain, type Style, styled, wrap } from '../span.ts';
import { eachHeld, groupHeld, type HeldGroup } from './heldGroups.ts';

/** What is printed besides the round itself, and in what form. */
export interface RoundView extends TimeView {
  readonly cluster: Cluster;
  /** How many nodes of each pool count towards percentages (C3). */
  readonly counted: ReadonlyMap<string, number>;
  readonly role: Settings['role'];
  /** Every node with every refusal, instead of groups of nodes that are held alike. */
  readonly all: boolean;
  readonly width: number;
}

/** The parts of a round that concern one pool. */
interface PoolPart {
  readonly pool: string;
  readonly verdicts: readonly Verdict[];
  readonly allowances: readonly Allowance[];
  readonly rates: readonly RateReport[];
  readonly domains: readonly DomainReport[];
  readonly interruptions: readonly Interruption[];
}

/** Grouped once: there may be thousands of pools. A pool that only verdicts name is included. */
export function partsByPool(round: Round): PoolPart[] {
  const ofPools = (round.rates ?? []).filter(({ owner }) => owner.kind === 'NodePool');
  const [verdicts, allowances, rates, domains, interruptions] = [
    Map.groupBy(round.verdicts, ({ pool }) => pool),
    Map.groupBy(round.allowances, ({ pool }) => pool),
    Map.groupBy(ofPools, ({ owner }) => owner.name),
    Map.groupBy(round.domains, ({ pool }) => pool),
    Map.groupBy(round.interruptions ?? [], ({ pool }) => pool),
  ];
  return [...new Set([...allowances.keys(), ...verdicts.keys()])].map((pool) => ({
    pool,
    verdicts: verdicts.get(pool) ?? [],
    allowances: allowances.get(pool) ?? [],
    rates: rates.get(pool) ?? [],
    domains: domains.get(pool) ?? [],
    interruptions: interruptions.get(pool) ?? [],
  }));
}

export function renderPool(part: PoolPart, commands: CommandByNode, view: RoundView): Line[] {
  const { verdicts, domains } = part;
  return [
    ...renderHead(part, view),
    ...renderGoing(verdicts, commands, view),
    ...renderUnderway(part, commands, view),
    ...renderHeld(verdicts, view),
    ...renderDomains(domains, view),
  ];
}

function renderHead({ pool, allowances, rates }: PoolPart, view: RoundView): Line[] {
  const { counted, width } = view;
  const inUse = allowances.find(({ reason }) => reason === 'Drifted')?.consumed ?? 0;
  const size = `${count(counted.get(pool) ?? 0, 'node')}, ${inUse} in use`;
  const name = bold(pool === '' ? '(no pool)' : pool);
  return alignColumns([[[name], [plain(size)], renderAllowances(allowances, view, rates)]], { indent: 0, width });
}

export function commandsByNode(commands: readonly Command[]): CommandByNode {
  return new Map(commands.flatMap((command) => command.nodes.map(({ name }) => [name, command] as const)));
}

type CommandByNode = ReadonlyMap<string, Command>;

function renderGoing(verdicts: readonly Verdict[], commands: CommandByNode, { width }: RoundView): Line[] {
  const going = verdicts.filter(({ outcome }) => outcome === 'go');
  const rows = going.map(({ node, reason }) => [
    [styled('green', node)],
    [plain(reason)],
    [plain(replacing(commands.get(node))), dim(worth(node, commands.get(node)))],
  ]);
  return section('may be disrupted now', alignColumns(rows, { indent: 4, width }));
}

function renderUnderway({ verdicts, interruptions }: PoolPart, commands: CommandByNode, view: RoundView): Line[] {
  const byNode = Map.groupBy(
    verdicts.filter(({ outcome }) => outcome === 'underway'),
    ({ node }) => node,
  );
  const nodes = new Set([...byNode.keys(), ...interruptions.map(({ node }) => node)]);
  const rows = [...nodes].map((node) => {
    const command = commands.get(node);
    const interruption = interruptions.find((it) => it.node === node);
    const reasons = interruption ? ['Interrupted'] : (byNode.get(node) ?? []).map(({ reason }) => reason);
    const why = command ? command.reason : reasons.join(', ');
    const removal = interruption ? `being removed by Karpenter: ${interruption.message}` : 'being removed, not by Lull';
    return [[styled('cyan', node)], [plain(why)], [plain(command ? progress(command, view) : removal)]];
  });
  return section('under way', alignColumns(rows, { indent: 4, width: view.width }));
}

const section = (title: string, lines: readonly Line[]): Line[] =>
  lines.length === 0 ? [] : [[plain('  '), dim(title)], ...lines];

const progress = (command: Command, times: TimeView): string =>
  `${command.step} since ${formatMoment(command.stepAt, times)}; ${replacing(command)}`;

/** `; saves 0.192 an hour, moves 3 pods`; in a group only at its first node. */
function worth(node: string, command: Command | undefined): string {
  const [first, ...others] = command?.nodes ?? [];
  if (!command || !first) return '';
  if (first.name !== node) return `; together with ${first.name}`;
  const figures = describeWorth(command);
  const group = others.length === 0 ? [] : [`together with ${others.length} more`];
  return [...(figures === '' ? [] : [figures]), ...group].map((part) => `; ${part}`).join('');
}

function replacing(command: Command | undefined): string {
  const planned = command?.replacements ?? [];
  if (planned.length === 0)
    return command && isReplacedByKarpenter(command) ? 'Karpenter replaces it' : 'no replacement needed';
  const shapes = planned.map(
    ({ instanceType, name, assumed }) => `${instanceType ?? name}${assumed ? ' (assumed)' : ''}`,
  );
  return `replaced by ${shapes.join(' and ')}`;
}

/** `budget left: Drifted 1 of 2; other reasons 0 of 0 until 2026-11-15 17:00Z (in 3h20m)` */
export function renderAllowances(
  allowances: readonly Allowance[],
  times: TimeView,
  rates: readonly RateReport[] = [],
): Line {
  const groups = [...Map.groupBy(allowances, alike).values()];
  if (groups.length === 0) return [plain('this pool does not exist')];
  // The largest group is printed last, as the other reasons.
  const [rest = []] = groups.toSorted((a, b) => b.length - a.length);
  const ordered = [...groups.filter((group) => group !== rest), rest];
  const restName = groups.length === 1 ? 'any reason' : rest.length === 1 ? (rest[0]?.reason ?? '') : 'other reasons';
  const parts = ordered.flatMap((group, index) => [
    plain(`${index === 0 ? '' : '; '}${group === rest ? restName : group.map(({ reason }) => reason).join(', ')} `),
    ...group.slice(0, 1).flatMap((first) => amount(first, times)),
  ]);
  return [plain('budget left: '), ...parts, ...rates.flatMap((rate) => renderRate(rate, times))];
}

/** `; to begin in any 24h 0 of 5 until 2026-11-15 17:00Z (in 3h20m)` */
const renderRate = ({ per, limit, left, freeAt }: RateReport, times: TimeView): Line => [
  plain(`; to begin in any ${per} `),
  ...amount({ limit, left, nextChange: freeAt }, times),
];

const alike = ({ limit, left, nextChange }: Allowance): string =>
  `${limit} ${left} ${nextChange === undefined ? '' : formatInstant(nextChange)}`;

interface Amount {
  readonly limit?: number | undefined;
  readonly left?: number | undefined;
  readonly nextChange?: Instant | undefined;
}

function amount({ limit, left, nextChange }: Amount, times: TimeView): Line {
  const until = nextChange === undefined ? [] : [plain(` until ${formatMoment(nextChange, times)}`)];
  if (limit === undefined || left === undefined) return [styled('green', 'unlimited'), ...until];
  return [styled(left > 0 ? 'green' : 'yellow', `${left} of ${limit}`), ...until];
}

const styleOf: Readonly<Record<DomainReport['state'], Style>> = {
  turn: 'green',
  settling: 'yellow',
  waiting: 'bold',
  done: 'dim',
};

export function renderDomains(domains: readonly DomainReport[], { width }: Pick<RoundView, 'width'>): Line[] {
  const byKey = Map.groupBy(domains, ({ topologyKey }) => topologyKey);
  return [...byKey].flatMap(([topologyKey, its]) => [
    [plain('  '), dim(`by ${topologyKey}`)],
    ...alignColumns([titles, ...its.map(row)], { indent: 4, width }),
  ]);
}

const titles: Line[] = ['domain', 'state', 'nodes', 'in use', 'limit', 'left'].map((title) => [dim(title)]);

const row = ({ domain, state, counted, consumed, limit, left }: DomainReport): Line[] => [
  [plain(domain ?? '(without the label)')],
  [styled(styleOf[state], state)],
  ...[counted, consumed, limit, left].map((number): Line => [plain(String(number))]),
];

const indent = 6;
/** Names beyond these lines are counted; --all prints them. */
const linesOfNames = 3;
/** In a pipe, where lines have no end, as many names as on lines this wide. */
const widestNames = 100;

function renderHeld(verdicts: readonly Verdict[], view: RoundView): Line[] {
  const held = verdicts.filter((verdict) => verdict.outcome === 'held' && (view.all || !isAlreadyUnderway(verdict)));
  const groups = (view.all ? eachHeld : groupHeld)(held);
  if (groups.length === 0) return [];
  const named = new Set<string>();
  return [[plain('  '), dim('held')], ...groups.flatMap((group) => renderGroup(group, named, view))];
}

/** The node is disrupted for another reason, and listed there. */
const isAlreadyUnderway = ({ refusals }: Verdict): boolean => refusals.every(({ code }) => code === 'AlreadyUnderway');

/** Nodes named before, for another reason, are not named again. */
function renderGroup(group: HeldGroup, named: Set<string>, view: RoundView): Line[] {
  const { reason, nodes, until } = group;
  const { width } = view;
  const [only = ''] = nodes;
  const isNamed = named.has(nodes.join());
  named.add(nodes.join());
  const who = nodes.length === 1 ? only : `${isNamed ? 'the same ' : ''}${count(nodes.length, 'node')}`;
  const head: Line[] = [[bold(reason)], [plain(`${who}  `), styled('yellow', describeUntil(until, view))]];
  return [
    ...alignColumns([head], { indent: 4, width }),
    ...(nodes.length > 1 && !isNamed ? indented(listNames(nodes, width - indent), indent) : []),
    ...alignColumns(reasonsOf(group, view), { indent, width }),
  ];
}

function listNames(names: readonly string[], width: number): Line[] {
  const lines = wrap([plain(names.join(', '))], Math.min(width, widestNames));
  if (lines.length <= linesOfNames) return wrap(lines.flat(), width);
  const shown = lines.slice(0, linesOfNames);
  const printed = shown.flat().filter(({ text }) => text.trimEnd().endsWith(',')).length;
  const more = dim(`and ${names.length - printed} more (--all names them)`);
  return width === Number.POSITIVE_INFINITY ? [[...shown.flat(), more]] : [...shown, [more]];
}

function reasonsOf({ refusals, detail, podsAgreeAt, until }: HeldGroup, times: TimeView): Line[][] {
  const rows: Line[][] = refusals.map(({ code, message, others }) => [
    [plain(code)],
    [plain(messageInZone(`${message}${others > 0 ? `, and ${others} more like it` : ''}`, times.zone))],
  ]);
  if (typeof until === 'object' && 'never' in until)
    for (const { message } of until.never)
      rows.push([[styled('yellow', 'never permits')], [plain(messageInZone(message, times.zone))]]);
  if (podsAgreeAt !== undefined) rows.push([[dim('pods permit')], [dim(formatMoment(podsAgreeAt, times))]]);
  if (detail !== undefined) rows.push([[dim('drift')], [dim(detail)]]);
  return rows;
}
