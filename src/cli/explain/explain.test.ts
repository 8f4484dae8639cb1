// Tests of `lull explain`: golden files of all examples, JSON, and the rendered week.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { runInMemory } from '../../../test/inMemory.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
const tuesday = '2026-11-17T10:20:00Z';

async function explain(text: string, ...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await runInMemory(['explain', '-f', '-', ...argv], { stdin: text });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function expectGolden(name: string, told: string): void {
  const folder = resolve(here, 'explained');
  const file = resolve(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, told);
  }
  expect(told).toBe(existsSync(file) ? readFileSync(file, 'utf8') : 'UPDATE_GOLDEN=1 npx vitest run src/cli/explain');
}

const seeds = readdirSync(resolve(root, 'scenarios/seeds')).filter((name) => name.endsWith('.yaml'));

describe('The explanation of every example of the design documents', () => {
  it.each(seeds.sort())('%s', async (file) => {
    const text = readFileSync(resolve(root, 'scenarios/seeds', file), 'utf8');
    const at = /^# decide: (\S+)/m.exec(text)?.[1] ?? tuesday;
    expectGolden(basename(file, '.yaml'), await explain(text, '--at', at));
  });

  it('first-look.yaml', async () => {
    const text = readFileSync(resolve(root, 'scenarios/first-look.yaml'), 'utf8');
    expectGolden('first-look', await explain(text, '--at', tuesday));
  });
});

interface Wild {
  readonly budgets: readonly object[];
  readonly consolidationPolicy?: string;
  readonly meant: string;
  readonly holds: string;
}

