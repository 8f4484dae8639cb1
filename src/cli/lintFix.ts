// Which findings can be put right for certain, and what do the files say then?
import { readFileSync, writeFileSync } from 'node:fs';
import { applyEdits } from '../kinds/edit.ts';
import { nameOfObject } from '../kinds/metadata.ts';
import type { PlacedFinding } from '../lint/lint.ts';
import type { Edit } from '../lint/rule.ts';
import { Failure } from './failure.ts';
import { type Report, reportOn } from './lintReport.ts';
import type { Source } from './sources.ts';

export interface Fixed {
  /** On the texts as they are now. */
  readonly report: Report;
  readonly fixed: readonly PlacedFinding[];
}

/** A fix may bring another to light: a kind under its right name has fields of older names. */
const mostRounds = 10;

/** In memory; applied again to its own result, it changes nothing. */
export function fixSources(before: Report): Fixed {
  let report = before;
  const fixed: PlacedFinding[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const edited = report.sources.map((source, index) => fixSource(source, index, report));
    fixed.push(...edited.flatMap(({ done }) => done));
    if (edited.every(({ source }, index) => source.text === report.sources[index]?.text)) break;
    report = reportOn(
      edited.map(({ source }) => source),
      report.settings,
      report.now,
    );
  }
  return { report, fixed };
}

function fixSource(source: Source, place: number, report: Report): { source: Source; done: readonly PlacedFinding[] } {
  if (!isWritable(source)) return { source, done: [] };
  const groups = fixesIn(place, report);
  const { text, errors } = applyEdits(source.text, groups);
  const failed = new Set(errors.map(({ group }) => group));
  const done = groups.filter((_, group) => !failed.has(group)).map(({ finding }) => finding);
  return text === source.text ? { source, done: [] } : { source: { ...source, text }, done };
}

interface Fix {
  readonly finding: PlacedFinding;
  /** The place of its document in the text. */
  readonly index: number;
  readonly edits: readonly Edit[];
}

/** The last document of an object is the one that counts, and that findings are about. */
function fixesIn(place: number, { sources, documents, findings }: Report): Fix[] {
  const file = sources[place]?.file;
  const names = (documents[place] ?? []).map(({ object }) => nameOfObject(object));
  return findings.flatMap((finding) => {
    const index = finding.position?.file === file ? names.lastIndexOf(finding.object) : -1;
    return finding.fix && index >= 0 ? [{ finding, index, edits: finding.fix }] : [];
  });
}

const isWritable = ({ file }: Source): boolean => file !== '<stdin>' && !file.endsWith('.gz');

/** Only what has changed. A file in another encoding than UTF-8 is left alone. */
export function writeSources(before: readonly Source[], after: readonly Source[]): void {
  const changed = after.filter(({ text }, index) => text !== before[index]?.text);
  for (const { file, text } of changed) {
    const bytes = readFileSync(file);
    const mark = bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0);
    const known = before.find((source) => source.file === file)?.text ?? '';
    if (!Buffer.concat([mark, Buffer.from(known)]).equals(bytes))
      throw new Failure([
        { file, message: 'This is no text in UTF-8, or it has changed meanwhile. It was not fixed.' },
      ]);
    writeFileSync(file, Buffer.concat([mark, Buffer.from(text)]));
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
