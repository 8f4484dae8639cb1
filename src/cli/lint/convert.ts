// `lull convert`: rewrites older spellings in the current form and reports each change.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ConvertedText, convertText } from '../../kinds/convert/convertText.ts';
import { unwritableLine } from '../../kinds/text/escaping.ts';
import { Failure, formatProblem, messageOf, wrongUsage } from '../failure.ts';
import type { Io } from '../io.ts';
import { readSources, type SourceText } from '../sources.ts';
import { writeSources } from './lintFix.ts';

interface ConvertFlags {
  readonly file?: readonly string[];
  readonly write?: boolean;
  readonly output?: string;
}

interface ConvertedFile extends ConvertedText {
  readonly file: string;
  readonly changed: boolean;
}

export async function convert(flags: ConvertFlags, io: Io): Promise<void> {
  if (!flags.file) throw wrongUsage('Nothing to convert: name files with -f, or use -f - for stdin.');
  const json = flags.output === 'json';
  const folder = json ? undefined : flags.output;
  if (flags.write && folder !== undefined)
    throw wrongUsage('--write and -o cannot be combined: write files in place or to a folder.');
  const sources = await readSources(flags.file, io);
  const results = convertAll(sources);
  if (!json && !flags.write && folder === undefined) refuseUnwritable(results);
  if (flags.write) writeInPlace(sources, results);
  if (folder !== undefined) writeTo(folder, results);
  if (json) io.stdout(asJson(results, !flags.write), 'json');
  else for (const result of results) io.stderr(asText(result));
  if (!json && !flags.write && folder === undefined) io.stdout(joined(results), 'file');
}

/** Refuses to print text that would have to be escaped: the output would differ from the file. */
function refuseUnwritable(results: readonly ConvertedFile[]): void {
  const problems = results.flatMap(({ file, text }) => {
    const line = unwritableLine(text);
    const message =
      'this line has control characters that a terminal or CI system would interpret, so it is not printed. Write files with -o FOLDER or --write, or print JSON with -o json.';
    return line === undefined ? [] : [{ file, line, message }];
  });
  if (problems.length > 0) throw new Failure(problems);
}

/** All or nothing (K1): if one text cannot be parsed, none is written. */
function convertAll(sources: readonly SourceText[]): ConvertedFile[] {
  const results: ConvertedFile[] = [];
  const errors = sources.flatMap(({ file, text }) => {
    const converted = convertText(text, file);
    if ('errors' in converted) return converted.errors;
    results.push({ file, changed: converted.text !== text, ...converted });
    return [];
  });
  if (errors.length > 0) throw new Failure(errors);
  return results;
}

function writeInPlace(sources: readonly SourceText[], results: readonly ConvertedFile[]): void {
  for (const { file } of results.filter(({ changed }) => changed)) {
    if (file === '<stdin>') throw wrongUsage('--write cannot write stdin in place. Remove --write.');
    if (file.endsWith('.gz'))
      throw wrongUsage(`${file} is compressed and cannot be written in place. Name a folder with -o.`);
  }
  orFail('', () => writeSources(sources, results));
}

/** Writes every file, changed or not, so that the folder is complete. */
function writeTo(folder: string, results: readonly ConvertedFile[]): void {
  const names = results.map(({ file }) => (file === '<stdin>' ? 'stdin.yaml' : basename(file).replace(/\.gz$/, '')));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw wrongUsage(`Two files are named ${twice}. Convert them into separate folders.`);
  orFail(folder, () => mkdirSync(folder, { recursive: true }));
  for (const [i, { text }] of results.entries()) {
    const file = join(folder, names[i] ?? '');
    orFail(file, () => writeFileSync(file, text));
  }
}

/** Reports a full or read-only disk as a failure of the command, not as an internal error. */
function orFail(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure([{ ...(file && { file }), message: `Cannot write: ${messageOf(error)}.` }]);
  }
}

/** One stream of documents, as kubectl reads it. */
function joined(results: readonly ConvertedFile[]): string {
  return results
    .map(({ text }, i) => {
      const separator = i > 0 && !text.startsWith('---') ? '---\n' : '';
      const end = i < results.length - 1 && !text.endsWith('\n') ? '\n' : '';
      return separator + text + end;
    })
    .join('');
}

function asText({ file, notes }: ConvertedFile): string {
  return notes
    .map(({ line, object, path, change, behaviour, karpenter }) => {
      const more = [behaviour && `  behaviour: ${behaviour}.\n`, karpenter && `  Karpenter: ${karpenter}.\n`];
      const message = change.endsWith('.') ? change : `${change}.`;
      return `${formatProblem({ file, line, object, path, message })}\n${more.filter(Boolean).join('')}`;
    })
    .join('');
}

function asJson(results: readonly ConvertedFile[], withText: boolean): string {
  const files = results.map(({ file, text, changed, notes }) => ({
    file,
    ...(changed && withText && { text }),
    notes,
  }));
  return `${JSON.stringify({ files }, null, 2)}\n`;
}
