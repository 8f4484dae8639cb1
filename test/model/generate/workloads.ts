// Random workloads with PDBs, windows, opt-outs, tiers and grace periods.
import type { Random } from '../../../src/sim/random.ts';
import { type Json, list, maybe, poolKey, schedule, some, weighted } from './dice.ts';
import type { DrawnPool } from './pools.ts';

export interface DrawnWorkload {
  readonly kind: string;
  readonly name: string;
  readonly objects: readonly Json[];
}

export function drawWorkloads(random: Random, pools: readonly DrawnPool[]): DrawnWorkload[] {
  const main = pools.flatMap((pool, index) =>
    random.chance(0.9) ? [drawWorkload(random.fork(`main ${index}`), `w${index + 1}`, pool)] : [],
  );
  const more = list(some(random, 0, 3), (index) =>
    drawWorkload(random.fork(`more ${index}`), `x${index + 1}`, random.pick(pools)),
  );
  return [...main, ...more, ...(random.chance(0.4) ? [drawDaemon(random.fork('daemon'))] : [])];
}

function drawWorkload(random: Random, name: string, pool: DrawnPool): DrawnWorkload {
  const kind = weighted(random, [
    [6, 'Deployment'],
    [3, 'StatefulSet'],
    [1, 'Job'],
  ]);
  const count = some(random, 1, pool.count * 2);
  const selector = { matchLabels: { app: name } };
  const spec =
    kind === 'Job'
      ? { parallelism: Math.min(count, 4), completions: count, template: podTemplate(random, name, pool, true) }
      : {
          replicas: count,
          selector,
          template: podTemplate(random, name, pool, false),
          ...(kind === 'StatefulSet' && { podManagementPolicy: random.pick(['Parallel', 'OrderedReady']) }),
        };
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  const object = { apiVersion, kind, metadata: { namespace: 'shop', name }, spec };
  return { kind, name, objects: [object, ...pdbs(random, name, count)] };
}

function podTemplate(random: Random, name: string, pool: DrawnPool, isJob: boolean): Json {
  const annotations = { ...rules(random), ...(isJob && { 'sim.lull.dev/runs': random.pick(['5m', '20m', '1h']) }) };
  return {
    metadata: { labels: { app: name }, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...(random.chance(0.85) && { nodeSelector: { [poolKey]: pool.name } }),
      ...(isJob && { restartPolicy: 'Never' }),
      terminationGracePeriodSeconds: random.pick([1, 10, 30, 30, 60, 120]),
      ...maybe(random, 0.06, () => ({ priorityClassName: 'system-cluster-critical' })),
      ...maybe(random, 0.04, () => ({ tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] })),
      containers: [{ name, image: name, resources: { requests: requests(random) } }],
    },
  };
}

const requests = (random: Random): Json => ({
  cpu: random.pick(['100m', '500m', '900m', '1900m', '3']),
  memory: random.pick(['128Mi', '1Gi', '3Gi']),
});

/** The disruption annotations of a pod: none, a schedule, a block or an opt-out (E1–E5). */
function rules(random: Random): Json {
  const { cron, duration } = schedule(random);
  return weighted<Json>(random, [
    [12, {}],
    [2, { 'karpenter.sh/disruption-schedule': cron, 'karpenter.sh/disruption-schedule-duration': duration }],
    [1, { 'karpenter.sh/disruption-block-schedule': cron, 'karpenter.sh/disruption-block-duration': duration }],
    [1, { 'karpenter.sh/do-not-disrupt': 'true' }],
    [1, { 'karpenter.sh/do-not-disrupt': random.pick(['10m', '30m']) }],
    [1, { 'karpenter.sh/do-not-disrupt': 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Underutilized,Empty' }],
  ]);
}

function pdbs(random: Random, name: string, count: number): Json[] {
  const pdb = (suffix: string, spec: Json): Json => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'shop', name: `${name}${suffix}` },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  });
  if (!random.chance(0.55)) return [];
  const first = pdb('', {
    ...weighted<Json>(random, [
      [5, { maxUnavailable: random.pick([1, 1, 2, '30%']) }],
      [2, { minAvailable: random.pick(['50%', Math.max(count - 1, 0)]) }],
      [1, { maxUnavailable: 0 }],
    ]),
    ...maybe(random, 0.25, () => ({ unhealthyPodEvictionPolicy: 'AlwaysAllow' })),
  });
  return random.chance(0.06) ? [first, pdb('-too', { maxUnavailable: 1 })] : [first];
}

const drawDaemon = (random: Random): DrawnWorkload => ({
  kind: 'DaemonSet',
  name: 'agent',
  objects: [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { namespace: 'shop', name: 'agent' },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: {
            ...maybe(random, 0.4, () => ({ priorityClassName: 'system-node-critical' })),
            ...maybe(random, 0.3, () => ({ tolerations: [{ operator: 'Exists' }] })),
            terminationGracePeriodSeconds: 5,
            containers: [{ name: 'agent', image: 'agent', resources: { requests: { cpu: '50m', memory: '64Mi' } } }],
          },
        },
      },
    },
  ],
});