/** Enough nodes to make percentages meaningful. */
const nodes = Array.from({ length: 14 }, (_, index) => [
  {
    kind: 'Node',
    metadata: {
      name: `n-${index}`,
      labels: {
        'karpenter.sh/nodepool': 'wild',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
      },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  },
  { kind: 'NodeClaim', metadata: { name: `n-${index}` }, status: { nodeName: `n-${index}` } },
]).flat();

describe('The explanation of budgets as people really write them', () => {
  const wild = parse(readFileSync(resolve(root, 'test/vectors/wild-budgets.yaml'), 'utf8')) as Wild[];

  it.each(wild.map((row, index) => ({ ...row, index })))('$meant', async ({ index, meant, holds, ...disruption }) => {
    const pool = { kind: 'NodePool', metadata: { name: 'wild' }, spec: { disruption } };
    const told = await explain(JSON.stringify([pool, ...nodes]), '--at', tuesday);
    expectGolden(`wild-${String(index).padStart(2, '0')}`, `meant: ${meant}\nholds: ${holds}\n\n${told}`);
  });
});

describe('No golden file', () => {
  it('is without a test', () => {
    const names = readdirSync(resolve(here, 'explained')).map((name) => name.replace(/\.txt$/, ''));
    const known = [...seeds.map((file) => basename(file, '.yaml')), 'first-look'];
    expect(names.filter((name) => !known.includes(name) && !/^wild-\d\d$/.test(name))).toEqual([]);
  });
});

const office = `
kind: NodePool
metadata: { name: default }
spec:
  disruption:
    budgets:
      - { nodes: "0", schedule: 0 9 * * mon-fri, duration: 8h, timeZone: Europe/Berlin, reasons: [Drifted] }
      - { nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted] }
      - { nodes: 10% }
      - { nodes: "5" }
`;

describe('lull explain -o json', () => {
  it('has the hours of each reason beside the sentence', async () => {
    const told = JSON.parse(await explain(office, '--at', tuesday, '-o', 'json'));
    expect(Object.keys(told)).toEqual(['at', 'pools', 'windows', 'podSchedules', 'pods', 'faults', 'everywhere']);
    const [pool] = told.pools;
    expect(pool).toMatchObject({ name: 'default', zone: 'Europe/Berlin', nodes: 0 });
    expect(pool.sentences).toHaveLength(2);
    expect(pool.reasons.map(({ reason }: { reason: string }) => reason)).toEqual([
      'Unhealthy',
      'Empty',
      'Drifted',
      'Expired',
      'Rebalance',
      'Underutilized',
    ]);
    expect(pool.reasons[0]).toEqual({
      reason: 'Unhealthy',
      sentence: 'Unhealthy: any time, at most 10% of the pool at a time, but never more than 5 nodes.',
      week: [{ from: 'Mon 00:00', to: 'Sun 24:00', atMost: ['5', '10%'] }],
    });
    const domains = [{ topologyKey: 'topology.kubernetes.io/zone', nodes: '1', sequential: true }];
    const { week } = pool.reasons[2];
    expect(week.slice(0, 3)).toEqual([
      { from: 'Mon 00:00', to: 'Mon 09:00', atMost: ['5', '10%'], domains },
      { from: 'Mon 09:00', to: 'Mon 17:00', closed: true },
      { from: 'Mon 17:00', to: 'Tue 09:00', atMost: ['5', '10%'], domains },
    ]);
    expect(week.at(-1)).toEqual({ from: 'Fri 17:00', to: 'Sun 24:00', atMost: ['5', '10%'], domains });
  });

  it('has today’s limit if there are nodes, and none without a limit', async () => {
    const budgets = [{ nodes: '10%', reasons: ['Drifted'] }];
    const pool = { kind: 'NodePool', metadata: { name: 'wild' }, spec: { disruption: { budgets } } };
    const told = JSON.parse(await explain(JSON.stringify([pool, ...nodes]), '-o', 'json'));
    const weekOf = (reason: string) =>
      told.pools[0].reasons.find((it: { reason: string }) => it.reason === reason).week;
    expect(weekOf('Drifted')).toEqual([{ from: 'Mon 00:00', to: 'Sun 24:00', limit: 2, atMost: ['10%'] }]);
    expect(weekOf('Expired')).toEqual([{ from: 'Mon 00:00', to: 'Sun 24:00' }]);
  });

  it('reports an invalid pool as closed', async () => {
    const told = JSON.parse(
      await explain('{ kind: NodePool, metadata: { name: bad }, spec: { weight: heavy } }', '-o', 'json'),
    );
    expect(told.pools[0].sentences).toEqual([
      expect.stringMatching(/^bad: is invalid, so only interrupted nodes are disrupted: spec\.weight: /),
    ]);
    for (const { week } of told.pools[0].reasons)
      expect(week).toEqual([{ from: 'Mon 00:00', to: 'Sun 24:00', closed: true }]);
  });
});

describe('lull explain', () => {
  it('shows the week of the instant, including monthly schedules', async () => {
    const pool =
      'spec: { disruption: { budgets: [{ nodes: "5" }, { nodes: "0", schedule: 0 0 1 * *, duration: 24h }] } }';
    const told = await explain(`kind: NodePool\nmetadata: { name: p }\n${pool}`, '--at', '2026-12-03T10:00:00Z');
    expect(told).toContain(`    Mon 30 Nov ${'▒'.repeat(48)}\n    Tue  1 Dec ${'·'.repeat(48)}\n`);
    expect(told).toContain(`  > Thu  3 Dec ${'▒'.repeat(48)}  today\n`);
  });

  it('leaves an hour empty that the clock skips', async () => {
    const told = await explain(office, '--at', '2026-03-29T10:00:00Z');
    expect(told).toContain(`  > Sun 29 Mar ▒▒▒▒  ${'▒'.repeat(42)}  today\n`);
  });

  it('escapes control characters in names and notes', async () => {
    const window = { kind: 'MaintenanceWindow', metadata: { name: 'a\u001b[31mb' }, spec: { note: 'x\u202ey\nz' } };
    const told = await explain(JSON.stringify(window));
    expect(told).toContain('a\\x1b[31mb  blocks everything except interruption at all times on every node');
    expect(told).toContain('note: x\\u{202e}y\\nz.');
  });

  it('describes pods whose node is not in the input', async () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'p', annotations: { 'karpenter.sh/disruption-schedule': '0 2 * * 6' } },
      spec: { nodeName: 'elsewhere' },
    };
    expect(await explain(JSON.stringify(pod))).toContain('Pod default/p may be moved only Saturday 02:00–03:00 UTC.');
  });

  it('lists invalid values', async () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'p', annotations: { 'karpenter.sh/disruption-schedule': 'weekends' } },
    };
    expect(await explain(JSON.stringify(pod))).toMatch(/invalid values\n {2}warning {2}Pod\/default\/p /);
  });

  it('says so without a policy', async () => {
    expect(await explain('{ kind: Namespace, metadata: { name: a } }')).toBe(
      'No policy in these objects: no pools, no windows, and no pods that restrict when they move.\n',
    );
  });

  it('takes settings', async () => {
    const told = await explain(office, '--set', 'defaultBudgets=ceiling');
    expect(told).toContain('Budgets without reasons also apply to named reasons');
  });

  it('needs files or a cluster', async () => {
    vi.stubEnv('KUBECONFIG', '/nowhere/config');
    expect(await runInMemory(['explain'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/No input.* -f .*no kubeconfig at \/nowhere\/config.* --context NAME/),
    });
    vi.unstubAllEnvs();
  });

  it('has examples in its help', async () => {
    const { status, stdout } = await runInMemory(['explain', '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('lull explain -f nodepool.yaml');
  });
});

