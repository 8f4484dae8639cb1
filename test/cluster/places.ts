// Where does everything of the real cluster lie? All of it below .cluster, which git ignores.
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const base = join(root, '.cluster');
export const bin = join(base, 'bin');
/** What is not a program: Karpenter's CRDs, KWOK's stages. */
export const share = join(base, 'share');
export const runs = join(base, 'run');

export const program = (name: string): string => join(bin, name);
/** Of one cluster: its keys, its data, its logs and who runs. */
export const runFolder = (name: string): string => join(runs, name);
