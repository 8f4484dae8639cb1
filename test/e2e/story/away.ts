// Lull is away while a cluster grows and its template changes: what Karpenter took meanwhile, as the observer saw it.
import { flightsOf, type Timeline } from '../observer/timeline.ts';
import { runningPods } from './roll.ts';
import type { Story } from './story.ts';

export const policyName = 'lull-born-parked';
export const atBirth = 'at-birth';

interface Born {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: the pool web. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The annotations with which the server would store such a NodeClaim. Nothing is created. */
export async function bornWith(story: Story, { annotations, labels }: Born = {}): Promise<Record<string, string>> {
  const spec = {
    nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
  };
  const metadata = {
    name: 'probe',
    labels: labels ?? { 'karpenter.sh/nodepool': 'web' },
    ...(annotations && { annotations }),
  };
  const made = await story.cluster.api.must({
    method: 'POST',
    path: '/apis/karpenter.sh/v1/nodeclaims?dryRun=All',
    body: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec },
  });
  return (made.metadata as { annotations?: Record<string, string> }).annotations ?? {};
}

/** Whether admission parks a NodeClaim that is created now. */
export async function parksAtBirth(story: Story): Promise<boolean> {
  const annotations = await bornWith(story);
  return annotations['lull.dev/parked'] === atBirth && annotations['karpenter.sh/do-not-disrupt'] === 'true';
}

/** Each pod needs its own node. */
export async function scaleTo(story: Story, replicas: number): Promise<void> {
  await story.patch('Deployment', 'web', { spec: { replicas } });
  await story.until(`${replicas} pods run`, async () => (await runningPods(story)).length === replicas, {
    within: 120,
  });
}

export interface Taken {
  /** Names of the nodes that were in flight at any time. */
  readonly nodes: readonly string[];
  readonly mostAtOnce: number;
  readonly mostZonesAtOnce: number;
}

/** The nodes of a pool taken since an instant. */
export function takenSince(timeline: Timeline, since: number, pool = 'web'): Taken {
  const flights = flightsOf(timeline)
    .filter(({ at }) => at >= since)
    .map(({ nodes }) => nodes.filter((node) => node.pool === pool));
  const most = (counts: readonly number[]): number => Math.max(0, ...counts);
  return {
    nodes: [...new Set(flights.flatMap((nodes) => nodes.map(({ name }) => name)))],
    mostAtOnce: most(flights.map((nodes) => nodes.length)),
    mostZonesAtOnce: most(flights.map((nodes) => new Set(nodes.map(({ zone }) => zone)).size)),
  };
}
