// The simulated port: watches, requests and faults.
import { describe, expect, it } from 'vitest';
import { allowing, rawClaim, rawNode, rawPdb, rawPod, running } from '../../test/rawObjects.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { type ApiRequest, type ApiResponse, describeUnsynced, gatherFor } from '../runtime/port.ts';
import { after, asDuration, asInstant, type Instant, parseInstant, second } from '../time/instant.ts';
import type { KubeObject } from './kubeObject.ts';
import { Objects } from './objects.ts';
import { Random } from './random.ts';
import { type SentRequest, SimPort, type SimPortOptions } from './simPort.ts';
import { VirtualClock } from './virtualClock.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

function open(options: Partial<SimPortOptions> = {}, ...given: readonly KubeObject[]) {
  const clock = new VirtualClock(noon);
  const objects = new Objects(clock);
  for (const object of given) objects.create(object, 'stage');
  const port = new SimPort(objects, clock, { name: 'lull-1', random: new Random(1), ...options });
  const woken: number[] = [];
  port.onWake(() => woken.push(clock.now - noon));
  /** Runs whatever happens in the next milliseconds. */
  const pass = (milliseconds: number): void => {
    const end = after(clock.now, asDuration(milliseconds));
    clock.at(end, () => {});
    while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
  };
  const names = () => port.view().cluster.nodes.map(({ node }) => node.name);
  const label = (name: string, value: string, by = 'person') =>
    objects.write('Node', name, by, (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, value } },
    }));
  return { clock, objects, port, woken, pass, names, label };
}

const addTaint = (name: string): ApiRequest => ({
  verb: 'patch',
  kind: 'Node',
  name,
  patch: [
    { op: 'test', path: '/spec/taints', value: null },
    { op: 'add', path: '/spec/taints', value: [{ key: 'lull.dev/disrupted', effect: 'NoSchedule' }] },
  ],
});

const ledger = (pool: string): Ledger => ({
  ...emptyLedger,
  backoffs: [{ pool, until: asInstant(noon + 60_001), delay: asDuration(60_000) }],
});

describe('a watch', () => {
  it('brings a change after its lag, and not before', () => {
    const { objects, names, pass } = open({ lag: [40, 40] }, rawNode('n1'));
    objects.create(rawNode('n2'), 'person');
    expect(names()).toEqual(['n1']);
    pass(39);
    expect(names()).toEqual(['n1']);
    pass(1);
    expect(names()).toEqual(['n1', 'n2']);
  });

  it('keeps the order within a kind, and not across kinds', () => {
    const lag = { Node: [500, 500], Pod: [10, 10] } as const;
    const { objects, port, names, pass, label } = open({ faults: { away: false, lossy: false, lag: { ...lag } } });
    objects.create(rawNode('n1'), 'person');
    objects.create(rawPod('p'), 'person');
    pass(10);
    expect([names(), port.view().cluster.pendingPods.map(({ name }) => name)]).toEqual([[], ['p']]);
    // A later change that would come sooner waits for the one before it.
    port.faults.lag = {};
    label('n1', 'late');
    pass(100);
    expect(names()).toEqual([]);
    pass(400);
    expect(port.view().cluster.nodes[0]?.node.labels.value).toBe('late');
  });

  it('K5: wakes once for what others did, and again only after a look', () => {
    const { port, woken, pass, label } = open({ lag: [20, 20] }, rawNode('n1'));
    port.view();
    label('n1', 'a');
    pass(5);
    label('n1', 'b');
    pass(500);
    label('n1', 'c');
    pass(500);
    expect(woken).toEqual([20]);
    port.view();
    pass(1000);
    expect(woken).toEqual([20]);
    label('n1', 'd');
    pass(1000);
    expect(woken).toEqual([20, 2025]);
  });

  it('K5: wakes for a change that arrives after a look, and not for one that was looked at', () => {
    const { port, woken, pass, label } = open({ lag: [20, 20] }, rawNode('n1'));
    label('n1', 'a');
    pass(10);
    label('n1', 'b');
    // Just as the first arrives.
    pass(10);
    expect(woken).toEqual([20]);
    expect(port.view().cluster.nodes[0]?.node.labels.value).toBe('a');
    pass(1000);
    expect(woken).toEqual([20, 30]);
  });

  it('K5: does not wake before what it wakes for is there, though it was sent to be faster', () => {
    const { port, woken, pass, label } = open({ lag: [500, 500] }, rawNode('n1'));
    port.send(addTaint('n1'));
    port.faults.lag = { Node: [20, 20] };
    label('n1', 'a');
    pass(1000);
    expect(woken).toEqual([500]);
    expect(port.view().cluster.nodes[0]?.node.labels.value).toBe('a');
  });

  it('K5: own writes wake nothing, whatever they changed', () => {
    const app = { app: 'web' };
    const { port, objects, woken, pass } = open(
      {},
      rawNode('n1'),
      { ...rawPod('p', { node: 'n1', labels: app }), status: running() },
      { ...rawPdb('guard', app), status: allowing(1) },
    );
    port.view();
    const answers = [
      port.send(addTaint('n1')),
      port.send({ verb: 'create', kind: 'NodeClaim', name: 'c1', object: rawClaim('c1') }),
      port.send({ verb: 'evict', kind: 'Pod', namespace: 'default', name: 'p' }),
      port.send({ verb: 'commit', ledger: ledger('web') }),
    ];
    expect(answers).toEqual(answers.map(() => ({ status: 'done' })));
    port.view();
    pass(10_000);
    expect(woken).toEqual([]);
    objects.create(rawNode('n2'), 'person');
    pass(10_000);
    expect(woken.length).toBe(1);
  });

  it('reads an object that changed many times once, as it is last', () => {
    const { port, objects, pass } = open({ lag: [20, 20] }, rawNode('n1'));
    const read = new Set<string>();
    const told = (value: string) =>
      new Proxy(
        { value },
        {
          ownKeys: (labels) => {
            read.add(value);
            return Reflect.ownKeys(labels);
          },
        },
      );
    for (const value of ['a', 'b', 'c'])
      objects.write('Node', 'n1', 'person', (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: told(value) },
      }));
    read.clear();
    pass(20);
    expect(port.view().cluster.nodes[0]?.node.labels.value).toBe('c');
    expect([...read]).toEqual(['c']);
  });

  it('delivers nothing once it is closed', () => {
    const { port, woken, pass, label, clock } = open({}, rawNode('n1'));
    label('n1', 'a');
    port.close();
    label('n1', 'b');
    pass(1000);
    expect([woken, clock.nextAt]).toEqual([[], undefined]);
  });
});

