// `lull replay`: decides a recording again and compares (J4), or shows what another policy would have done.
import type { Settings } from '../../cluster/settings.ts';
import type { Json } from '../../kinds/read/reader.ts';
import { writeYaml } from '../../kinds/text/writeYaml.ts';
import { decideAgain, type Replay, type RoundMismatch } from '../../recording/replay.ts';
import { askWhatIf, type NodeDifference, type WhatIf } from '../../recording/whatIf.ts';
import { asDuration, between, formatExactly, formatInstant, type Instant } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import { roundAsJson } from '../decide/roundJson.ts';
import { ExitWithFindings, wrongUsage } from '../failure.ts';
import {
  describeUntil,
  formatLength,
  formatTime,
  messageInZone,
  type TimeView,
  timeAsJson,
  untilAsJson,
} from '../formatTime.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { type RecordingFlags, readingRecording, recordedPolicy, settingsOver } from '../recordingInput.ts';
import { readSources, type SourceText } from '../sources.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, type Style, styled } from '../span.ts';

export async function replay(flags: RecordingFlags & ZoneFlags, io: Io): Promise<void> {
  const [source] = await readSources([flags.recording], io);
  if (!source) throw wrongUsage('Name the file of one recording.');
  if (flags.with || flags.set) await printWhatIf(source, flags, io);
  else await printReplay(source, flags.output, io);
}

async function printReplay(source: SourceText, form: OutputFormat, io: Io): Promise<void> {
  const outcome = readingRecording(source, () => decideAgain(source.text, roundAsJson));
  await printAnswer(io, form, {
    value: () => ({ ...outcome, ...instants(outcome), differs: differsAsJson(outcome.differs) }),
    lines: () => renderReplay(outcome, io.width),
  });
  if (outcome.differs) throw new ExitWithFindings();
}

const instants = ({ from, to }: { readonly from?: Instant; readonly to?: Instant }) => ({
  from: timeAsJson(from),
  to: timeAsJson(to),
});

const differsAsJson = (differs: RoundMismatch | undefined): unknown =>
  differs && { ...differs, at: formatExactly(differs.at) };

async function printWhatIf(source: SourceText, flags: RecordingFlags & ZoneFlags, io: Io): Promise<void> {
  const objects = await recordedPolicy(flags, io);
  const settings = (recorded: Json): Settings => settingsOver(recorded, flags.set ?? []);
  const outcome = readingRecording(source, () => askWhatIf(source.text, { objects, settings }));
  const zone = outputZone(flags, io);
  await printAnswer(io, flags.output, {
    value: () => whatIfAsJson(outcome),
    lines: () => [...renderWhatIf(outcome, { width: io.width, zone }), ...zoneLines(zone)],
  });
}

function whatIfAsJson(outcome: WhatIf): unknown {
  const choice = (it: { readonly at: Instant; readonly reason: string } | undefined): unknown =>
    it && { ...it, at: formatInstant(it.at) };
  return {
    ...outcome,
    ...instants(outcome),
    differences: outcome.differences.map(({ recorded, instead, heldBy, ...rest }) => ({
      ...rest,
      recorded: choice(recorded),
      instead: choice(instead),
      heldBy: heldBy && { ...heldBy, ...untilAsJson(heldBy.until) },
    })),
  };
}

function renderReplay({ rounds, from, to, differs }: Replay, width: number): Line[] {
  if (differs) return renderDiffering(differs, rounds, width);
  const length = from === undefined || to === undefined ? '' : ` over ${formatLength(between(from, to))}`;
  return [[styled('green', `${count(rounds, 'round')}${length}, decided again: the same, byte for byte`)]];
}

/** Lines of a diff that are printed; -o json has all. */
const mostLines = 60;
const contextLines = 3;

function renderDiffering({ line, at, recorded, decided }: RoundMismatch, rounds: number, width: number): Line[] {
  const head = `round ${rounds}, at ${formatExactly(at)} (line ${line} of the recording), is decided differently`;
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
  const lines = withContext(diffLines(textOf(recorded[key]), textOf(decided[key])), contextLines);
  return lines.map(({ sign, text }) => [styled(styleOf[sign], `  ${sign} ${text}`)]);
}

const changes: readonly NodeDifference['change'][] = ['earlier', 'later', 'not', 'new'];

