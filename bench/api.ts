// A large cluster on a real API server: how long Lull takes to know it, at what cost, and how soon it answers to a change.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Api } from '../test/cluster/api.ts';
import { whyNoCluster } from '../test/cluster/binaries.ts';
import { type Cluster, established, startCluster } from '../test/cluster/cluster.ts';
import { root } from '../test/cluster/places.ts';
import { basicsOf, firstApps, nodesOf, type Posted, podPath, podsOf, podsPerNode } from './apiObjects.ts';
import { table } from './table.ts';

const changes = 25;
/** As many as the server accepts at once without queueing them. */
const atOnce = 24;

interface Figures {
  readonly syncedMs: number;
  readonly firstDecidedMs: number;
  readonly firstRoundMs: number;
  readonly verdicts: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly longestStallMs: number;
  readonly laterStallMs: number;
  readonly changeRoundMs: number;
  readonly changeAnsweredMs: number;
}

/** NODES=200 for a smaller one. */
export async function benchApi(): Promise<string> {
  const why = whyNoCluster();
  if (why) return why;
  const nodes = Number(process.env.NODES ?? 2_000);
  // No controller is running that would create ServiceAccounts or remove taints.
  const flags = { 'kube-apiserver': ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'] };
  const cluster = await startCluster({ name: 'bench-api', controllers: false, audit: false, flags });
  try {
    await applyCrds(cluster.api);
    const filled = performance.now();
    for (const objects of [basicsOf(nodes), nodesOf(nodes), podsOf(nodes)]) await post(cluster.api, objects);
    say(`${nodes} nodes and ${nodes * podsPerNode} pods created in ${seconds(performance.now() - filled)}`);
    return rows(nodes, [await measure(cluster, nodes), await measure(cluster, nodes), await measure(cluster, nodes)]);
  } finally {
    await cluster.stop();
  }
}

/** Several runs, since the load of the machine differs. */
async function measure(cluster: Cluster, nodes: number): Promise<Figures> {
  const owners = firstApps(nodes);
  const paths = Array.from({ length: changes }, (_, turn) => podPath(turn, owners[turn] ?? 0));
  const words = ['--expose-gc', join(import.meta.dirname, 'apiProcess.ts'), cluster.kubeconfig, ...paths];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { timeout: 300_000 });
  if (stderr) say(stderr);
  const figures = JSON.parse(stdout) as Figures;
  say(JSON.stringify(figures));
  return figures;
}

function rows(nodes: number, runs: readonly Figures[]): string {
  const best = (of: (figures: Figures) => number): string => {
    const all = runs.map(of).sort((a, b) => a - b);
    return all.map((ms) => (ms >= 1_000 ? seconds(ms) : `${ms.toFixed(0)} ms`)).join(', ');
  };
  const megabytes = (of: (figures: Figures) => number): string =>
    `${runs
      .map(of)
      .sort((a, b) => a - b)
      .join(', ')} MB`;
  const count = (value: number): string => value.toLocaleString('en');
  return table(
    [`${count(nodes)} nodes, ${count(nodes * podsPerNode)} pods`, 'three runs'],
    [
      ['everything is listed', best(({ syncedMs }) => syncedMs)],
      ['first round is decided', best(({ firstDecidedMs }) => firstDecidedMs)],
      ['of it the round itself', best(({ firstRoundMs }) => firstRoundMs)],
      ['longest stall until then', best(({ longestStallMs }) => longestStallMs)],
      ['memory of the process then (RSS)', megabytes(({ rssMb }) => rssMb)],
      ['of it in use (heap after a collection)', megabytes(({ heapMb }) => heapMb)],
      ['a round after one change', best(({ changeRoundMs }) => changeRoundMs)],
      ['from a write to the round that knows it', best(({ changeAnsweredMs }) => changeAnsweredMs)],
      ['longest stall meanwhile', best(({ laterStallMs }) => laterStallMs)],
      ['verdicts', [...new Set(runs.map(({ verdicts }) => count(verdicts)))].join(', ')],
    ],
  );
}

export async function applyCrds(api: Api): Promise<void> {
  const folder = join(root, 'deploy', 'crds');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8'))) {
      const body = document.toJS();
      await api.must({ method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body });
      await established(api, body.metadata.name);
    }
  }
}

export async function post(api: Api, objects: Generator<Posted>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (const { path, object, status } of objects) {
      await api.must({ method: 'POST', path, body: object });
      if (!status) continue;
      const place = `${path}/${object.metadata.name}/status`;
      await api.must({ method: 'PATCH', path: place, body: { status }, contentType: 'application/merge-patch+json' });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const say = (sentence: string): void => void process.stderr.write(`bench api: ${sentence}\n`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
