// Lull is away while a cluster grows and its template changes: what Karpenter took meanwhile, as the observer saw it.
import { flightsOf, type Timeline } from '../observer/timeline.ts';
import { runningPods } from './roll.ts';
import type { Story } from './story.ts';

export const policyName = 'lull-born-parked';
export const atBirth = 'at-birth';

/** Whether admission parks a NodeClaim that is created now. Nothing is created: the server only says what it would store. */
export async function parksAtBirth(story: Story): Promise<boolean> {
  const spec = {
    nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
  };
  const metadata = { name: 'probe', labels: { 'karpenter.sh/nodepool': 'web' } };
  const made = await story.cluster.api.must({
    method: 'POST',
    path: '/apis/karpenter.sh/v1/nodeclaims?dryRun=All',
    body: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec },
  });
  const { annotations = {} } = made.metadata as { annotations?: Record<string, string> };
  return annotations['lull.dev/parked'] === atBirth && annotations['karpenter.sh/do-not-disrupt'] === 'true';
}

/** Each pod needs a node of its own. */
export async function scaleTo(story: Story, replicas: number): Promise<void> {
  await story.patch('Deployment', 'web', { spec: { replicas } });
  await story.until(`${replicas} pods run`, async () => (await runningPods(story)).length === replicas, {
    within: 120,
  });
}

export interface Taken {
  /** Names of the nodes that were in flight at some time. */
  readonly nodes: readonly string[];
  readonly mostAtOnce: number;
  readonly mostZonesAtOnce: number;
}

/** Of a pool, from an instant on. */
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
