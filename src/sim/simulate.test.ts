// Running scenarios: the initial cluster, stopping and resuming, and the effect of every script action and fault.
import { describe, expect, it } from 'vitest';
import type { Json } from '../kinds/read/reader.ts';
import type { Pass, Port, Reconciler, Rest } from '../runtime/port.ts';
import { asDuration, formatInstant, hour, type Instant, minute, after as plus, second } from '../time/instant.ts';
import { isTrue } from './actors/rawObjects.ts';
import { scenarioOf } from './scenario/readScenario.ts';
import type { SentRequest } from './simPort.ts';
import { type SimulateOptions, simulate } from './simulate.ts';
import { instantAsText } from './story/storyEvent.ts';

const pool: Json = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'web' },
  spec: {
    template: {
      metadata: { labels: { image: 'v1' } },
      spec: { startupTaints: [{ key: 'starting', effect: 'NoSchedule' }] },
    },
  },
};

const deployment: Json = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 6,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', resources: { requests: { cpu: '1900m' } } }] },
    },
  },
};

const daemons: Json = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent' }] } },
  },
};

function play(spec: Json = {}, options: Partial<SimulateOptions> = {}) {
  const scenario = scenarioOf([
    {
      apiVersion: 'lull.dev/v1alpha1',
      kind: 'Scenario',
      metadata: { name: 'test' },
      spec: {
        from: '2026-11-16T08:00:00Z',
        for: '2h',
        nodes: [{ pool: 'web', count: 3, zones: ['a', 'b', 'c'], instanceType: 'm', age: '48h' }],
        ...spec,
      },
    },
    pool,
    deployment,
    daemons,
  ]);
  return simulate(scenario, { reconciler: () => idle, ...options });
}

const rest: Rest = { again: false };
const idle: Reconciler = {
  // biome-ignore lint/correctness/useYield: it sends no requests.
  *pass(): Pass {
    return rest;
  },
};

/** Annotates a node in each pass, once a minute. */
const busy = (port: Port): Reconciler => ({
  *pass(now): Pass {
    const [first] = port.view().cluster.nodes;
    if (!first) return rest;
    const value = { pass: String(now) };
    yield [
      {
        verb: 'patch',
        kind: 'Node',
        name: first.node.name,
        patch: [{ op: 'add', path: '/metadata/annotations', value }],
      },
    ];
    return { again: false, wakeAt: plus(now, minute) };
  },
});

const named = ({ world }: ReturnType<typeof play>, kind: string) => [...world.objects.list(kind)];

describe('The initial cluster', () => {
  const simulation = play();
  const nodes = named(simulation, 'Node');

  it('has the nodes of the scenario: their names, zones and ages, Ready and initialized', () => {
    expect(formatInstant(simulation.now)).toBe('2026-11-16T08:00:00Z');
    expect(nodes.map(({ metadata }) => [metadata.name, metadata.labels?.['topology.kubernetes.io/zone']])).toEqual([
      ['web-1', 'a'],
      ['web-2', 'b'],
      ['web-3', 'c'],
    ]);
    for (const node of nodes) {
      expect(node.metadata.creationTimestamp).toBe('2026-11-14T08:00:00Z');
      expect(node.metadata.labels).toMatchObject({ image: 'v1', 'karpenter.sh/initialized': 'true' });
      expect(node.spec?.taints).toBeUndefined();
      expect(isTrue(node, 'Ready')).toBe(true);
    }
    expect(named(simulation, 'NodeClaim').every((claim) => isTrue(claim, 'Initialized'))).toBe(true);
  });

  it('has pods that have been running since the nodes were created', () => {
    const pods = named(simulation, 'Pod');
    expect(pods).toHaveLength(6 + 3);
    expect(pods.every((pod) => isTrue(pod, 'Ready'))).toBe(true);
    expect(pods.every(({ metadata }) => metadata.creationTimestamp?.startsWith('2026-11-14T08:'))).toBe(true);
  });

  it('is not part of the story', () => {
    expect(simulation.events).toEqual([]);
  });

  it('K1: is refused if no instance type fits', () => {
    expect(() => play({ instanceTypes: {}, nodes: [{ pool: 'web' }] })).toThrow('No instance type satisfies pool web');
  });
});

