// The Python environment of the fake AWS: moto and what it needs, pinned by hash in requirements.txt, in a venv below .cluster.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base } from '../places.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');
const venv = join(base, 'aws-venv');
const stampFile = join(base, 'aws-venv.stamp');
export const python = join(venv, 'bin', 'python');

const stamp = (): string => createHash('sha256').update(readFileSync(requirements)).digest('hex');

export const isInstalled = (): boolean =>
  existsSync(python) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp();

/** Why no venv can be created here; undefined = one can. */
export function whyNoPython(): string | undefined {
  // The versions for which requirements.txt has hashes; Debian packages ensurepip separately, as python3-venv.
  const program = 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))';
  const { status } = spawnSync('python3', ['-c', program], { stdio: 'ignore' });
  return status === 0 ? undefined : 'Python 3.11 to 3.14 with venv is not installed (Debian: python3-venv)';
}

/** Why it failed; undefined = it is installed. */
export function installPython(): string | undefined {
  const why = whyNoPython();
  if (why) return why;
  rmSync(venv, { recursive: true, force: true });
  const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  const steps = [
    ['python3', '-m', 'venv', venv],
    [python, '-m', 'pip', 'install', ...flags, '-r', requirements],
  ] as const;
  for (const [program, ...words] of steps) {
    const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) return `${program} ${words.join(' ')} failed: ${stderr?.trim().split('\n').at(-1) ?? ''}`;
  }
  writeFileSync(stampFile, stamp());
  return undefined;
}