describe('K3: what is seen', () => {
  it('is everything if no change is in transit, else what came before the first that is', () => {
    const { port, objects, pass } = open({ lag: [20, 20] }, rawNode('n1'));
    expect(port.view().seen).toMatchObject({ Node: '1', Pod: '1', MaintenanceWindow: '1' });
    objects.create(rawPod('a'), 'person');
    objects.create(rawNode('n2'), 'person');
    objects.create(rawPod('b'), 'person');
    expect(port.view().seen).toMatchObject({ Node: '2', Pod: '1', NodePool: '4' });
    pass(20);
    expect(port.view().seen).toMatchObject({ Node: '4', Pod: '4', NodePool: '4' });
  });

  it('does not advance with what an answer adds to the view', () => {
    const { port, objects } = open({}, rawNode('n1'));
    objects.create(rawNode('n2'), 'person');
    port.send(addTaint('n1'));
    expect(port.view().seen.Node).toBe('1');
  });

  it('is not affected by changes that are delivered twice', () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index);
    const looks = seeds.map((seed) => {
      const { port, pass, label } = open({ lag: [0, 40], repeats: 1, random: new Random(seed) }, rawNode('n1'));
      label('n1', 'a');
      label('n1', 'b');
      // Now that both have come, an old one may still be on its way.
      for (let wait = 0; wait < 40 && port.view().cluster.nodes[0]?.node.labels.value !== 'b'; wait++) pass(1);
      return [port.view().seen.Node, port.view().cluster.nodes[0]?.node.labels.value];
    });
    expect(looks).toEqual(seeds.map(() => ['3', 'b']));
  });

  it('has no ledger that cannot be read, and reports it as unsynced', () => {
    const spec = { version: 2 };
    const newer = { apiVersion: 'lull.dev/v1alpha1', kind: 'DisruptionLedger', metadata: { name: 'lull' }, spec };
    const { port } = open({}, newer);
    expect(port.view().unsynced.map(describeUnsynced)).toEqual([expect.stringMatching(/newer than this Lull/)]);
    expect(port.view().ledger).toBeUndefined();
  });
});

