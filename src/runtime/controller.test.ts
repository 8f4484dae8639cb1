import { describe, expect, it } from 'vitest';
import {
  at as instant,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  pod,
  pool,
  storeOf,
  underway,
} from '../../test/build.ts';
import type { Ledger, SeenVersions } from '../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { asDuration, type Instant, minute, after as plus, second } from '../time/instant.ts';
import { openController } from './controller.ts';
import type { ApiRequest, ApiResponse, Batch, ClusterView, Port, Rest, Unsynced } from './port.ts';

const now = instant(noon);
const drive: Settings = { ...defaultSettings, role: 'drive' };
const done: ApiResponse = { status: 'done' };
const refused: ApiResponse = { status: 'refused', code: 409, message: 'it was changed meanwhile' };
const away: ApiResponse = { status: 'away', message: 'no route to host' };

/** A port whose facts do not change: it records requests and answers as the test tells it. */
function standing(
  objects: Objects,
  more: Partial<ClusterView> = {},
): Port & { replace(view: Partial<ClusterView>): void } {
  let view: ClusterView = { cluster: storeOf(...objects), unsynced: [], seen: { Node: '7' }, written: {}, ...more };
  return {
    view: () => view,
    send: () => done,
    replace: (change) => {
      view = { ...view, ...change };
    },
  };
}

const batchOf = (value: Batch | Rest): Batch => ('again' in value ? [] : value);

interface Ran {
  readonly sent: readonly ApiRequest[];
  readonly rest: Rest;
}

function run(reconciler: ReturnType<typeof openController>, at: Instant, answers: readonly ApiResponse[] = []): Ran {
  const sent: ApiRequest[] = [];
  const pass = reconciler.pass(at);
  for (let step = pass.next(); ; ) {
    if (step.done) return { sent, rest: step.value };
    const batch = step.value;
    const from = sent.length;
    sent.push(...batch);
    step = pass.next(batch.map((_, index) => answers[from + index] ?? done));
  }
}

const drifted: Objects = [pool(), machine('n1', { drifted: longAgo }), machine('n2')];
const verbs = ({ sent }: Ran): string[] => sent.map(({ verb }) => verb);

describe('G2: the ledger is committed before anything is done', () => {
  it('then the actions follow, and the loop looks again', () => {
    const ran = run(openController(standing(drifted), drive), now);
    expect(verbs(ran)).toEqual(['commit', 'patch']);
    expect(ran.sent[0]).toMatchObject({ ledger: { commands: [{ nodes: [{ name: 'n1' }] }] } });
    expect(ran.sent[0]).not.toHaveProperty('version');
    expect(ran.rest).toEqual({ again: true });
  });

  it('even an empty one before the first node is parked: marks without a ledger mean that it is lost', () => {
    const guide: Settings = { ...defaultSettings, role: 'guide' };
    const ran = run(openController(standing([pool(), machine('n1'), machine('n2')]), guide), now);
    expect(verbs(ran)).toEqual(['commit', 'patch', 'patch']);
    expect(ran.sent[0]).toMatchObject({ ledger: { commands: [] } });
    expect(ran.sent[0]).not.toHaveProperty('version');
  });

  it('by compare-and-swap with the version that was seen', () => {
    const record: Ledger = { version: 1, commands: [], turns: [], backoffs: [] };
    const ran = run(openController(standing(drifted, { ledger: { record, version: '41' } }), drive), now);
    expect(ran.sent[0]).toMatchObject({ verb: 'commit', version: '41' });
  });

  it('if another controller was faster, nothing is done, and the loop looks again', () => {
    const ran = run(openController(standing(drifted), drive), now, [refused]);
    expect(verbs(ran)).toEqual(['commit']);
    expect(ran.rest).toEqual({ again: true });
  });

  it('records the resource versions its author had seen', () => {
    const seen: SeenVersions = { Node: '12', Pod: '15' };
    const ran = run(openController(standing(drifted, { seen }), drive), now);
    expect(ran.sent[0]).toMatchObject({ ledger: { seen } });
  });

  it('and the versions it had written beyond that', () => {
    const view = { seen: { Node: '12', Pod: '15' }, written: { Node: '14', Pod: '9', NodeClaim: '13' } };
    const ran = run(openController(standing(drifted, view), drive), now);
    expect(ran.sent[0]).toMatchObject({ ledger: { seen: { Node: '14', Pod: '15', NodeClaim: '13' } } });
  });
});

