// Reads files, folders and stdin (L1): decompressed and decoded.
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { codeOf, Failure, messageOf, type Problem } from './failure.ts';
import type { Io } from './io.ts';

export interface SourceText {
  /** The path as given, or `<stdin>`. */
  readonly file: string;
  readonly text: string;
}

const readable = /\.(ya?ml|json|ndjson)(\.gz)?$/i;

/** All texts in the given order. Reports every path that cannot be read, not only the first. */
export async function readSources(paths: readonly string[], { stdin }: Pick<Io, 'stdin'>): Promise<SourceText[]> {
  const problems: Problem[] = [];
  const sources: SourceText[] = [];
  let piped: Promise<Uint8Array> | undefined;
  for (const path of paths) {
    try {
      piped ??= path === '-' ? stdin() : undefined;
      if (path === '-') sources.push({ file: '<stdin>', text: decode((await piped) ?? new Uint8Array()) });
      else for (const file of filesAt(path)) sources.push(readSource(file));
    } catch (error) {
      problems.push({ file: path === '-' ? '<stdin>' : (fileOf(error) ?? path), message: explain(error) });
    }
  }
  if (problems.length > 0) throw new Failure(problems);
  if (sources.every(({ text }) => text.trim() === '')) {
    throw new Failure([
      { file: sources[0]?.file, message: 'The input is empty. Give objects as `kubectl get … -o yaml` prints them.' },
    ]);
  }
  return sources;
}

export function readSource(file: string): SourceText {
  try {
    return { file, text: decode(readBytes(file)) };
  } catch (error) {
    throw new Failure([{ file, message: explain(error) }]);
  }
}

/** The longest string of the engine, about. */
const maxSize = 2 ** 29;
const chunkSize = 2 ** 20;

/** Reads a device or a pipe in chunks, because it may not end. */
function readBytes(file: string): Uint8Array {
  if (statSync(file).isFile()) return readFileSync(file);
  const open = openSync(file, 'r');
  const bytes = collectChunks();
  try {
    for (;;) {
      const chunk = new Uint8Array(chunkSize);
      const read = readSync(open, chunk);
      if (read === 0) return bytes.all();
      bytes.add(chunk.subarray(0, read));
    }
  } finally {
    closeSync(open);
  }
}

/** Reads a stream such as stdin to its end, or fails if it is too large. */
export async function readStream(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = collectChunks();
  for await (const chunk of stream) bytes.add(chunk);
  return bytes.all();
}

/** Collects chunks of unknown total size. */
function collectChunks(): { add: (chunk: Uint8Array) => void; all: () => Uint8Array } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add: (chunk) => {
      size += chunk.length;
      if (size > maxSize) throw Object.assign(new Error(), { code: 'ERR_STRING_TOO_LONG' });
      chunks.push(chunk);
    },
    all: () => Buffer.concat(chunks),
  };
}

/** The file itself, or the files directly in the folder. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => readable.test(entry.name) && isFile(path, entry))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0)
    throw new Error('No .yaml, .yml or .json files in this folder. Name another folder, or the files.');
  return names.map((name) => join(path, name));
}

const isFile = (folder: string, entry: Dirent): boolean =>
  entry.isFile() || (entry.isSymbolicLink() && statSync(join(folder, entry.name)).isFile());

/** Detects gzip by its magic bytes, so that stdin may be compressed too. PowerShell redirects write UTF-16. */
function decode(input: Uint8Array): string {
  const isGzip = input[0] === 0x1f && input[1] === 0x8b;
  // Once only: a gzip file can contain itself.
  const bytes = isGzip ? gunzipSync(input, { maxOutputLength: maxSize }) : input;
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

const fileOf = (error: unknown): string | undefined => (error instanceof Failure ? error.problems[0]?.file : undefined);

const tooLarge = 'Too large to read at once. Split it into several files, and name each with -f.';

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or folder.',
  EACCES: 'Permission denied. Check the permissions of the file.',
  EPERM: 'Permission denied. Check the permissions of the file.',
  EISDIR: 'This is a folder.',
  ENOTDIR: 'A part of this path is not a folder.',
  ELOOP: 'Symbolic link loop.',
  ENAMETOOLONG: 'No such file or folder.',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'Not valid UTF-8. Give YAML or JSON.',
  ERR_STRING_TOO_LONG: tooLarge,
  ERR_BUFFER_TOO_LARGE: tooLarge,
  ERR_FS_FILE_TOO_LARGE: tooLarge,
  Z_DATA_ERROR: 'Not a valid gzip file.',
  Z_BUF_ERROR: 'The gzip file is truncated.',
};

function explain(error: unknown): string {
  return explanations[codeOf(error)] ?? messageOf(error);
}
