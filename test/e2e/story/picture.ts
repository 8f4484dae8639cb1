// A description of the cluster for a story that timed out: enough to see why without the cluster.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Hand, KubeObject } from './hand.ts';
import { tailOf } from './lull.ts';
import { zoneKey } from './objects.ts';

export const allLogs = 'All logs are in';

export async function drawPicture(cluster: Cluster, hand: Hand): Promise<string> {
  const parts = [nodes, claims, pools, pdbs, namespaces, events].map((part) =>
    part(hand).catch((error) => `(cannot be read: ${error instanceof Error ? error.message : error})`),
  );
  const logs = readdirSync(cluster.folder)
    .filter((file) => /^lull-\d+\.log$/.test(file))
    .map((file) => `The end of ${file}:\n${tailOf(join(cluster.folder, file), 30)}`);
  const karpenter = `The end of karpenter.log:\n${karpenterTail(join(cluster.folder, 'karpenter.log'))}`;
  return [...(await Promise.all(parts)), ...logs, karpenter, `${allLogs} ${cluster.folder}`].join('\n\n');
}

/** Without the fields that are the same on every line. */
const karpenterTail = (file: string): string =>
  tailOf(file, 12)
    .split('\n')
    .map((line) => {
      if (!line.startsWith('{')) return line;
      const { time, message, error = '', NodeClaim, Node } = JSON.parse(line);
      return `${time} ${message} ${error} ${NodeClaim?.name ?? ''} ${Node?.name ?? ''}`;
    })
    .join('\n');

const table = (title: string, rows: readonly string[]): string =>
  [`${title} (${rows.length}):`, ...rows.map((row) => `  ${row}`)].join('\n');

const conditionsOf = ({ status }: KubeObject): string =>
  (status?.conditions ?? [])
    .map((it: { type: string; status: string; reason?: string }) => `${it.type}=${it.status}`)
    .join(' ');

const ours = (texts: Readonly<Record<string, string>> = {}): string =>
  Object.entries(texts)
    .filter(([key]) => /lull\.dev|do-not-disrupt/.test(key))
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

async function nodes(hand: Hand): Promise<string> {
  const [all, pods] = [await hand.list('Node'), await hand.list('Pod')];
  const rows = all.map((node) => {
    const { name, labels, annotations, deletionTimestamp } = node.metadata;
    const taints = (node.spec.taints ?? []).map(({ key }: { key: string }) => key).join(',');
    const on = pods
      .filter(({ spec }) => spec.nodeName === name)
      .map((pod) => `${pod.metadata.name}${pod.metadata.deletionTimestamp ? '(going)' : ''}`);
    const ready = conditionsOf(node).includes('Ready=True') ? 'Ready' : 'NotReady';
    const going = deletionTimestamp ? ' deleting' : '';
    return `${name} ${labels?.[zoneKey]} ${ready}${going} [${taints}] ${ours(annotations)} pods: ${on.join(' ')}`;
  });
  const pending = pods.filter(({ spec }) => !spec.nodeName).map(({ metadata }) => metadata.name);
  return `${table('Nodes', rows)}\n${table('Pods without a node', pending)}`;
}

async function claims(hand: Hand): Promise<string> {
  const all = await hand.list('NodeClaim');
  return table(
    'Claims',
    all.map((claim) => {
      const going = claim.metadata.deletionTimestamp ? 'deleting ' : '';
      return `${claim.metadata.name} → ${claim.status?.nodeName ?? '?'} ${going}${conditionsOf(claim)}`;
    }),
  );
}

async function pools(hand: Hand): Promise<string> {
  const all = await hand.list('NodePool');
  return table(
    'Pools',
    all.map((pool) => `${pool.metadata.name} ${ours(pool.metadata.annotations)} ${conditionsOf(pool)}`),
  );
}

async function pdbs(hand: Hand): Promise<string> {
  const all = await hand.list('PodDisruptionBudget');
  return table(
    'PDBs',
    all.map(
      ({ metadata, status }) =>
        `${metadata.name} ${status?.currentHealthy}/${status?.desiredHealthy} healthy, ${status?.disruptionsAllowed} allowed`,
    ),
  );
}

/** Those that do not terminate, and what prevents it. */
async function namespaces(hand: Hand): Promise<string> {
  const ending = (await hand.list('Namespace')).filter(({ metadata }) => metadata.deletionTimestamp);
  return table(
    'Namespaces that are terminating',
    ending.map(({ metadata, status }) => {
      const causes = (status?.conditions ?? []).filter((it: { status: string }) => it.status === 'True');
      return `${metadata.name}: ${causes.map((it: { message: string }) => it.message).join('; ')}`;
    }),
  );
}

async function events(hand: Hand): Promise<string> {
  const all = await hand.list('Event');
  const at = (event: KubeObject): string =>
    event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  const last = all
    .filter(({ reason }) => reason !== 'Unconsolidatable')
    .toSorted((one, other) => (at(one) < at(other) ? -1 : 1))
    .slice(-20);
  return table(
    'Events',
    last.map((event) => {
      const { kind, name } = event.involvedObject;
      return `${at(event)} ${event.reportingComponent || event.source?.component} ${kind}/${name} ${event.reason}: ${event.message}`;
    }),
  );
}