describe('K3: a watch that does not bring back what was written', () => {
  const late = { away: false, lossy: false, lag: { Node: [30_000, 30_000] as const } };

  it('is reported as late after ten seconds, until it has', () => {
    const { port, pass } = open({ faults: late }, rawNode('n1'));
    port.send(addTaint('n1'));
    pass(9_999);
    expect(port.view().unsynced).toEqual([]);
    pass(1);
    expect(port.view().unsynced.map(describeUnsynced)).toEqual([
      'the watch of Node is late: the write of 2026-03-10T12:00:00Z has not come back',
    ]);
    pass(20_000);
    expect(port.view().unsynced).toEqual([]);
  });

  it('is the only one that is', () => {
    const { port, pass } = open({ lag: [20, 20] }, rawNode('n1'));
    port.send(addTaint('n1'));
    pass(20_000);
    expect(port.view().unsynced).toEqual([]);
  });

  it('does not hide what was written', () => {
    const { port, objects } = open({ faults: late }, rawNode('n1'));
    port.send(addTaint('n1'));
    expect(port.view().written).toEqual({ Node: String(objects.version) });
    expect(Number(port.view().seen.Node)).toBeLessThan(objects.version);
  });
});

describe('G2: answers', () => {
  it('are in the view at once, and late watch events do not undo them', () => {
    const { port, pass, label } = open({ lag: [20, 20] }, rawNode('n1'));
    label('n1', 'before');
    expect(port.send(addTaint('n1'))).toEqual({ status: 'done' });
    const taints = () => port.view().cluster.nodes[0]?.node.taints.length;
    expect(taints()).toBe(1);
    for (let index = 0; index < 5; index++) {
      pass(10);
      expect(taints()).toBe(1);
    }
  });

  it('of a deletion are not undone by older changes of the same object', () => {
    const { port, names, pass, label } = open({ lag: [20, 20] }, rawNode('n1'));
    label('n1', 'before');
    port.send({ verb: 'delete', kind: 'Node', name: 'n1' });
    expect(names()).toEqual([]);
    pass(20);
    expect(names()).toEqual([]);
  });

  it('give way to what came after them', () => {
    const { port, objects, names, pass } = open({ lag: [20, 20] }, rawNode('n1'));
    port.send({ verb: 'delete', kind: 'Node', name: 'n1' });
    objects.create(rawNode('n1'), 'person');
    pass(20);
    expect(names()).toEqual(['n1']);
  });

  it('of a commit are what a new controller reads', () => {
    const { port, objects, clock } = open();
    port.send({ verb: 'commit', ledger: { ...ledger('web'), seen: { Pod: '7' } } });
    const other = new SimPort(objects, clock, { name: 'lull-2', random: new Random(2) });
    expect(port.view().ledger).toEqual(other.view().ledger);
    expect(port.view().ledger?.version).toBe('1');
  });

  it('of a commit without changes make no new version, and a late one is refused all the same', () => {
    const { port, objects } = open();
    port.send({ verb: 'commit', ledger: ledger('web') });
    const { record, version } = port.view().ledger as { record: Ledger; version: string };
    expect(port.send({ verb: 'commit', ledger: record, version })).toEqual({ status: 'done' });
    expect(objects.version).toBe(1);
    objects.write('DisruptionLedger', 'lull', 'other', (object) => ({ ...object, spec: { version: 1 } }));
    expect(port.send({ verb: 'commit', ledger: record, version })).toMatchObject({ status: 'refused', code: 409 });
    expect(port.view().ledger).toEqual({ record: emptyLedger, version: '2' });
  });

  it('of a commit to a deleted ledger are 404, and a new one is in the view', () => {
    const { port, objects, pass } = open({ lag: [50, 50] });
    port.send({ verb: 'commit', ledger: ledger('web') });
    objects.delete('DisruptionLedger', 'lull', 'person');
    const late = port.send({ verb: 'commit', ledger: ledger('web'), version: '1' });
    expect(late).toMatchObject({ status: 'refused', code: 404 });
    expect(port.send({ verb: 'commit', ledger: ledger('api') })).toEqual({ status: 'done' });
    expect(port.view().ledger?.record).toEqual(ledger('api'));
    pass(1000);
    expect(port.view().ledger?.record).toEqual(ledger('api'));
  });
});

