// `lull convert`: how is a policy of the older documents written today? Changes nothing but what it names.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { type Converted, convertText } from '../kinds/convert.ts';
import { unwritableLine } from '../kinds/escaping.ts';
import { Failure, formatProblem, wrongUsage } from './failure.ts';
import { filesArgument, listFlag, withFiles } from './flags.ts';
import type { Io } from './io.ts';
import { writeSources } from './lintFix.ts';
import { readSources, type Source } from './sources.ts';

interface Flags {
  readonly file?: readonly string[];
  readonly write?: boolean;
  readonly output?: string;
}

const examples = `
Examples:
  # to stdout; what changed, and what that changes, to stderr
  $ lull convert -f provisioner.yaml > nodepool.yaml

  # in place, a whole folder
  $ lull convert -f policies/ --write

  # beside the originals, or for a program to read
  $ lull convert -f policies/ -o converted/
  $ lull convert -f nodepool.yaml -o json
`;

export function addConvert(program: Command, io: Io): void {
  program
    .command('convert')
    .summary('write the older spellings of a policy as they are written today')
    .description(
      'Writes older spellings as they are written today: Provisioners, v1beta1, crontab, maxUnavailable, blocks per reason, do-not-evict.\nComments and everything else stay as they are. Each change is told on stderr, with what it changes in behaviour.',
    )
    .addArgument(filesArgument())
    .option('-f, --file <path>', 'objects in YAML or JSON; - for stdin, or a folder; repeatable', listFlag)
    .option('--write', 'write the files in place')
    .option(
      '-o, --output <where>',
      'a folder to write to, or json for texts and notes as JSON (default: the texts to stdout)',
    )
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => convert(withFiles(files, flags), io));
}

interface Result extends Converted {
  readonly file: string;
  readonly changed: boolean;
}

async function convert(flags: Flags, io: Io): Promise<void> {
  if (!flags.file) throw wrongUsage('There is nothing to convert. Name files with -f, or -f - for stdin.');
  const json = flags.output === 'json';
  const folder = json ? undefined : flags.output;
  if (flags.write && folder !== undefined)
    throw wrongUsage('Files are written in place or to a folder. Give --write or -o, not both.');
  const sources = await readSources(flags.file, io);
  const results = convertAll(sources);
  if (!json && !flags.write && folder === undefined) refuseUnwritable(results);
  if (flags.write) writeInPlace(sources, results);
  if (folder !== undefined) writeTo(folder, results);
  if (json) io.stdout(asJson(results, !flags.write), 'json');
  else for (const result of results) io.stderr(asText(result));
  if (!json && !flags.write && folder === undefined) io.stdout(joined(results), 'file');
}

/** A text that would be escaped is another text: it is not printed at all. */
function refuseUnwritable(results: readonly Result[]): void {
  const problems = results.flatMap(({ file, text }) => {
    const line = unwritableLine(text);
    const message =
      'this line has characters that a terminal or a CI system would obey, and is not printed. Write files with -o FOLDER or --write, or print JSON with -o json.';
    return line === undefined ? [] : [{ file, line, message }];
  });
  if (problems.length > 0) throw new Failure(problems);
}

/** All or nothing (K1): where one text cannot be read, none is written. */
function convertAll(sources: readonly Source[]): Result[] {
  const results: Result[] = [];
  const errors = sources.flatMap(({ file, text }) => {
    const converted = convertText(text, file);
    if ('errors' in converted) return converted.errors;
    results.push({ file, changed: converted.text !== text, ...converted });
    return [];
  });
  if (errors.length > 0) throw new Failure(errors);
  return results;
}

function writeInPlace(sources: readonly Source[], results: readonly Result[]): void {
  for (const { file } of results.filter(({ changed }) => changed)) {
    if (file === '<stdin>') throw wrongUsage('There is no place to write stdin to. Leave --write away.');
    if (file.endsWith('.gz'))
      throw wrongUsage(`${file} is packed and cannot be written in place. Give a folder with -o.`);
  }
  orFail('', () => writeSources(sources, results));
}

/** Every file, changed or not, so that the folder holds them all. */
function writeTo(folder: string, results: readonly Result[]): void {
  const names = results.map(({ file }) => (file === '<stdin>' ? 'stdin.yaml' : basename(file).replace(/\.gz$/, '')));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw wrongUsage(`Two files are called ${twice}. Convert them to folders of their own.`);
  orFail(folder, () => mkdirSync(folder, { recursive: true }));
  for (const [i, { text }] of results.entries()) {
    const file = join(folder, names[i] ?? '');
    orFail(file, () => writeFileSync(file, text));
  }
}

/** A disk that is full or read-only is no defect of ours. */
function orFail(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure([{ ...(file && { file }), message: `This cannot be written: ${(error as Error).message}.` }]);
  }
}

/** One stream of documents, as kubectl reads it. */
function joined(results: readonly Result[]): string {
  return results
    .map(({ text }, i) => {
      const separator = i > 0 && !text.startsWith('---') ? '---\n' : '';
      const end = i < results.length - 1 && !text.endsWith('\n') ? '\n' : '';
      return separator + text + end;
    })
    .join('');
}

function asText({ file, notes }: Result): string {
  return notes
    .map(({ line, object, path, change, behaviour, karpenter }) => {
      const more = [behaviour && `  behaviour: ${behaviour}.\n`, karpenter && `  Karpenter: ${karpenter}.\n`];
      const message = change.endsWith('.') ? change : `${change}.`;
      return `${formatProblem({ file, line, object, path, message })}\n${more.filter(Boolean).join('')}`;
    })
    .join('');
}

function asJson(results: readonly Result[], withText: boolean): string {
  const files = results.map(({ file, text, changed, notes }) => ({
    file,
    ...(changed && withText && { text }),
    notes,
  }));
  return `${JSON.stringify({ files }, null, 2)}\n`;
}
