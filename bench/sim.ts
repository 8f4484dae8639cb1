// Speed of the simulator: a month of a large cluster that is rolled every day, on one core.

import { InlineSearcher } from '../src/engine/search.ts';
import type { Json } from '../src/kinds/read/reader.ts';
import { openController } from '../src/runtime/controller.ts';
import { scenarioOf } from '../src/sim/scenario/readScenario.ts';
import { simulate } from '../src/sim/simulate.ts';
import { table } from './table.ts';

const podsPerNode = 20;
const pools = 10;

export function benchSim(): string {
  const days = Number(process.env.DAYS ?? 30);
  const head = [
    'nodes',
    'pods',
    'days',
    'took',
    'memory',
    'rounds',
    'requests',
    'changes',
    'changes a second',
    'nodes rolled',
    'pods moved',
    'violations',
  ];
  return table(
    head,
    [100, 1_000].map((nodes) => benchSize(nodes, days)),
  );
}

function benchSize(nodes: number, days: number): string[] {
  const scenario = scenarioOf(month(nodes, days));
  let peak = 0;
  let changes = 0;
  const started = performance.now();
  const simulation = simulate(scenario, {
    reconciler: (port) => openController(port, scenario.settings, {}, new InlineSearcher()),
  });
  simulation.world.objects.onChange(() => {
    changes++;
  });
  for (let steps = 0; simulation.step(); steps++) {
    if (steps % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  }
  const seconds = (performance.now() - started) / 1000;
  const { rounds, requests, summary, violations } = simulation.result();
  const rolled = Object.values(summary.rolled).reduce((a, b) => a + b, 0);
  const figures = [rounds, requests, changes, changes / seconds, rolled, summary.podsMoved, violations.length];
  return [
    count(nodes),
    count(nodes * podsPerNode),
    String(days),
    `${seconds.toFixed(1)} s`,
    `${(peak / 2 ** 20).toFixed(0)} MB`,
    ...figures.map(count),
  ];
}

const count = (value: number): string => Math.round(value).toLocaleString('en');

/** Ten pools, a workload and a PDB each; a new image for every pool once a day, an hour apart, a tenth of a pool at a time. */
function month(nodes: number, days: number): Json[] {
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  const perPool = nodes / pools;
  return [
    {
      apiVersion: 'lull.dev/v1alpha1',
      kind: 'Scenario',
      metadata: { name: 'month' },
      spec: {
        from: '2026-11-01T00:00:00Z',
        for: `${24 * days}h`,
        instanceTypes: { l: { cpu: '8', memory: '32Gi', price: 0.4 } },
        nodes: names.map((pool) => ({ pool, count: perPool, zones: ['a', 'b', 'c'] })),
        script: names.map((pool, index) => ({
          at: `${1 + index}h`,
          every: '24h',
          times: days,
          release: { pool, image: 'v{n}' },
        })),
      },
    },
    ...names.flatMap((name) => poolWithLoad(name, perPool)),
  ];
}

function poolWithLoad(name: string, nodes: number): Json[] {
  const labels = { app: name };
  return [
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: {
        disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1h', budgets: [{ nodes: '10%' }] },
        template: { metadata: { labels: { image: 'v0', team: name } }, spec: { expireAfter: 'Never' } },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name },
      spec: {
        replicas: nodes * podsPerNode,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { team: name },
            containers: [{ name: 'main', resources: { requests: { cpu: '380m', memory: '1Gi' } } }],
          },
        },
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'shop', name },
      spec: { maxUnavailable: '20%', selector: { matchLabels: labels } },
    },
  ];
}
