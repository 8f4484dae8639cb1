// Renders the chart with Helm, with the same command lines that users type.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/cli/install/manifests/manifest.ts';
import { root } from '../cluster/places.ts';
import { helmBinary } from './helmBinary.ts';

export const chart = join(root, 'deploy', 'chart');
export const binary = helmBinary();

/** Isolated from the Helm settings of this machine. */
const apart = (home: string, env: Readonly<Record<string, string>>) => ({
  encoding: 'utf8' as const,
  maxBuffer: 64 * 1024 * 1024,
  env: {
    PATH: process.env.PATH,
    HOME: home,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    ...env,
  },
});

const openHome = (): string => mkdtempSync(join(tmpdir(), 'lull-helm-'));
const needed = (): string => {
  if (binary === undefined) throw new Error('Helm is not installed');
  return binary;
};

/** Runs it to its end; throws its output if it fails. */
export function helm(words: readonly string[]): string {
  const home = openHome();
  try {
    return execFileSync(needed(), words, { ...apart(home, {}), stdio: ['ignore', 'pipe', 'pipe'] });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The same on a cluster, which may take longer. */
export async function helmOn(kubeconfig: string, words: readonly string[]): Promise<string> {
  const home = openHome();
  try {
    return (await promisify(execFile)(needed(), words, apart(home, { KUBECONFIG: kubeconfig }))).stdout;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The APIs of a current API server; Helm itself assumes older ones. */
const served = ['admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'];

/** `--set` for each pair. */
export function render(
  pairs: Readonly<Record<string, unknown>> = {},
  namespace = 'lull-system',
  apis: readonly string[] = served,
): Manifest[] {
  const sets = Object.entries(pairs).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  const versions = apis.flatMap((api) => ['--api-versions', api]);
  const text = helm([
    'template',
    'lull',
    chart,
    '--namespace',
    namespace,
    '--kube-version',
    '1.36.0',
    ...versions,
    ...sets,
  ]);
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((it) => it !== null);
}
