// Runs the programs that build an image, and explains how to install those that are missing.
import { spawnSync } from 'node:child_process';

export const isInstalled = (program: string): boolean => !spawnSync(program, ['--version'], { stdio: 'ignore' }).error;

// Debian's crun rejects hybrid cgroups, so that RUN would fail.
const env = { ...(isInstalled('runc') && { BUILDAH_RUNTIME: 'runc' }), ...process.env };

/** Throws an error with the command that installs what is missing. */
export function requirePrograms(programs: readonly string[]): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  // Their Debian packages have the same names.
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  throw new Error(`${missing.join(' and ')} not found. On Debian and Ubuntu: ${command}`);
}

/** Runs a program to its end. Its error output stays on the terminal; its output is returned. */
export function run(program: string, ...words: readonly string[]): string {
  const { status, signal, error, stdout } = spawnSync(program, words, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${words[0]} failed (${status ?? signal}); its messages are above`);
  return stdout.trim();
}

export const buildah = (...words: readonly string[]): string => run('buildah', ...words);

/** For cleaning up: failures are ignored. */
export const tryBuildah = (...words: readonly string[]): boolean =>
  spawnSync('buildah', words, { env, stdio: 'ignore' }).status === 0;