describe('G5: a pod may have been bound to a node just before it was tainted', () => {
  const mark = { key: 'lull.dev/disrupted', value: 'drifted-n1', effect: 'NoSchedule', timeAdded: noon };
  const objects = [
    pool(),
    machine('n1', { drifted: longAgo, spec: { taints: [mark] } }),
    machine('n2'),
    pod('agent', 'n1', { owner: 'DaemonSet/agent' }),
  ];
  const known = { record: ledger({ commands: [underway('n1', { step: 'tainted' })] }), version: '9' };
  const late = plus(now, asDuration(2 * second));

  it.each([
    { it: 'pods are seen as far as the taint: drained', view: { seen: { Node: '7', Pod: '9' } }, drained: true },
    { it: 'pods are seen less far than nodes: waits', view: { seen: { Node: '7', Pod: '6' } }, drained: false },
    {
      it: 'pods are seen less far than the taint that was just written: waits',
      view: { seen: { Node: '6', Pod: '7' }, written: { Node: '8' } },
      drained: false,
    },
    {
      it: 'the taint is older than a watch may be late: drained',
      view: { seen: { Node: '7', Pod: '6' } },
      at: late,
      drained: true,
    },
  ])('$it', ({ view, at = now, drained }) => {
    const ran = run(openController(standing(objects, { ...view, ledger: known }), drive), at);
    expect(verbs(ran)).toEqual(drained ? ['commit', 'evict'] : []);
    if (!drained) expect(ran.rest).toEqual({ again: false, wakeAt: late });
  });
});

describe('G2: a ledger that the server refuses to write', () => {
  it('is retried later, and nothing is done', () => {
    const forbidden: ApiResponse = { status: 'refused', code: 403, message: 'you may not' };
    const ran = run(openController(standing(drifted), drive), now, [forbidden]);
    expect(verbs(ran)).toEqual(['commit']);
    expect(ran.rest).toEqual({ again: false, wakeAt: plus(now, asDuration(1000)) });
  });
});

describe('K3: an incomplete view decides nothing', () => {
  const waiting: Unsynced[][] = [];
  it.each<{ it: string; view: Partial<ClusterView> }>([
    { it: 'a kind is not listed yet', view: { unsynced: [{ cause: 'not listed', kind: 'Pod' }] } },
    {
      it: 'the view is older than the ledger',
      view: {
        ledger: {
          record: { ...({ version: 1, commands: [], turns: [], backoffs: [] } as const), seen: { Node: '10' } },
          version: '3',
        },
      },
    },
  ])('$it', ({ view }) => {
    const watcher = { onWaiting: (why: readonly Unsynced[]) => waiting.push([...why]) };
    const ran = run(openController(standing(drifted, view), drive, watcher), now);
    expect(ran.sent).toEqual([]);
    expect(ran.rest).toMatchObject({ again: false });
    expect(waiting.pop()).toHaveLength(1);
  });

  it('versions are compared as numbers', () => {
    const record: Ledger = { version: 1, commands: [], turns: [], backoffs: [], seen: { Node: '9' } };
    const ran = run(
      openController(standing(drifted, { seen: { Node: '10' }, ledger: { record, version: '3' } }), drive),
      now,
    );
    expect(verbs(ran)).toEqual(['commit', 'patch']);
  });
});

describe('K3: the ledger that a controller wrote itself', () => {
  const written: SeenVersions = { Node: '99' };
  function withOwnLedger(version: string): Ran {
    const port = standing(drifted, { written });
    const reconciler = openController(port, drive);
    const sending = reconciler.pass(now);
    const first = batchOf(sending.next().value)[0];
    if (!first || !('ledger' in first)) throw new Error('the ledger comes first');
    port.replace({ ledger: { record: first.ledger, version: '100' } });
    while (!sending.next([done]).done);
    port.replace({ ledger: { record: first.ledger, version } });
    return run(reconciler, plus(now, asDuration(1)));
  }

  it('does not make it wait for the echo of its own writes', () => {
    expect(withOwnLedger('100').sent).not.toEqual([]);
  });

  it('but a ledger that another controller wrote since does', () => {
    expect(withOwnLedger('101').sent).toEqual([]);
  });
});

describe('K2: a server that does not answer', () => {
  it('gets no more requests in this pass, and the delay grows each time', () => {
    const reconciler = openController(standing(drifted), drive);
    const waits = [1, 2, 3, 4, 5, 6].map(() => {
      const { sent, rest } = run(reconciler, now, [away]);
      expect(sent).toHaveLength(1);
      return rest.again ? 0 : (rest.wakeAt ?? now) - now;
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000]);
  });

  it('gets requests as usual once it is back', () => {
    const reconciler = openController(standing(drifted), drive);
    run(reconciler, now, [away]);
    run(reconciler, now, [away]);
    run(reconciler, now);
    expect(run(reconciler, now, [away]).rest).toEqual({ again: false, wakeAt: plus(now, asDuration(1000)) });
  });
});

