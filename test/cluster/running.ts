// Processes that another process can recognise: each has a file with its PID and folder.
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { removeCgroups } from './node/cgroups.ts';
import { program } from './places.ts';

export interface Runnable {
  /** Also the name of its log and of the file with its process number. */
  readonly name: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absent = the program of that name in .cluster/bin. Any other program must have the folder of the cluster in its flags. */
  readonly program?: string;
}

const pidFile = (folder: string, name: string): string => join(folder, `${name}.pid`);
export const logFile = (folder: string, name: string): string => join(folder, `${name}.log`);

export function start(folder: string, { name, flags, env, program: other }: Runnable): void {
  const log = openSync(logFile(folder, name), 'a');
  const child = spawn(other ?? program(name), flags, {
    // The name that `ps` shows: the process number alone may belong to another process by now.
    ...(!other && { argv0: join(folder, name) }),
    cwd: folder,
    // Its own process group: an interrupt at the terminal reaches the tests, which stop it in order.
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  child.on('error', () => undefined);
  closeSync(log);
  child.unref();
  if (child.pid) writeFileSync(pidFile(folder, name), String(child.pid));
}

/** Undefined: it does not run, or another process has its number now. */
export async function pidOf(folder: string, name: string): Promise<number | undefined> {
  if (!existsSync(pidFile(folder, name))) return undefined;
  const pid = Number(readFileSync(pidFile(folder, name), 'utf8'));
  if (!(pid > 1)) return undefined;
  const line = await new Promise<string>((resolve) => {
    execFile('ps', ['-o', 'args=', '-p', String(pid)], (_, said) => resolve(said));
  });
  return line.includes(`${folder}/`) ? pid : undefined;
}

export async function stop(folder: string, name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const began = performance.now();
  for (let sent: NodeJS.Signals | undefined; ; ) {
    const pid = await pidOf(folder, name);
    if (pid === undefined) break;
    // A process that does not end on SIGTERM gets SIGKILL.
    const wanted = performance.now() - began > 15_000 ? 'SIGKILL' : signal;
    if (sent !== wanted) kill(pid, wanted);
    sent = wanted;
    await setTimeout(30);
  }
  rmSync(pidFile(folder, name), { force: true });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Found by their files, whichever process started them. */
export async function whoRuns(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.pid') ? [file.slice(0, -'.pid'.length)] : []));
  const pids = await Promise.all(names.map((name) => pidOf(folder, name)));
  return names.filter((_, index) => pids[index] !== undefined);
}

/** All at once with SIGKILL: only the logs are still needed. */
export async function endAll(folder: string): Promise<void> {
  const names = await whoRuns(folder);
  await Promise.all(names.map((name) => stop(folder, name, 'SIGKILL')));
  await removeCgroups(folder);
  for (const data of ['etcd', 'node/containerd', 'node/images'])
    rmSync(join(folder, data), { recursive: true, force: true });
}
