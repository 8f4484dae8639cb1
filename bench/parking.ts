// How long the first parking of a cluster takes on a real API server: one by one at 20 a second as before, and with the current code.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whyNoCluster } from '../test/cluster/binaries.ts';
import { type Cluster, startCluster } from '../test/cluster/cluster.ts';
import { applyCrds, post } from './api.ts';
import { basicsOf, nodesOf } from './apiObjects.ts';
import { table } from './table.ts';

interface Figures {
  readonly seconds: number;
  readonly requests: number;
  readonly unanswered: number;
  readonly mostInFlight: number;
}

const modes = { before: 'one by one, 20 a second', after: 'at the same time' } as const;

/** NODES=5000 for a larger one. */
export async function benchParking(): Promise<string> {
  const why = whyNoCluster();
  if (why) return why;
  const nodes = Number(process.env.NODES ?? 600);
  const flags = { 'kube-apiserver': ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'] };
  const cluster = await startCluster({ name: 'bench-parking', controllers: false, audit: false, flags });
  try {
    await applyCrds(cluster.api);
    for (const objects of [basicsOf(nodes), nodesOf(nodes)]) await post(cluster.api, objects);
    const rows: string[][] = [];
    for (const mode of ['before', 'after', 'before', 'after'] as const) {
      const { seconds, requests, unanswered, mostInFlight } = await measure(cluster, mode);
      const figures = [`${seconds.toFixed(1)} s`, (requests / seconds).toFixed(0), mostInFlight, requests, unanswered];
      rows.push([modes[mode], ...figures.map(String)]);
      await unpark(cluster);
    }
    return table(
      [`${nodes} nodes`, 'until all are parked', 'requests a second', 'most in flight', 'requests', 'not answered'],
      rows,
    );
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: Cluster, mode: keyof typeof modes): Promise<Figures> {
  const words = [join(import.meta.dirname, 'parkingProcess.ts'), cluster.kubeconfig, mode];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { timeout: 600_000 });
  process.stderr.write(`bench parking, ${mode}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Figures;
}

async function unpark({ api }: Cluster): Promise<void> {
  const { items } = (await api.must({ method: 'GET', path: '/api/v1/nodes' })) as {
    items: { metadata: { name: string } }[];
  };
  const body = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null, 'lull.dev/parked': null } } };
  for (const { metadata } of items) {
    const path = `/api/v1/nodes/${metadata.name}`;
    await api.must({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }
  await api.must({ method: 'DELETE', path: '/apis/lull.dev/v1alpha1/disruptionledgers/lull' });
}
