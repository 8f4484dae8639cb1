// Applies the fixes of findings to the texts of the files, and writes the changed files.
import { readFileSync, writeFileSync } from 'node:fs';
import { applyEdits } from '../../kinds/edit/applyEdits.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import type { Edit } from '../../lint/rule.ts';
import type { PlacedFinding } from '../../lint/runRules.ts';
import { Failure } from '../failure.ts';
import type { SourceText } from '../sources.ts';
import { type Report, reportOn } from './lintForms.ts';

export interface FixResult {
  /** The report on the fixed texts. */
  readonly report: Report;
  readonly fixed: readonly PlacedFinding[];
}

/** One fix may reveal another: under its right kind, an object may have fields with older names. */
const mostRounds = 10;

/** Works in memory, until nothing changes any more. */
export function fixSources(before: Report): FixResult {
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

function fixSource(
  source: SourceText,
  index: number,
  report: Report,
): { source: SourceText; done: readonly PlacedFinding[] } {
  if (!isWritable(source)) return { source, done: [] };
  const groups = fixesIn(index, report);
  const { text, errors } = applyEdits(source.text, groups);
  const failed = new Set(errors.map(({ group }) => group));
  const done = groups.filter((_, group) => !failed.has(group)).map(({ finding }) => finding);
  return text === source.text ? { source, done: [] } : { source: { ...source, text }, done };
}

interface Fix {
  readonly finding: PlacedFinding;
  /** The index of its document in the text. */
  readonly index: number;
  readonly edits: readonly Edit[];
}

/** If an object is defined several times, only the last document is used, and findings are about it. */
function fixesIn(index: number, { sources, documents, findings }: Report): Fix[] {
  const file = sources[index]?.file;
  const names = (documents[index] ?? []).map(({ object }) => nameOfObject(object));
  return findings.flatMap((finding) => {
    const index = finding.position?.file === file ? names.lastIndexOf(finding.object) : -1;
    return finding.fix && index >= 0 ? [{ finding, index, edits: finding.fix }] : [];
  });
}

const isWritable = ({ file }: SourceText): boolean => file !== '<stdin>' && !file.endsWith('.gz');

/** Writes only changed files, and none that is not UTF-8. */
export function writeSources(before: readonly SourceText[], after: readonly SourceText[]): void {
  const changed = after.filter(({ text }, index) => text !== before[index]?.text);
  for (const { file, text } of changed) {
    const bytes = readFileSync(file);
    const mark = bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0);
    const known = before.find((source) => source.file === file)?.text ?? '';
    if (!Buffer.concat([mark, Buffer.from(known)]).equals(bytes))
      throw new Failure([
        { file, message: 'The file is not UTF-8 text, or it was changed in the meantime. It was not written.' },
      ]);
    writeFileSync(file, Buffer.concat([mark, Buffer.from(text)]));
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
