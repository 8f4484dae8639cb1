// What happens in one pool? What may go now, what is under way, what is held, by what and until when.
import type { Command } from '../cluster/ledger.ts';
import type { Allowance, DomainReport, Round, Verdict } from '../engine/verdict.ts';
import { isReplacedByKarpenter } from '../engine/why/commandWhy.ts';
import { sayWorth } from '../engine/why/savingsWords.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { renderAllowances } from './renderAllowances.ts';
import { renderDomains } from './renderDomains.ts';
import { renderHeld } from './renderHeld.ts';
import { count, type Scene } from './scene.ts';
import { bold, dim, type Line, plain, styled } from './span.ts';

/** What a round says of one pool. */
export interface PoolPart {
  readonly pool: string;
  readonly verdicts: readonly Verdict[];
  readonly allowances: readonly Allowance[];
  readonly domains: readonly DomainReport[];
}

/** The parts of all pools, each looked for once: there may be thousands. Those with a verdict but no pool are told as well. */
export function partsByPool(round: Round): PoolPart[] {
  const [verdicts, allowances, domains] = [
    Map.groupBy(round.verdicts, ({ pool }) => pool),
    Map.groupBy(round.allowances, ({ pool }) => pool),
    Map.groupBy(round.domains, ({ pool }) => pool),
  ];
  return [...new Set([...allowances.keys(), ...verdicts.keys()])].map((pool) => ({
    pool,
    verdicts: verdicts.get(pool) ?? [],
    allowances: allowances.get(pool) ?? [],
    domains: domains.get(pool) ?? [],
  }));
}

export function renderPool(part: PoolPart, round: RoundParts, scene: Scene): Line[] {
  const { verdicts, domains } = part;
  return [
    ...renderHead(part, round.at, scene),
    ...renderGoing(verdicts, round.commands, scene),
    ...renderUnderway(verdicts, round.commands, { now: round.at, scene }),
    ...renderHeld(verdicts, round, scene),
    ...renderDomains(domains, scene),
  ];
}

function renderHead({ pool, allowances }: PoolPart, now: Instant, { counted, width }: Scene): Line[] {
  const inUse = allowances.find(({ reason }) => reason === 'Drifted')?.consumed ?? 0;
  const size = `${count(counted.get(pool) ?? 0, 'node')}, ${inUse} in use`;
  const name = bold(pool === '' ? '(no pool)' : pool);
  return alignColumns([[[name], [plain(size)], renderAllowances(allowances, now)]], { indent: 0, width });
}

/** What all pools share. */
export interface RoundParts {
  readonly at: Instant;
  readonly commands: Commands;
}

export function commandsByNode(commands: readonly Command[]): Commands {
  return new Map(commands.flatMap((command) => command.nodes.map(({ name }) => [name, command] as const)));
}

type Commands = ReadonlyMap<string, Command>;

function renderGoing(verdicts: readonly Verdict[], commands: Commands, { width }: Scene): Line[] {
  const going = verdicts.filter(({ outcome }) => outcome === 'go');
  const rows = going.map(({ node, reason }) => [
    [styled('green', node)],
    [plain(reason)],
    [plain(replacing(commands.get(node))), dim(worth(node, commands.get(node)))],
  ]);
  return section('may go now', alignColumns(rows, { indent: 4, width }));
}

function renderUnderway(
  verdicts: readonly Verdict[],
  commands: Commands,
  { now, scene }: { now: Instant; scene: Scene },
): Line[] {
  const byNode = Map.groupBy(
    verdicts.filter(({ outcome }) => outcome === 'underway'),
    ({ node }) => node,
  );
  const rows = [...byNode].map(([node, its]) => {
    const command = commands.get(node);
    const reasons = its.map(({ reason }) => reason);
    const why = command ? command.reason : reasons.join(', ');
    return [
      [styled('cyan', node)],
      [plain(why)],
      [plain(command ? progress(command, now) : 'on its way out, not by Lull')],
    ];
  });
  return section('under way', alignColumns(rows, { indent: 4, width: scene.width }));
}

const section = (title: string, lines: readonly Line[]): Line[] =>
  lines.length === 0 ? [] : [[plain('  '), dim(title)], ...lines];

const progress = (command: Command, now: Instant): string =>
  `${command.step} since ${sayMoment(command.stepAt, now)}; ${replacing(command)}`;

/** `; saves 0.192 an hour, moves 3 pods`: of a group it stands once, at the first of its nodes. */
function worth(node: string, command: Command | undefined): string {
  const [first, ...others] = command?.nodes ?? [];
  if (!command || !first) return '';
  if (first.name !== node) return `; together with ${first.name}`;
  const figures = sayWorth(command);
  const group = others.length === 0 ? [] : [`together with ${others.length} more`];
  return [...(figures === '' ? [] : [figures]), ...group].map((part) => `; ${part}`).join('');
}

function replacing(command: Command | undefined): string {
  const planned = command?.replacements ?? [];
  if (planned.length === 0)
    return command && isReplacedByKarpenter(command) ? 'Karpenter sees to its replacement' : 'no replacement needed';
  const shapes = planned.map(
    ({ instanceType, name, assumed }) => `${instanceType ?? name}${assumed ? ' (assumed)' : ''}`,
  );
  return `replaced by ${shapes.join(' and ')}`;
}
