// Where is the cluster? As kubectl finds it: the files that are named, those of KUBECONFIG, the one at home, or the cluster we run in.
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Access } from './access.ts';
import type { CredentialSource, Program } from './configEntry.ts';
import { fromFile } from './credentials.ts';
import { type Chosen, chooseContext, NoContextError } from './kubeconfig.ts';
import { wallClock } from './machine.ts';

export interface Place {
  readonly kubeconfig?: string;
  readonly context?: string;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A program that asks for a second factor takes its time; one that hangs is none. */
const programWithin = 60_000;

const machine: CredentialSource = {
  now: () => wallClock.now,
  readFile: (path) => readFileSync(path, 'utf8'),
  run: runProgram,
};

/** Nobody has named a cluster: there is no kubeconfig, none of its contexts is current, and this is not a pod. */
export class NoClusterError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws in words where there is none. */
export function findAccess(place: Place = {}, env: Environment = process.env): Chosen {
  const { kubeconfig, context } = place;
  const named = kubeconfig === undefined ? (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean) : [kubeconfig];
  const isGiven = named.length > 0;
  const paths = isGiven ? named : [join(env.HOME ?? homedir(), '.kube', 'config')];
  const found = paths.filter((path) => existsSync(path));
  if (found.length > 0) {
    const files = found.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    try {
      return chooseContext(files, machine, context);
    } catch (error) {
      throw error instanceof NoContextError ? new NoClusterError(error.message) : error;
    }
  }
  if (!isGiven && context === undefined) {
    const inside = accessInside(env, machine);
    if (inside) return inside;
  }
  const message = `There is no kubeconfig at ${paths.join(', ')}, and this is no pod of a cluster.`;
  // A file that is named and missing is a mistake: a cluster was meant.
  throw isGiven || context !== undefined ? new Error(message) : new NoClusterError(message);
}

/** Undefined = this is no pod, or one that may not speak to its cluster. */
export function accessInside(env: Environment, source: CredentialSource, folder = serviceAccount): Chosen | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host || !existsSync(join(folder, 'token'))) return undefined;
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const access: Access = {
    server,
    tls: { ca: source.readFile(join(folder, 'ca.crt')) },
    ...fromFile(join(folder, 'token'), source),
  };
  return { access, context: 'in-cluster', namespace: source.readFile(join(folder, 'namespace')).trim() };
}

export function runProgram({ command, args, env, folder }: Program): Promise<string> {
  // A bare name is looked for on the PATH; anything with a slash starts where its kubeconfig stands.
  const file = command.includes('/') && !isAbsolute(command) ? resolve(folder, command) : command;
  const { LULL_TOKEN: _, LULL_READ_TOKEN: __, ...inherited } = process.env;
  const options = { env: { ...inherited, ...env }, timeout: programWithin, maxBuffer: 2 ** 20 };
  return new Promise((done, fail) => {
    execFile(file, args, options, (error, printed, complaint) => {
      if (!error) done(printed);
      // Neither its arguments, which may hold a secret and are in error.message, nor what it printed.
      else fail(new Error(`${command} failed: ${complaint.trim().slice(0, 500) || whyOf(error)}`));
    });
  });
}

function whyOf({ code, killed, signal }: ExecFileException): string {
  if (killed) return `it was stopped after ${programWithin / 1000} s, or printed more than 1 MiB`;
  return typeof code === 'number' ? `it ended with ${code} and said nothing` : String(code ?? signal);
}