describe('what a client may not say', () => {
  it('its object comes without a status, and with a uid and an age of the server', () => {
    const { port, objects } = open();
    const { metadata, ...claim } = rawClaim('c1');
    const said = { ...metadata, uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z', resourceVersion: '99' };
    port.send({
      verb: 'create',
      kind: 'NodeClaim',
      name: 'c1',
      object: { ...claim, metadata: said, status: { a: 1 } },
    });
    expect(objects.get('NodeClaim', 'c1')).toMatchObject({
      metadata: { uid: expect.stringMatching(/^0/), creationTimestamp: '2026-03-10T12:00:00Z', resourceVersion: '1' },
    });
    expect(objects.get('NodeClaim', 'c1')).not.toHaveProperty('status');
  });

  it('a patch leaves the status alone', () => {
    const { port, objects } = open({}, { ...rawNode('n1'), status: { phase: 'x' } });
    const patch = [
      { op: 'replace', path: '/status/phase', value: 'y' } as const,
      { op: 'add', path: '/spec/unschedulable', value: true } as const,
    ];
    expect(port.send({ verb: 'patch', kind: 'Node', name: 'n1', patch })).toEqual({ status: 'done' });
    expect(objects.get('Node', 'n1')).toMatchObject({ status: { phase: 'x' }, spec: { unschedulable: true } });
  });
});

describe('K2: faults', () => {
  it('away: nothing is carried out and the watches stall until it ends', () => {
    const { port, objects, names, woken, pass } = open({}, rawNode('n1'));
    port.view();
    port.faults.away = true;
    expect(port.send(addTaint('n1'))).toMatchObject({ status: 'away' });
    objects.create(rawNode('n2'), 'person');
    pass(60_000);
    expect([objects.get('Node', 'n1')?.spec, names(), woken]).toEqual([{}, ['n1'], []]);
    port.faults.away = false;
    pass(2 * second);
    expect([woken.length, names()]).toEqual([1, ['n1', 'n2']]);
  });

  it('away at the start: the view is unsynced until everything is listed', () => {
    const away = { away: true, lossy: false, lag: {} };
    const { port, objects, woken, pass } = open({ faults: away }, rawNode('n1'));
    pass(5000);
    expect(port.view().unsynced.map(describeUnsynced)).toContain('Node is not listed yet');
    objects.create(rawNode('n2'), 'person');
    away.away = false;
    pass(2 * second);
    expect(woken.length).toBe(1);
    expect(port.view()).toMatchObject({ unsynced: [], seen: { Node: '2' } });
    expect(port.view().cluster.nodes.length).toBe(2);
  });

  it('lossy: requests are carried out but not answered, and the watch brings the changes', () => {
    const { port, objects, woken, pass } = open({ lag: [20, 20] }, rawNode('n1'));
    port.view();
    port.faults.lossy = true;
    expect(port.send(addTaint('n1'))).toMatchObject({ status: 'away' });
    expect(port.send({ verb: 'commit', ledger: ledger('web') })).toMatchObject({ status: 'away' });
    port.faults.lossy = false;
    expect(objects.get('Node', 'n1')?.spec?.taints).toHaveLength(1);
    expect([port.view().cluster.nodes[0]?.node.taints, port.view().ledger]).toEqual([[], undefined]);
    pass(gatherFor);
    expect(woken.length).toBe(1);
    expect(port.view().cluster.nodes[0]?.node.taints).toHaveLength(1);
    expect(port.view().ledger?.record).toEqual(ledger('web'));
    expect(port.send({ verb: 'commit', ledger: ledger('web') })).toMatchObject({ status: 'refused', code: 409 });
  });
});

describe('requests', () => {
  it('are counted and observed, with their answers', () => {
    const sent: SentRequest[] = [];
    const asked: [string, number][] = [];
    const { port } = open(
      { observe: (each) => sent.push(each), before: ({ verb }, n) => asked.push([verb, n]) },
      rawNode('n1'),
    );
    const request = addTaint('n1');
    const answers: ApiResponse[] = [port.send(request), port.send(request)];
    expect(answers.map((answer) => answer.status)).toEqual(['done', 'refused']);
    expect(sent).toEqual([
      { request, answer: answers[0], n: 1, at: noon, by: 'lull-1', seen: {} },
      { request, answer: answers[1], n: 2, at: noon, by: 'lull-1', seen: {} },
    ]);
    expect([asked, port.requests]).toEqual([
      [
        ['patch', 1],
        ['patch', 2],
      ],
      2,
    ]);
  });
});
