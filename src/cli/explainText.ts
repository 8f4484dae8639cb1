// How is an explanation told to a person? A block for each pool with its hours as a strip; then windows, pods and what holds everywhere.
import type { Fault } from '../cluster/fault.ts';
import { sayZone } from '../lint/words/clockWords.ts';
import type { Named, PolicyWords } from '../lint/words/policyWords.ts';
import type { PoolWords } from '../lint/words/poolWords.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns, indented, wrap } from './columns.ts';
import { renderStrips } from './explainStrip.ts';
import { sayUtc } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export interface Sheet {
  readonly now: Instant;
  readonly width: number;
}

export function renderExplanation(words: PolicyWords, sheet: Sheet): Line[] {
  const blocks = [
    ...words.pools.map((pool) => renderPool(pool, sheet)),
    renderNamed('windows', words.windows, sheet),
    renderNamed('pod schedules', words.podSchedules, sheet),
    renderList(
      'pods',
      words.pods.map(({ sentence }) => sentence),
      sheet,
    ),
    renderFaults(words.faults, sheet),
    renderList('everywhere', words.everywhere, sheet),
  ].filter((block) => block.length > 0);
  if (blocks.length === 0)
    return [[plain('There is no policy in these objects: no pool, no window, no pod that says anything.')]];
  return [[dim(`as of ${sayUtc(sheet.now)}`)], ...blocks.flatMap((block) => [emptyLine, ...block])];
}

function renderPool(pool: PoolWords, { now, width }: Sheet): Line[] {
  const { name, zone, size, standing, groups, notes } = pool;
  if (standing !== undefined) return renderSentence(`pool ${name}`, standing, width);
  const hours = groups.some(({ week }) => week.length > 1) ? `, hours in ${sayZone(zone)}` : '';
  const told = `${size.counted === 0 ? 'no nodes given' : count(size.counted, 'node')}${hours}`;
  return [
    [plain('pool '), bold(name), dim(`  ${told}`)],
    ...groups.flatMap(({ subject, text }) => indented(renderSentence(subject, text, width - 2), 2)),
    ...bullets(notes, width),
    ...renderStrips(pool, now, width),
  ];
}

function renderSentence(subject: string, text: string, width: number): Line[] {
  const [first = [], ...others] = wrap([bold(`${subject}:`), plain(` ${text}`)], width - 2);
  return [first, ...indented(others, 2)];
}

const bullets = (sentences: readonly string[], width: number): Line[] =>
  alignColumns(
    sentences.map((sentence): Line[] => [[dim('-')], [plain(sentence)]]),
    { indent: 2, width },
  );

function renderNamed(title: string, its: readonly Named[], { width }: Sheet): Line[] {
  const rows = its.map(({ name, text }): Line[] => [[bold(name)], [plain(text)]]);
  return rows.length === 0 ? [] : [[bold(title)], ...alignColumns(rows, { indent: 2, width })];
}

const renderList = (title: string, sentences: readonly string[], { width }: Sheet): Line[] =>
  sentences.length === 0 ? [] : [[bold(title)], ...bullets(sentences, width)];

/** What was not read as it was written; the rest is for `lull lint`. */
function renderFaults(faults: readonly Fault[], { width }: Sheet): Line[] {
  const rows = faults.map(({ object, path, message, severity }): Line[] => [
    [styled(severity === 'error' ? 'red' : 'yellow', severity)],
    [bold(`${object} ${path}`), plain(`: ${message}`)],
  ]);
  return rows.length === 0 ? [] : [[bold('not read as written')], ...alignColumns(rows, { indent: 2, width })];
}