const titles: Readonly<Record<NodeDifference['change'], readonly [title: string, style: Style]>> = {
  earlier: ['disrupted earlier', 'green'],
  later: ['disrupted later', 'yellow'],
  not: ['not disrupted', 'red'],
  new: ['disrupted, unlike in the recording', 'cyan'],
};

interface WhatIfView {
  readonly width: number;
  readonly zone: Zone;
}

function renderWhatIf({ from, to, rounds, same, differences }: WhatIf, view: WhatIfView): Line[] {
  const { width } = view;
  const groups = Map.groupBy(differences, ({ change }) => change);
  const counts = [...groups].map(([change, its]) => `${its.length} ${titles[change][0]}`);
  const rest = `${count(same, 'node')} at the same time as recorded`;
  const head = `${count(rounds, 'round')} over ${formatLength(between(from, to))}, with the other policy: `;
  return [
    ...alignColumns([[[bold(head), plain([...counts, rest].join(', '))]]], { indent: 0, width }),
    ...changes.flatMap((change) => renderGroup(change, groups.get(change) ?? [], view)),
    emptyLine,
    ...alignColumns([[[dim(caveat)]]], { indent: 0, width }),
  ];
}

const caveat =
  'Pods, PodDisruptionBudgets and load are as recorded. A node that is disrupted at another time is assumed to take as long as nodes took in the recording.';

function renderGroup(
  change: NodeDifference['change'],
  its: readonly NodeDifference[],
  { width, zone }: WhatIfView,
): Line[] {
  if (its.length === 0) return [];
  const [title, style] = titles[change];
  const rows = its.map(({ node, pool, recorded, instead, heldBy }): Line[] => [
    [styled(style, node)],
    [dim(pool)],
    [
      plain(
        [
          describeChange(recorded, instead, zone),
          ...(heldBy && recorded ? [describeHold(heldBy, { now: recorded.at, zone })] : []),
        ].join('; '),
      ),
    ],
  ]);
  return [emptyLine, [bold(title)], ...alignColumns(rows, { indent: 2, width })];
}

function describeChange(recorded: NodeDifference['recorded'], instead: NodeDifference['instead'], zone: Zone): string {
  if (recorded && instead) {
    const length = asDuration(Math.abs(between(recorded.at, instead.at)));
    const reasons = recorded.reason === instead.reason ? recorded.reason : `${recorded.reason}, now ${instead.reason}`;
    const word = instead.at < recorded.at ? 'earlier' : 'later';
    return `${reasons}: ${formatTime(recorded.at, zone)}, now ${formatTime(instead.at, zone)} (${formatLength(length)} ${word})`;
  }
  if (recorded) return `${recorded.reason}: was disrupted ${formatTime(recorded.at, zone)}`;
  return instead ? `${instead.reason}: now ${formatTime(instead.at, zone)}` : '';
}

const describeHold = ({ code, message, until }: NonNullable<NodeDifference['heldBy']>, times: TimeView): string =>
  `held ${describeUntil(until, times)} (${code}: ${messageInZone(message, times.zone)})`;

interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Beyond this many comparisons, the differing middle is shown as replaced as a whole. */
const mostComparisons = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const middle = linesBetween(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ sign: ' ', text }));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

function linesBetween(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  if (before.length * after.length > mostComparisons) return [...before.map(removed), ...after.map(added)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i] ?? '', after[j] ?? ''];
    if (i < before.length && j < after.length && left === right) {
      lines.push({ sign: ' ', text: left });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common(i + 1, j) >= common(i, j + 1))) {
      lines.push(removed(left));
      i++;
    } else {
      lines.push(added(right));
      j++;
    }
  }
  return lines;
}

/** The length of the longest common subsequence, from line i and line j on. */
function commonLengths(before: readonly string[], after: readonly string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** The changes with lines of context around them; a gap between two becomes one line `…`. */
export function withContext(lines: readonly DiffLine[], context: number): DiffLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    for (let near = Math.max(0, index - context); near <= Math.min(lines.length - 1, index + context); near++)
      isNear[near] = true;
  });
  return lines.flatMap((line, index): DiffLine[] => {
    if (isNear[index]) return [line];
    const isFirst = index > 0 && isNear[index - 1] === true;
    return isFirst && isNear.includes(true, index) ? [{ sign: ' ', text: '…' }] : [];
  });
}