describe('A simulation', () => {
  it('runs to its end, or for the requested time', () => {
    const whole = play();
    whole.run();
    expect(whole.now).toBe(whole.to);
    const part = play({}, { for: minute });
    expect(part.run().summary.simulated).toBe(minute);
  });

  it('can be stopped at any time and resumed', () => {
    const script = [{ at: '10m', release: { pool: 'web', image: 'v2' } }];
    const simulation = play({ script });
    simulation.runUntil(plus(simulation.from, asDuration(10 * minute - 1)));
    expect(simulation.events).toEqual([]);
    simulation.runUntil(plus(simulation.from, asDuration(10 * minute)));
    expect(simulation.events).toHaveLength(1);
    expect(simulation.run().events).toHaveLength(1);
  });

  it('repeats itself with the same seed, and differs with another', () => {
    const runWith = (seed: number): string => {
      const sent: string[] = [];
      const script = [{ at: '10m', scale: { kind: 'Deployment', name: 'shop/web', replicas: 9 } }];
      const note = ({ at, by }: SentRequest): void => {
        sent.push(`${at} ${by}`);
      };
      const options = { seed, for: asDuration(20 * minute), reconciler: busy, onSent: note, controllers: 2 };
      const { events } = play({ script }, options).run();
      return JSON.stringify([sent, events]);
    };
    expect(runWith(1)).toBe(runWith(1));
    expect(runWith(1)).not.toBe(runWith(2));
  });

  it('counts the rounds and requests of all controllers', () => {
    const by = new Set<string>();
    const { rounds, requests } = play(
      {},
      { reconciler: busy, controllers: 2, for: asDuration(10 * minute), onSent: (sent) => by.add(sent.by) },
    ).run();
    expect([...by].sort()).toEqual(['lull-1', 'lull-2']);
    expect(requests).toBe(rounds);
    expect(rounds).toBeGreaterThan(20);
  });

  it('G2: crashes a controller at the given request, and restarts it with a new view', () => {
    let opened = 0;
    const reconciler = (port: Port): Reconciler => {
      opened++;
      return busy(port);
    };
    const { events } = play({}, { reconciler, crashes: { 'lull-1': [{ request: 3, when: 'after' }] } }).run();
    expect(opened).toBe(2);
    expect(events.map(({ text }) => text)).toEqual([
      'lull-1 crashes.',
      'lull-1 restarts and reads its state from the cluster.',
    ]);
    expect(events.map(({ at }) => at)[1]).toBe(plus(events[0]?.at as Instant, asDuration(5 * second)));
  });

  it('reports failed expectations, separate from those that may still be met', () => {
    const spec = { expect: [{ event: { kind: 'NodeGone', count: 1 } }] };
    expect(play(spec).run()).toMatchObject({ broken: [expect.stringContaining('But there were 0')], missing: [] });
    expect(play(spec, { for: minute }).run()).toMatchObject({
      broken: [],
      missing: [expect.stringContaining('But there were 0')],
    });
  });
});

/** The events as `8:10 kind: text`. */
const storyOf = (spec: Json, options: Partial<SimulateOptions> = {}): string[] =>
  play(spec, options)
    .run()
    .events.map(({ at, kind, text }) => `${instantAsText(at).slice(12, 16)} ${kind}: ${text}`);

