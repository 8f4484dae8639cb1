// The facts about a release that come from the checkout.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ReleaseFacts } from './refusals.ts';

export interface Checkout extends ReleaseFacts {
  readonly commitDate: string;
  /** The time of the commit, in seconds: the time of every file that is built. */
  readonly commitTime: number;
}

interface Manifest {
  readonly version: string;
  readonly devDependencies: { readonly node: string };
}

export function readCheckout(): Checkout {
  const { version, devDependencies } = readJson<Manifest>('package.json');
  const lines = (...words: readonly string[]): readonly string[] =>
    git(...words)
      .split('\n')
      .filter(Boolean);
  return {
    version,
    lockVersion: readJson<{ version: string }>('package-lock.json').version,
    chartVersion: (parse(readFileSync('deploy/chart/Chart.yaml', 'utf8')) as { version: string }).version,
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    dockerfile: readFileSync('Dockerfile', 'utf8'),
    commit: git('rev-parse', 'HEAD').trim(),
    commitDate: git('log', '-1', '--format=%cs').trim(),
    commitTime: Number(git('log', '-1', '--format=%ct')),
    tags: lines('tag', '--points-at', 'HEAD'),
    changes: lines('status', '--porcelain'),
    node: process.versions.node,
    pinnedNode: devDependencies.node,
  };
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

/** Empty if git fails. */
function git(...words: readonly string[]): string {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