describe('N3: many nodes are parked', () => {
  const guide: Settings = { ...defaultSettings, role: 'guide' };
  const nodes = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`n${index}`));
  const batches = (objects: Objects, answer: (index: number) => ApiResponse | undefined = () => done) => {
    const pass = openController(standing(objects), guide).pass(now);
    const sizes: number[] = [];
    for (let step = pass.next(); ; ) {
      if (step.done) return { sizes, rest: step.value };
      sizes.push(step.value.length);
      step = pass.next(step.value.map((_, index) => (sizes.length === 1 ? done : answer(index))));
    }
  };

  it('at the same time, after the ledger', () => {
    expect(batches([pool(), nodes(40)])).toEqual({ sizes: [1, 40], rest: { again: true } });
  });

  it('256 of them before the loop looks at the cluster again', () => {
    expect(batches([pool(), nodes(300)])).toEqual({ sizes: [1, 256], rest: { again: true } });
  });

  it('K2: after one without an answer no more in this pass, and none before the requested delay', () => {
    const throttled: ApiResponse = { status: 'away', message: '429', retryAfter: asDuration(5000) };
    const ran = batches([pool(), nodes(300)], (index) => (index === 7 ? throttled : index < 7 ? done : undefined));
    expect(ran).toEqual({ sizes: [1, 256], rest: { again: false, wakeAt: plus(now, asDuration(5000)) } });
  });
});

describe('K5: the loop is quiet', () => {
  it('with nothing to do it sends nothing and sleeps until time may change that', () => {
    const held: Objects = [
      pool(),
      machine('n1', { drifted: longAgo, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      pod('p', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 18 * * *' } }),
    ];
    const ran = run(openController(standing(held), drive), now);
    expect(ran.sent).toEqual([]);
    expect(ran.rest).toMatchObject({ again: false, wakeAt: expect.any(Number) });
  });

  it('a refused request is not sent again in the next pass', () => {
    const port = standing(drifted);
    const reconciler = openController(port, drive);
    const [first] = run(reconciler, now, [done, refused]).sent;
    if (first?.verb !== 'commit') throw new Error('the ledger comes first');
    port.replace({ ledger: { record: first.ledger, version: '8' } });
    const next = run(reconciler, plus(now, asDuration(10)));
    expect(next.sent).toEqual([]);
    expect(next.rest).toEqual({ again: false, wakeAt: plus(now, asDuration(100)) });
  });
});

describe('N1: observe', () => {
  it('writes nothing', () => {
    const rounds: Instant[] = [];
    const reconciler = openController(standing(drifted), defaultSettings, { onRound: ({ at }) => rounds.push(at) });
    const ran = run(reconciler, now);
    expect(ran.sent).toEqual([]);
    expect(rounds).toEqual([now]);
  });
});

describe('G2: before it evicts or deletes, Lull checks that the ledger has not changed', () => {
  const tainted = machine('n1', {
    drifted: longAgo,
    spec: { taints: [{ key: 'lull.dev/disrupted', value: 'drifted-1', effect: 'NoSchedule' }] },
  });
  const record = (): Ledger => ({
    version: 1,
    turns: [],
    backoffs: [],
    commands: [
      {
        id: 'drifted-1',
        reason: 'Drifted',
        pool: 'web',
        hands: 'lull',
        nodes: [{ name: 'n1', claim: 'n1-claim' }],
        replacements: [],
        promisedTo: [],
        step: 'draining',
        startedAt: now,
        stepAt: now,
        evictedAt: now,
        drain: { left: 1, progressAt: now },
      },
    ],
  });
  const objects = [pool(), tainted, pod('p', 'n1'), machine('n2')];

  it('by writing it unchanged', () => {
    const ledger = { record: record(), version: '5' };
    const ran = run(openController(standing(objects, { ledger }), drive), plus(now, minute));
    expect(verbs(ran)).toEqual(['commit', 'evict']);
    expect(ran.sent[0]).toMatchObject({ ledger: ledger.record, version: '5' });
  });

  it('and does neither if it has', () => {
    const ledger = { record: record(), version: '5' };
    const ran = run(openController(standing(objects, { ledger }), drive), plus(now, minute), [refused]);
    expect(verbs(ran)).toEqual(['commit']);
  });
});
