// Runs Lull in a story as users do: the built program in its own process, with the ServiceAccount of `lull install`.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../cluster/cluster.ts';
import { kubeconfig } from '../../cluster/keys.ts';
import { root } from '../../cluster/places.ts';
import { logFile, pidOf, start, stop } from '../../cluster/running.ts';
import type { Until } from './until.ts';

export const program = join(root, 'bin', 'lull');
const namespace = 'lull-system';

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command to its end, as an administrator. */
export function runLull(
  cluster: Cluster,
  words: readonly string[],
  input?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, NO_COLOR: '1', ...more };
    const child = spawn(program, words, { env, cwd: cluster.folder, stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
    child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}

export interface LullOptions {
  /** Default: guide. */
  readonly role?: 'observe' | 'guide' | 'drive';
  /** More flags of `lull run`. */
  readonly flags?: readonly string[];
  /** Default: true. If false, as an administrator. */
  readonly asServiceAccount?: boolean;
  /** The path of another build. */
  readonly program?: string;
  /** As the process of this pod in lull-system: with its name, and a token bound to it. */
  readonly pod?: string;
  /** Default: true. Returns when it reports that it is ready. */
  readonly ready?: boolean;
}

export interface RunningLull {
  /** The file with its output, over all starts. */
  readonly log: string;
  /** The URL of its server. */
  readonly url: string;
  isRunning(): Promise<boolean>;
  /** Returns when the process is gone. Default: SIGKILL, without a clean shutdown. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, with the same flags. */
  start(): Promise<void>;
  /** A response of its server, as text or parsed as JSON. */
  get(path: string): Promise<{ readonly code: number; readonly text: string }>;
  /** The last lines of its log. */
  tail(lines?: number): string;
}

export interface Where {
  readonly cluster: Cluster;
  readonly until: Until;
  /** The first, the second, … of a story: each has its own log and port. */
  readonly number: number;
}

export async function startLull({ cluster, until, number }: Where, options: LullOptions): Promise<RunningLull> {
  const { role = 'guide', flags = [], asServiceAccount = true, ready = true, program: other = program, pod } = options;
  const name = `lull-${number}`;
  const { folder } = cluster;
  const port = cluster.sparePorts[number - 1];
  if (port === undefined) throw new Error(`A cluster has ports for at most ${cluster.sparePorts.length} Lulls`);
  const file = asServiceAccount ? await accountKubeconfig(cluster, pod) : cluster.kubeconfig;
  const listen = `127.0.0.1:${port}`;
  const words = ['run', '--kubeconfig', file, '--set', `role=${role}`, '--listen', listen, ...flags];
  const url = `http://${listen}`;
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return { code: response.status, text: await response.text() };
  };
  const tail = (lines = 30): string => tailOf(logFile(folder, name), lines);
  const run = async (): Promise<void> => {
    if (await pidOf(folder, name)) throw new Error(`${name} is running already: kill it first`);
    start(folder, {
      name,
      program: other,
      flags: words,
      env: { NO_COLOR: '1', ...(pod !== undefined && { LULL_POD: pod }) },
    });
    if (!ready) return;
    await until(`${name} is ready (${role})`, async () => {
      if ((await pidOf(folder, name)) === undefined) throw new Error(`it has ended:\n${tail()}`);
      return (await get('/readyz')).code === 200;
    });
  };
  await run();
  return {
    log: logFile(folder, name),
    url,
    isRunning: async () => (await pidOf(folder, name)) !== undefined,
    kill: (signal = 'SIGKILL') => stop(folder, name, signal),
    start: run,
    get,
    tail,
  };
}

/** Uses a token of the ServiceAccount, as a pod would. */
async function accountKubeconfig(cluster: Cluster, pod?: string): Promise<string> {
  const file = join(cluster.folder, `${pod ?? 'lull'}.kubeconfig`);
  if (existsSync(file)) return file;
  const bound = pod !== undefined && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/lull/token`;
  const { code, body } = await cluster.api.ask({
    method: 'POST',
    path,
    body: { spec: { expirationSeconds: 7200, ...bound } },
  });
  const { token } = (body as { status?: { token?: string } }).status ?? {};
  if (code >= 300 || !token) {
    throw new Error(`Cannot create a token for Lull's ServiceAccount: ${code} ${JSON.stringify(body)}`);
  }
  const ca = readFileSync(cluster.caFile).toString('base64');
  writeFileSync(
    file,
    kubeconfig({ cluster: cluster.name, server: cluster.server, ca, token, user: 'lull', namespace }),
    { mode: 0o600 },
  );
  return file;
}

/** Everything it wrote. */
export const logOf = ({ log }: RunningLull): string => readFileSync(log, 'utf8');

export function tailOf(file: string, lines: number): string {
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
