// Archives whose bytes follow from names and contents alone: sorted, one time, one owner, two modes.
import { gzipSync } from 'node:zlib';

export interface Entry {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isProgram?: boolean;
}

const block = 512;

/** A tar in ustar format. `seconds` is the time of every file. */
export function tar(entries: readonly Entry[], seconds: number): Buffer {
  const sorted = entries.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  const parts = sorted.flatMap((entry) => [
    header(entry, seconds),
    entry.bytes,
    Buffer.alloc((block - (entry.bytes.length % block)) % block),
  ]);
  // Two empty blocks end it.
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/** Without the time and the operating system, which gzip would write. */
export function gzip(bytes: Buffer): Buffer {
  const packed = gzipSync(bytes, { level: 9 });
  packed.fill(0, 4, 8);
  packed[9] = 255;
  return packed;
}

/** The fields of POSIX ustar, by offset. */
function header({ path, bytes, isProgram }: Entry, seconds: number): Buffer {
  const made = Buffer.alloc(block);
  const [prefix, name] = split(path);
  const octal = (value: number, at: number, length: number): void => {
    made.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  };
  made.write(name, 0, 'utf8');
  octal(isProgram ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(seconds, 136, 12);
  made.write(' '.repeat(8), 148, 'latin1');
  made.write('0', 156, 'latin1');
  made.write('ustar\x0000', 257, 'latin1');
  made.write(prefix, 345, 'utf8');
  const sum = made.reduce((total, byte) => total + byte, 0);
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return made;
}

/** The name has room for 100 bytes, the prefix before one of its slashes for 155 more. */
function split(path: string): readonly [string, string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  throw new Error(`${path} is too long for a tar archive`);
}