describe('Script actions', () => {
  const script = (...entries: Json[]): Json => ({ script: entries });

  it('release: changes the template; {n} is the repetition', () => {
    const simulation = play(script({ at: '10m', every: '10m', times: 2, release: { pool: 'web', image: 'v{n}' } }));
    expect(simulation.run().events.map(({ text }) => text)).toEqual([
      'Image v1 is released for pool web.',
      'Image v2 is released for pool web.',
    ]);
    expect(simulation.world.objects.get('NodePool', 'web')?.spec).toMatchObject({
      template: { metadata: { labels: { image: 'v2' } } },
    });
  });

  it('scale: adds pods, and a node for them', () => {
    expect(storyOf(script({ at: '10m', scale: { kind: 'Deployment', name: 'shop/web', replicas: 7 } }))).toEqual([
      '8:10 LoadChanged: shop/web is scaled up from 6 to 7 pods.',
      expect.stringMatching(/^8:10 NodeLaunched: web-\w+ is launched\.$/),
      expect.stringMatching(/^8:1[01] NodeReady: web-\w+ is ready after \d+s\.$/),
    ]);
  });

  it('load: scales up and down within its period', () => {
    const simulation = play(
      script({ at: '0s', load: { kind: 'Deployment', name: 'shop/web', least: 2, most: 6, period: '2h' } }),
    );
    const counts: number[] = [];
    for (const minutes of [1, 61, 119]) {
      simulation.runUntil(plus(simulation.from, asDuration(minutes * minute)));
      counts.push(Number(simulation.world.objects.get('Deployment', 'shop/web')?.spec?.replicas));
    }
    expect(counts).toEqual([2, 6, 2]);
  });

  it('interrupt: terminates the node after two minutes', () => {
    const [first, ...others] = storyOf(script({ at: '10m', interrupt: { node: 'web-2' } }));
    expect(first).toBe('8:10 Fault: Interruption notice: the cloud terminates web-2 in two minutes.');
    expect(others).toContainEqual(expect.stringMatching(/^8:12 NodeNotReady: web-2/));
    expect(others).toContainEqual(expect.stringMatching(/^8:1\d NodeGone: web-2 is gone\.$/));
  });

  it('fail: makes the node NotReady for a while', () => {
    const simulation = play(script({ at: '10m', fail: { node: 'web-2', for: '10m' } }));
    const isReady = (): boolean => isTrue(simulation.world.objects.get('Node', 'web-2') ?? ({} as never), 'Ready');
    simulation.runUntil(plus(simulation.from, asDuration(15 * minute)));
    expect(isReady()).toBe(false);
    simulation.run();
    expect(isReady()).toBe(true);
  });

  it('apply: creates an object, then merges changes into it', () => {
    const window = (spec: Json): Json => ({
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'MaintenanceWindow',
      metadata: { name: 'stop' },
      spec,
    });
    const simulation = play(
      script(
        { at: '10m', apply: window({ note: 'hm', actions: ['Drift'] }) },
        { at: '20m', apply: window({ note: null, mode: 'Allow' }) },
      ),
    );
    expect(simulation.run().events.map(({ text }) => text)).toEqual([
      'MaintenanceWindow stop is added.',
      'MaintenanceWindow stop is changed.',
    ]);
    expect(simulation.world.objects.get('MaintenanceWindow', 'stop')?.spec).toEqual({
      actions: ['Drift'],
      mode: 'Allow',
    });
  });

  it('delete: removes an object, or reports that it does not exist', () => {
    expect(
      storyOf(
        script(
          { at: '1m', delete: { kind: 'DaemonSet', name: 'shop/agent' } },
          { at: '2m', delete: { kind: 'Node', name: 'x' } },
        ),
      ),
    ).toEqual([
      '8:01 Happening: DaemonSet shop/agent is deleted.',
      '8:02 Happening: Node x is not deleted: it does not exist.',
    ]);
  });

  it('annotate: sets and removes annotations', () => {
    const on = (at: string, annotations: Json): Json => ({
      at,
      annotate: { kind: 'Node', name: 'web-1', annotations },
    });
    const simulation = play(script(on('1m', { 'lull.dev/hold': 'why', other: 'x' }), on('2m', { other: null })));
    expect(simulation.run().events.map(({ text }) => text)).toEqual([
      'Annotations of Node web-1: lull.dev/hold set to "why", other set to "x".',
      'Annotations of Node web-1: other removed.',
    ]);
    expect(simulation.world.objects.get('Node', 'web-1')?.metadata.annotations).toEqual({ 'lull.dev/hold': 'why' });
  });
});