describe('Workloads and dates', () => {
  const explain = async (stdin: string): Promise<string> =>
    (await runInMemory(['explain', '-f', '-', '--at', '2026-11-17T10:20:00Z'], { stdin, width: 200 })).stdout;

  it('E4: describes the pod templates of workloads and their faults', async () => {
    const stdout = await explain(`apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  template:
    metadata:
      annotations:
        karpenter.sh/disruption-schedule: 0 2 * * sat
        karpenter.sh/disruption-schedule-duration: soon
---
apiVersion: batch/v1
kind: CronJob
metadata: {namespace: shop, name: report}
spec: {jobTemplate: {spec: {template: {metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}}}}}
`);
    expect(stdout).toContain('Pods of Deployment shop/web may be moved only Saturday 02:00–03:00 UTC.');
    expect(stdout).toContain('Pods of CronJob shop/report may not be moved (do-not-disrupt).');
    expect(stdout).toContain(
      'Deployment/shop/web spec.template.metadata.annotations[karpenter.sh/disruption-schedule-duration]:',
    );
  });

  it('E4: describes running pods instead of their template', async () => {
    const annotations = '{karpenter.sh/disruption-schedule: 0 2 * * sat}';
    const stdout = await explain(`apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: shop, name: db}
spec: {template: {metadata: {annotations: ${annotations}}}}
---
apiVersion: v1
kind: Pod
metadata:
  namespace: shop
  name: db-0
  annotations: ${annotations}
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, controller: true}]
`);
    expect(stdout.match(/of StatefulSet shop\/db/g)).toEqual(['of StatefulSet shop/db']);
    expect(stdout).toContain('1 pod of StatefulSet shop/db may be moved only Saturday');
  });

  it('describes nearly a whole week by what is left out', async () => {
    const stdout = await explain(`apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {disruption: {budgets: [{nodes: "10%"}, {nodes: "0", schedule: 30 1 * * tue, duration: 167h30m}]}}
---
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: quiet}
spec: {mode: Block, actions: [Drift], schedules: [{cron: 30 1 * * tue, duration: 167h30m}]}
`);
    expect(stdout).toContain(
      'Tuesday 01:00–01:30 UTC, at most 10% of the pool at a time; at all other times, not at all',
    );
    expect(stdout).toContain('blocks drift all week except Tuesday 01:00–01:30 UTC on every node.');
    expect(stdout).not.toContain('until Tuesday 01:00');
  });
});
