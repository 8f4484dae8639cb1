// The roll of a story: one pod per node in three zones, a changed template, then new nodes with as many pods running.
import type { KubeObject } from './hand.ts';
import { deployment, nodepool, type PoolParts } from './objects.ts';
import type { Story } from './story.ts';

/** Zone after zone, one node at a time. */
export const oneByOne = [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone', sequential: true }];

export async function runningPods(story: Story, app = 'web'): Promise<readonly KubeObject[]> {
  const pods = await story.list('Pod', `app=${app}`);
  return pods.filter(({ status, metadata }) => status.phase === 'Running' && !metadata.deletionTimestamp);
}

export async function claimsOf(story: Story, pool = 'web'): Promise<readonly KubeObject[]> {
  return story.list('NodeClaim', `karpenter.sh/nodepool=${pool}`);
}

/** A pool, and a pod for each of its nodes. */
export async function grow(story: Story, parts: PoolParts = {}, replicas = 9): Promise<void> {
  const pool = parts.name ?? 'web';
  await story.apply(nodepool(parts), deployment({ name: pool, pool, replicas }));
  await story.until(
    `${replicas} pods of ${pool} run`,
    async () => (await runningPods(story, pool)).length === replicas,
  );
}

export interface Roll {
  /** When the template was changed, in milliseconds. */
  readonly since: number;
  /** The claims to be replaced. */
  readonly old: ReadonlySet<string>;
  /** How many of them are gone. */
  gone(): Promise<number>;
  isDone(): Promise<boolean>;
}

/** Changes a label of the template: every node of the pool drifts. */
export async function release(story: Story, version: string, pool = 'web'): Promise<Roll> {
  const old = new Set((await claimsOf(story, pool)).map(({ metadata }) => metadata.name));
  const since = Date.now();
  await story.patch('NodePool', pool, { spec: { template: { metadata: { labels: { version } } } } });
  const left = async (): Promise<number> =>
    (await claimsOf(story, pool)).filter(({ metadata }) => old.has(metadata.name)).length;
  return {
    since,
    old,
    gone: async () => old.size - (await left()),
    isDone: async () => (await left()) === 0 && (await runningPods(story, pool)).length === old.size,
  };
}

/** Nodes that Lull has parked. */
export async function parkedNodes(story: Story, pool = 'web'): Promise<readonly string[]> {
  const nodes = await story.list('Node', `karpenter.sh/nodepool=${pool}`);
  return nodes
    .filter(({ metadata }) => metadata.annotations?.['lull.dev/parked'] !== undefined)
    .map(({ metadata }) => metadata.name);
}

/** Nodes that Karpenter is disrupting. */
export async function takenNodes(story: Story, pool = 'web'): Promise<readonly string[]> {
  const nodes = await story.list('Node', `karpenter.sh/nodepool=${pool}`);
  const isTaken = ({ metadata, spec }: KubeObject): boolean =>
    metadata.deletionTimestamp !== undefined ||
    (spec.taints ?? []).some(({ key }: { key: string }) => key === 'karpenter.sh/disrupted');
  return nodes.filter(isTaken).map(({ metadata }) => metadata.name);
}

/** `labels`: more labels, as for kubectl -l. */
export async function nodeNames(story: Story, labels = '', pool = 'web'): Promise<readonly string[]> {
  const nodes = await story.list('Node', [`karpenter.sh/nodepool=${pool}`, labels].filter(Boolean).join());
  return nodes.map(({ metadata }) => metadata.name).sort();
}

/** Null removes it. */
export const annotateNode = (story: Story, name: string, annotations: Readonly<Record<string, string | null>>) =>
  story.patch('Node', name, { metadata: { annotations } });
