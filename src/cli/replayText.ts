// How is a replay told to a person? That all came out the same, or the first difference; and what another policy would have done.
import type { Json } from '../kinds/reader.ts';
import { writeYaml } from '../kinds/writeYaml.ts';
import type { Differing, Replay } from '../recording/decideAgain.ts';
import type { Difference, WhatIf } from '../recording/whatIf.ts';
import { asDuration, between, formatExactly, type Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { type DiffLine, diffLines, withContext } from './lineDiff.ts';
import { sayLength, sayUtc } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, type Style, styled } from './span.ts';
import { sayUntil } from './until.ts';

export function renderReplay({ rounds, from, to, differs }: Replay, width: number): Line[] {
  if (differs) return renderDiffering(differs, rounds, width);
  const length = from === undefined || to === undefined ? '' : ` over ${sayLength(between(from, to))}`;
  return [[styled('green', `${count(rounds, 'round')}${length}, decided again: the same, byte for byte`)]];
}

/** Enough to see what is other; the rest follows from it. */
const mostLines = 60;
const around = 3;

function renderDiffering({ line, at, recorded, decided }: Differing, rounds: number, width: number): Line[] {
  const head = `round ${rounds}, at ${formatExactly(at)} (line ${line}), is decided otherwise`;
  const parts = [...new Set([...Object.keys(recorded), ...Object.keys(decided)])].filter(
    (key) => JSON.stringify(recorded[key]) !== JSON.stringify(decided[key]),
  );
  const lines = parts.flatMap((key) => [[bold(key)], ...renderDiff(recorded, decided, key)]);
  const cut = lines.length > mostLines ? [[dim(`and ${lines.length - mostLines} more lines (-o json has all)`)]] : [];
  const legend: Line = [styled('red', '- recorded'), plain('  '), styled('green', '+ decided now')];
  return [
    ...alignColumns([[[styled('red', head)]]], { indent: 0, width }),
    legend,
    emptyLine,
    ...lines.slice(0, mostLines),
    ...cut,
  ];
}

const styleOf: Readonly<Record<DiffLine['sign'], Style>> = { ' ': 'dim', '-': 'red', '+': 'green' };

function renderDiff(recorded: Json, decided: Json, key: string): Line[] {
  const textOf = (value: unknown): string[] => (value === undefined ? [] : writeYaml(value).trimEnd().split('\n'));
  const lines = withContext(diffLines(textOf(recorded[key]), textOf(decided[key])), around);
  return lines.map(({ sign, text }) => [styled(styleOf[sign], `  ${sign} ${text}`)]);
}

const words: Readonly<Record<Difference['change'], readonly [head: string, style: Style]>> = {
  earlier: ['would have gone earlier', 'green'],
  later: ['would have gone later', 'yellow'],
  not: ['would not have gone', 'red'],
  new: ['would have gone, and did not', 'cyan'],
};

export function renderWhatIf({ from, to, rounds, same, differences }: WhatIf, width: number): Line[] {
  const groups = Map.groupBy(differences, ({ change }) => change);
  const counts = [...groups].map(([change, its]) => `${its.length} ${words[change][0]}`);
  const rest = `${count(same, 'node')} would have gone just when ${same === 1 ? 'it' : 'they'} did`;
  const head = `${count(rounds, 'round')} over ${sayLength(between(from, to))}, by the other policy: `;
  return [
    ...alignColumns([[[bold(head), plain([...counts, rest].join(', '))]]], { indent: 0, width }),
    ...(Object.keys(words) as Difference['change'][]).flatMap((change) =>
      renderGroup(change, groups.get(change) ?? [], width),
    ),
    emptyLine,
    ...alignColumns([[[dim(caveat)]]], { indent: 0, width }),
  ];
}

/** What is true of it and what is assumed. */
const caveat =
  'Pods, PodDisruptionBudgets and load are as recorded; a node that goes at another time takes as long as they usually did.';

function renderGroup(change: Difference['change'], its: readonly Difference[], width: number): Line[] {
  if (its.length === 0) return [];
  const [head, style] = words[change];
  const rows = its.map(({ node, pool, recorded, instead, heldBy }): Line[] => [
    [styled(style, node)],
    [dim(pool)],
    [plain([sayChange(recorded, instead), ...(heldBy && recorded ? [sayWhy(heldBy, recorded.at)] : [])].join('; '))],
  ]);
  return [emptyLine, [bold(head)], ...alignColumns(rows, { indent: 2, width })];
}

function sayChange(recorded: Difference['recorded'], instead: Difference['instead']): string {
  if (recorded && instead) {
    const length = asDuration(Math.abs(between(recorded.at, instead.at)));
    const reasons = recorded.reason === instead.reason ? recorded.reason : `${recorded.reason}, now ${instead.reason}`;
    const word = instead.at < recorded.at ? 'earlier' : 'later';
    return `${reasons}: ${sayUtc(recorded.at)}, now ${sayUtc(instead.at)} (${sayLength(length)} ${word})`;
  }
  if (recorded) return `${recorded.reason}: went ${sayUtc(recorded.at)}`;
  return instead ? `${instead.reason}: now ${sayUtc(instead.at)}` : '';
}

const sayWhy = ({ code, message, until }: NonNullable<Difference['heldBy']>, at: Instant): string =>
  `${code}: ${message}, ${sayUntil(until, at)}`;
