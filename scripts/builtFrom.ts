// The commit the program is built from and its date: from git, or from the environment, since an image is built without git.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** As `commit 0123456789ab of 2026-11-15`; empty if unknown. It reads no clock: the same source gives the same bytes. */
export function builtFrom(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const commit = env.LULL_COMMIT || ownCommit();
  if (!commit) return '';
  const date = env.LULL_COMMIT ? env.LULL_COMMIT_DATE : git('log', '-1', '--format=%cs');
  const changed = !env.LULL_COMMIT && git('status', '--porcelain') ? ', with changes' : '';
  return `commit ${commit.slice(0, 12)}${date ? ` of ${date}` : ''}${changed}`;
}

/** A copy of the source may be inside the checkout of another project. */
function ownCommit(): string {
  const top = git('rev-parse', '--show-toplevel');
  return top !== '' && realpathSync(top) === realpathSync('.') ? git('rev-parse', 'HEAD') : '';
}

function git(...words: readonly string[]): string {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
