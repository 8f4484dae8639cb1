// Which texts did the user point at? Files, folders and stdin (L1), unpacked and decoded.
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Failure, type Problem } from './failure.ts';
import type { Io } from './io.ts';

export interface Source {
  /** As the user would name it. */
  readonly file: string;
  readonly text: string;
}

const readable = /\.(ya?ml|json|ndjson)(\.gz)?$/i;

/** Every text, in the order given. Every path that cannot be read is told at once. */
export async function readSources(paths: readonly string[], { stdin }: Pick<Io, 'stdin'>): Promise<Source[]> {
  const problems: Problem[] = [];
  const sources: Source[] = [];
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
      { file: sources[0]?.file, message: 'This is empty. Give objects as `kubectl get … -o yaml` prints them.' },
    ]);
  }
  return sources;
}

export function readSource(file: string): Source {
  try {
    return { file, text: decode(readBytes(file)) };
  } catch (error) {
    throw new Failure([{ file, message: explain(error) }]);
  }
}

/** No text can be longer, unpacked or not. */
const largest = 2 ** 29;
const chunkSize = 2 ** 20;

/** A device may have no end. */
function readBytes(file: string): Uint8Array {
  if (statSync(file).isFile()) return readFileSync(file);
  const open = openSync(file, 'r');
  const bytes = gather();
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

/** All that a stream has, such as stdin: not more of it than one text may hold. */
export async function readStream(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = gather();
  for await (const chunk of stream) bytes.add(chunk);
  return bytes.all();
}

/** Bytes of which nobody says how many there are. */
function gather(): { add: (chunk: Uint8Array) => void; all: () => Uint8Array } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add: (chunk) => {
      size += chunk.length;
      if (size > largest) throw Object.assign(new Error(), { code: 'ERR_STRING_TOO_LONG' });
      chunks.push(chunk);
    },
    all: () => Buffer.concat(chunks),
  };
}

/** The file itself, or what lies in the folder; not in folders within it. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => readable.test(entry.name) && isFile(path, entry))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0)
    throw new Error('There is no .yaml, .yml or .json file in this folder. Name another, or the files themselves.');
  return names.map((name) => join(path, name));
}

const isFile = (folder: string, entry: Dirent): boolean =>
  entry.isFile() || (entry.isSymbolicLink() && statSync(join(folder, entry.name)).isFile());

/** By what they begin with, so that stdin may be packed too. PowerShell writes UTF-16 when it redirects. */
function decode(packed: Uint8Array): string {
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  // Once only: there are files that hold themselves.
  const bytes = isPacked ? gunzipSync(packed, { maxOutputLength: largest }) : packed;
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

const fileOf = (error: unknown): string | undefined => (error instanceof Failure ? error.problems[0]?.file : undefined);

const tooLarge = 'This is too large for one text. Split it into several files, and name each with -f.';

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder.',
  EACCES: 'This may not be read. Check its permissions.',
  EPERM: 'This may not be read. Check its permissions.',
  EISDIR: 'This is a folder.',
  ENOTDIR: 'A part of this path is no folder.',
  ELOOP: 'Its links lead round in a circle.',
  ENAMETOOLONG: 'There is no such file or folder.',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'This is no text in UTF-8. Give YAML or JSON.',
  ERR_STRING_TOO_LONG: tooLarge,
  ERR_BUFFER_TOO_LARGE: tooLarge,
  ERR_FS_FILE_TOO_LARGE: tooLarge,
  Z_DATA_ERROR: 'This begins like a gzip file but cannot be unpacked.',
  Z_BUF_ERROR: 'This gzip file ends too soon.',
};

function explain(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return explanations[code] ?? message;
}
