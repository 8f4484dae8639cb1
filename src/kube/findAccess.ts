// Finds the cluster as kubectl does: the named file, those of KUBECONFIG, the one in the home directory, or the surrounding cluster.
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { ClusterAccess } from './clusterAccess.ts';
import { type CredentialSource, fromFile, type Program } from './credentials.ts';
import { type ChosenContext, chooseContext, NoContextError } from './kubeconfig.ts';
import { wallClock } from './machine.ts';

export interface ClusterSelection {
  readonly kubeconfig?: string;
  readonly context?: string;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A plugin that asks for a second factor takes its time; a longer run means that it hangs. */
const programWithin = 60_000;

const machine: CredentialSource = {
  now: () => wallClock.now,
  readFile: (path) => readFileSync(path, 'utf8'),
  run: runProgram,
};

/** No cluster is configured: there is no kubeconfig or no current context, and this is not a pod. */
export class NoClusterError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws an Error with a message for the user if there is none. */
export function findAccess(place: ClusterSelection = {}, env: Environment = process.env): ChosenContext {
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
  const message = `There is no kubeconfig at ${paths.join(', ')}, and Lull does not run in a pod.`;
  // A file that is named but missing is a mistake: a cluster was meant.
  throw isGiven || context !== undefined ? new Error(message) : new NoClusterError(message);
}

/** Undefined = this is not a pod, or a pod without a token. */
export function accessInside(
  env: Environment,
  source: CredentialSource,
  folder = serviceAccount,
): ChosenContext | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host || !existsSync(join(folder, 'token'))) return undefined;
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const access: ClusterAccess = {
    server,
    tls: { ca: source.readFile(join(folder, 'ca.crt')) },
    ...fromFile(join(folder, 'token'), source),
  };
  return { access, context: 'in-cluster', namespace: source.readFile(join(folder, 'namespace')).trim() };
}

export function runProgram({ command, args, env, folder }: Program): Promise<string> {
  // A bare name is looked up in PATH; a path with a slash is relative to its kubeconfig.
  const file = command.includes('/') && !isAbsolute(command) ? resolve(folder, command) : command;
  const { LULL_TOKEN: _, LULL_READ_TOKEN: __, ...inherited } = process.env;
  const options = { env: { ...inherited, ...env }, timeout: programWithin, maxBuffer: 2 ** 20 };
  return new Promise((done, fail) => {
    execFile(file, args, options, (error, printed, complaint) => {
      if (!error) done(printed);
      // Neither its arguments, which may contain a secret and are in error.message, nor its output.
      else fail(new Error(`${command} failed: ${complaint.trim().slice(0, 500) || whyOf(error)}`));
    });
  });
}

function whyOf({ code, killed, signal }: ExecFileException): string {
  if (killed) return `it was stopped after ${programWithin / 1000} s, or printed more than 1 MiB`;
  return typeof code === 'number' ? `it exited with ${code} and printed nothing` : String(code ?? signal);
}
