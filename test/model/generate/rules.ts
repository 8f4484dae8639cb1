// Random windows, schedules and settings of Lull.
import type { Random } from '../../../src/sim/random.ts';
import { type Json, list, maybe, poolKey, schedule, some, subset, weighted, zoneKey } from './dice.ts';
import type { DrawnPool } from './pools.ts';
import type { DrawnWorkload } from './workloads.ts';

const actions = [
  'Expiration',
  'Consolidation',
  'EmptyConsolidation',
  'NonEmptyConsolidation',
  'Drift',
  'Rebalance',
  'Repair',
];

export const drawWindows = (random: Random, pools: readonly DrawnPool[]): Json[] =>
  list(
    weighted(random, [
      [4, 0],
      [3, 1],
      [2, 2],
      [1, 4],
    ]),
    (index) => drawWindow(random.fork(`window ${index}`), `mw${index + 1}`, pools),
  );

export function drawWindow(random: Random, name: string, pools: readonly DrawnPool[]): Json {
  const mode = random.pick(['Block', 'Block', 'Allow']);
  const isCap = random.chance(0.5);
  const spec = {
    ...(mode === 'Allow' && { mode }),
    ...((!isCap || random.chance(0.6)) && { schedules: list(some(random, 1, 2), () => schedule(random)) }),
    ...(isCap && { nodes: random.pick(['1', '1', '2', '3', '20%', '50%']) }),
    ...maybe(random, 0.5, () => ({ actions: subset(random, actions) })),
    ...maybe(random, 0.4, () => ({ selector: { matchExpressions: [selector(random, pools)] } })),
    ...maybe(random, 0.15, () => ({ notBefore: '2026-11-16T08:40:00Z' })),
    ...maybe(random, 0.15, () => ({ notAfter: '2026-11-16T10:30:00Z' })),
  };
  const where = { matchExpressions: [{ key: zoneKey, operator: 'In', values: ['c'] }] };
  const broken = { schedules: [{ cron: 'whenever', duration: '1h' }], selector: where };
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name },
    spec: random.chance(0.1) ? broken : { ...spec, ...rate(random.fork('rate'), spec) },
  };
}

/** A gate that users switch, and one whose status becomes too old. */
export function drawGates(random: Random, pools: readonly DrawnPool[]): { objects: Json[]; script: Json[] } {
  if (!random.chance(0.24)) return { objects: [], script: [] };
  const where = maybe(random, 0.6, () => ({ selector: { matchExpressions: [selector(random, pools)] } }));
  const gate = (healthy: boolean): Json => ({
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'HealthGate',
    metadata: { name: 'hg1' },
    spec: { check: { manual: { healthy } }, recoverAfter: random.pick(['0s', '1m', '10m']), ...where },
  });
  const flips = list(some(random, 1, 4), (index) => ({
    at: `${some(random, 2, 30) + index * 35}m`,
    apply: gate(index % 2 === 1),
  }));
  const status = { state: 'Healthy', since: '2026-11-16T07:00:00Z', checkedAt: '2026-11-16T08:00:00Z', message: 'ok' };
  const stale = {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'HealthGate',
    metadata: { name: 'hg2' },
    spec: {
      check: { http: { url: 'http://web.shop' } },
      interval: random.pick(['5m', '20m']),
      onUnknown: random.pick(['Hold', 'Ignore']),
      selector: { matchExpressions: [selector(random, pools)] },
    },
    status,
  };
  // Switched back at the end, so that the rest of the story happens.
  const script = [...flips, { at: '150m', apply: gate(true) }];
  return { objects: [gate(true), ...(random.chance(0.4) ? [stale] : [])], script };
}

/** P2, drawn independently of everything else. */
function rate(random: Random, { nodes, schedules }: Json): Json {
  if (nodes === undefined || !random.chance(0.3)) return {};
  return { per: schedules !== undefined && random.chance(0.5) ? 'opening' : random.pick(['5m', '20m', '1h']) };
}

const selector = (random: Random, pools: readonly DrawnPool[]): Json =>
  random.chance(0.5)
    ? { key: poolKey, operator: 'In', values: [random.pick(pools).name] }
    : { key: zoneKey, operator: random.pick(['In', 'NotIn']), values: [random.pick(['a', 'b'])] };

export const drawPodSchedules = (random: Random, workloads: readonly DrawnWorkload[]): Json[] =>
  workloads.length === 0
    ? []
    : list(random.chance(0.25) ? 1 : 0, () => {
        const { cron, duration } = schedule(random);
        return {
          apiVersion: 'karpenter.sh/v1alpha1',
          kind: 'PodDisruptionSchedule',
          metadata: { name: 'hours' },
          spec: {
            selector: { matchLabels: { app: random.pick(workloads).name } },
            schedule: cron,
            duration,
            ...maybe(random, 0.4, () => ({ mode: 'Block' })),
          },
        };
      });

/** Shorter than in production, so that long waits end within the run. */
export const drawSettings = (random: Random): Json => ({
  drainTimeout: random.pick(['5m', '10m', '20m']),
  replacementTimeout: random.pick(['3m', '5m', '10m']),
  repairAfter: random.pick(['3m', '10m']),
  ...maybe(random, 0.2, () => ({ defaultBudgets: 'ceiling' })),
  ...maybe(random, 0.2, () => ({ endingMachines: 'ignore' })),
  ...maybe(random, 0.3, () => ({ windowMargin: random.pick(['5m', '15m']) })),
  ...maybe(random, 0.1, () => ({ expiration: 'forceful' })),
  ...maybe(random, 0.2, () => ({ repairBreaker: random.pick(['1', '50%', '100%']) })),
});