describe('Faults', () => {
  const fault = (what: Json): Json => ({
    script: [
      { at: '10m', fault: what },
      { at: '11m', scale: { kind: 'Deployment', name: 'shop/web', replicas: 8 } },
    ],
  });

  it.each([
    { name: 'launches that hang', what: { launches: 'never', pool: 'web', for: '30m' }, readyAfter: '8:40' },
    { name: 'launches that fail', what: { launches: 'fails', for: '30m' }, readyAfter: '8:40' },
    { name: 'slow launches', what: { launches: 500, for: '2h' }, readyAfter: '8:15' },
    { name: 'slow boots', what: { boots: 20, for: '2h' }, readyAfter: '8:15' },
  ])('$name', ({ what, readyAfter }) => {
    const ready = storyOf(fault(what)).filter((line) => line.includes('NodeReady'));
    expect(ready.every((line) => line >= readyAfter)).toBe(true);
  });

  it('without a fault, nodes become ready within a minute or two', () => {
    const ready = storyOf({
      script: [{ at: '11m', scale: { kind: 'Deployment', name: 'shop/web', replicas: 8 } }],
    }).filter((line) => line.includes('NodeReady'));
    expect(ready).toEqual([expect.stringMatching(/^8:1[12] /)]);
  });

  it('a broken image: its nodes become Ready only after it is fixed', () => {
    expect(
      storyOf(fault({ image: 'v1', breaks: 'nodes', for: '10m' })).filter((line) => line.includes('NodeReady')),
    ).toEqual([expect.stringMatching(/^8:2/)]);
  });

  it.each([
    { name: 'an unreachable API server', what: { api: 'away', for: '30m' }, answers: ['away'] },
    { name: 'lost responses', what: { answers: 'lost', for: '30m' }, answers: ['away'] },
  ])('$name', ({ what, answers }) => {
    const during = new Set<string>();
    const afterwards = new Set<string>();
    const simulation = play(fault(what), {
      reconciler: busy,
      onSent: ({ at, answer }) => {
        if (at < simulation.from + 10 * minute) return;
        (at < simulation.from + 40 * minute ? during : afterwards).add(answer.status);
      },
    });
    simulation.run();
    expect([...during]).toEqual(answers);
    expect([...afterwards]).toEqual(['done']);
  });

  it('late watches: the controller sees changes late', () => {
    const seen: number[] = [];
    const reconciler = (port: Port): Reconciler => ({
      // biome-ignore lint/correctness/useYield: it only reads.
      *pass(now): Pass {
        if (port.view().cluster.pools.get('web')?.template.labels.image === 'v2') seen.push(now);
        return rest;
      },
    });
    const script = [
      { at: '10m', fault: { watch: 'late', by: '60s', kinds: ['NodePool'], for: '20m' } },
      { at: '11m', release: { pool: 'web', image: 'v2' } },
    ];
    const simulation = play({ script }, { reconciler });
    simulation.run();
    const late = (seen[0] ?? 0) - simulation.from - 11 * minute;
    expect(late).toBeGreaterThanOrEqual(30 * second);
    expect(late).toBeLessThanOrEqual(61 * second);
  });

  it('a crash: the controller is down for the given time', () => {
    expect(storyOf({ script: [{ at: '10m', fault: { crash: 'lull-1', for: '1m' } }] })).toEqual([
      '8:10 Fault: lull-1 crashes.',
      '8:11 Fault: lull-1 restarts and reads its state from the cluster.',
    ]);
  });

  it('a crashing workload: none of its pods is Ready', () => {
    const script = [
      { at: '10m', fault: { workload: 'shop/Deployment/web' } },
      { at: '11m', scale: { kind: 'Deployment', name: 'shop/web', replicas: 8 } },
    ];
    const simulation = play({ script });
    simulation.run();
    const unready = named(simulation, 'Pod').filter((it) => !isTrue(it, 'Ready'));
    expect(unready).toHaveLength(8);
  });
});

it('An idle cluster needs fewer than 20 steps for three hours', () => {
  const simulation = play({ for: '3h' });
  let steps = 0;
  while (simulation.step()) steps++;
  expect(steps).toBeLessThan(20);
  expect(simulation.now - simulation.from).toBe(3 * hour);
});
