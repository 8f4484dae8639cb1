// The Node versions the package is tried with: the pinned one always, others on request, since they are downloaded.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The oldest release line that package.json allows, and the newest. */
export const otherNodes = ['22', '26'] as const;

export const nodeOf = (version: string): string =>
  join(root, 'node_modules', '.cache', 'lull', `node-${version}`, 'node_modules', 'node', 'bin', 'node');

const pinned = join(root, 'node_modules', 'node', 'bin', 'node');

/** By name. One that was requested and is missing is a failure, not a skip. */
export const nodes: readonly (readonly [string, string])[] = [
  ['pinned', existsSync(pinned) ? pinned : process.execPath] as const,
  ...(process.env.ALL_NODES ? otherNodes.map((version) => [version, nodeOf(version)] as const) : []),
];
