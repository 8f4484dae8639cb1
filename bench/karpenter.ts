// A roll of 300 nodes beside a real Karpenter: from offer to taken, Lull's requests to the API server, and its memory.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { whyNoCluster } from '../test/cluster/binaries.ts';
import { type Cluster, startCluster } from '../test/cluster/cluster.ts';
import { pidOf } from '../test/cluster/running.ts';
import { type Observer, openObserver } from '../test/e2e/observer/observer.ts';
import { takesOf } from '../test/e2e/observer/takes.ts';
import type { NodeLine, Timeline } from '../test/e2e/observer/timeline.ts';
import { lullUser, readAudit } from '../test/e2e/story/audit.ts';
import { type Hand, openHand } from '../test/e2e/story/hand.ts';
import { runLull, startLull } from '../test/e2e/story/lull.ts';
import { deployment, nodepool } from '../test/e2e/story/objects.ts';
import { openUntil, type Until } from '../test/e2e/story/until.ts';
import { table } from './table.ts';

const nodes = Number(process.env.NODES ?? 300);
/** How many nodes may be disrupted at a time. */
const budget = process.env.BUDGET ?? '5';
/** The roll is observed until Karpenter has taken this many. */
const takes = Number(process.env.TAKES ?? 20);
const step = 50;
const minute = 60_000;

interface Stage {
  readonly cluster: Cluster;
  readonly hand: Hand;
  readonly observer: Observer;
  readonly until: Until;
}

export async function benchKarpenter(): Promise<string> {
  const why = whyNoCluster();
  if (why) return why;
  const cluster = await startCluster({ name: 'bench-karpenter' });
  const observer = openObserver(cluster.folder);
  const say = (sentence: string): void => void process.stderr.write(`bench karpenter: ${sentence}\n`);
  try {
    const until = openUntil(async () => '', say);
    return await measure({ cluster, hand: openHand(cluster.api), observer, until });
  } finally {
    observer.close();
    await cluster.stop();
  }
}

async function measure({ cluster, hand, observer, until }: Stage): Promise<string> {
  const { code, stderr } = await runLull(cluster, ['install', '--set', 'role=guide']);
  if (code !== 0) throw new Error(stderr);
  await hand.apply(nodepool({ budgets: [{ nodes: budget }] }), deployment({ replicas: 0, spread: false }));
  await grow({ hand, until });
  const began = Date.now();
  const lull = await startLull({ cluster, until, number: 1 }, { role: 'guide' });
  const readyMs = Date.now() - began;
  try {
    const since = Date.now();
    const atRest = memoryOf(await pidOf(cluster.folder, 'lull-1'));
    await hand.patch('NodePool', 'web', { spec: { template: { metadata: { labels: { version: 'two' } } } } });
    const taken = async (): Promise<boolean> => takesOf(await observer.timeline()).length >= takes;
    await until(`${takes} nodes are taken`, taken, { within: 900 });
    const minutes = (Date.now() - since) / minute;
    const memory = memoryOf(await pidOf(cluster.folder, 'lull-1'));
    const waits = offersTaken(await observer.timeline(), since);
    const asked = readAudit(cluster.auditLog).filter(
      ({ user, at, verb }) => user === lullUser && Date.parse(at) >= since && verb !== 'watch',
    );
    const lease = asked.filter(({ resource }) => resource === 'leases').length;
    const reports = asked.filter(({ resource }) => resource === 'events' || resource.endsWith('/status')).length;
    const each = (count: number): string => (count / minutes).toFixed(0);
    return table(
      [`${nodes} nodes, ${budget} at a time, ${waits.length} taken in ${minutes.toFixed(1)} min`, 'measured'],
      [
        ['from the start of Lull until it is ready', `${(readyMs / 1000).toFixed(1)} s`],
        ['from offer to taken, median', `${seconds(waits, 0.5)} s`],
        ['from offer to taken, 95 of 100', `${seconds(waits, 0.95)} s`],
        ['requests a minute, all', each(asked.length)],
        ['of them the lease', each(lease)],
        ['of them statuses and events', each(reports)],
        ['memory of Lull (RSS) once it is ready', `${atRest} MB`],
        ['memory of Lull (RSS) at the end', `${memory} MB`],
        ['load average of the two cores at the end', loadavg()[0]?.toFixed(0) ?? ''],
      ],
    );
  } finally {
    await lull.kill();
  }
}

/** In steps: if the scheduler is late, Karpenter launches more nodes than the pods need. */
async function grow({ hand, until }: Pick<Stage, 'hand' | 'until'>): Promise<void> {
  const running = async (): Promise<number> =>
    (await hand.list('Pod', 'app=web')).filter(({ status }) => status.phase === 'Running').length;
  for (let replicas = step; replicas < nodes + step; replicas += step) {
    const wanted = Math.min(replicas, nodes);
    await hand.patch('Deployment', 'web', { spec: { replicas: wanted } });
    await until(`${wanted} pods run`, async () => (await running()) === wanted, { within: 300 });
  }
}

/** For each node taken: the milliseconds since it was unparked, as the observer saw both. */
function offersTaken({ lines }: Timeline, since: number): number[] {
  const isTaken = ({ taints }: NodeLine): boolean => taints.includes('karpenter.sh/disrupted');
  const offered = new Map<string, number>();
  const before = new Map<string, NodeLine>();
  const waits: number[] = [];
  for (const line of lines) {
    if (line.kind !== 'Node' || line.at < since) {
      if (line.kind === 'Node') before.set(line.uid, line);
      continue;
    }
    const last = before.get(line.uid);
    before.set(line.uid, line);
    if (last?.parked && !line.parked) offered.set(line.uid, line.at);
    const at = offered.get(line.uid);
    if (at === undefined || !isTaken(line)) continue;
    waits.push(line.at - at);
    offered.delete(line.uid);
  }
  return waits.sort((a, b) => a - b);
}

const seconds = (sorted: readonly number[], share: number): string =>
  ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1000).toFixed(1);

function memoryOf(pid: number | undefined): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
