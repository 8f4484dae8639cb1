import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  node,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  requestsOf,
  Story,
  startsOf,
  underway,
} from '../../../test/build.ts';

const web = pool('web', { consolidateAfter: '15s' });
const drifted = (spec: Plain = {}, more: Plain = {}) => machine('n1', { drifted: longAgo, spec, ...more });
const planned = { name: 'r-0', pool: 'web' };
const came = {
  ...claim('r', { providerID: 'cloud:///r' }),
  metadata: { name: 'r-0', uid: 'r', creationTimestamp: noon },
};
const starting = { ...came, status: { providerID: 'cloud:///r' } };
const begun = { evictedAt: '2026-03-10T11:59:00Z', drain: { left: 2, progressAt: '2026-03-10T11:59:30Z' } };

interface Case {
  readonly it: string;
  readonly command: Plain;
  /** The cluster before the requests are carried out; `after` is the cluster once they are. */
  readonly before: Objects;
  readonly asks: readonly string[];
  readonly after: Objects;
}

const cases: readonly Case[] = [
  {
    it: 'tainted',
    command: { step: 'tainted', replacements: [planned] },
    before: [drifted(), pod()],
    asks: ['patch Node n1'],
    after: [drifted(marked()), pod(), starting],
  },
  {
    it: 'replacing',
    command: { step: 'replacing', replacements: [planned] },
    before: [drifted(marked()), pod()],
    asks: ['create NodeClaim r-0'],
    after: [drifted(marked()), pod(), starting],
  },
  {
    it: 'draining',
    command: { step: 'draining', ...begun },
    before: [drifted(marked()), pod('a'), pod('b')],
    asks: ['evict shop/a', 'evict shop/b'],
    after: [drifted(marked()), ['a', 'b'].map((it) => pod(it, 'n1', { deleted: '2026-03-10T12:00:30Z' }))],
  },
  {
    it: 'terminating',
    command: { step: 'terminating', ...begun },
    before: [drifted(marked())],
    asks: ['delete NodeClaim n1-claim'],
    after: [drifted(marked(), { claim: { deleted: noon } })],
  },
  {
    it: 'released',
    command: { step: 'released', replacements: [{ ...planned, state: 'made' }], why: 'it was not to be' },
    before: [machine('n1', { spec: marked() }), came, node('r')],
    asks: ['patch Node n1', 'delete NodeClaim r-0'],
    after: [machine('n1'), { ...came, metadata: { ...came.metadata, deletionTimestamp: noon } }, node('r')],
  },
];

describe('G2: killed between any two requests, the next controller continues from there', () => {
  it.each(cases)(
    'in step $it a new controller issues the same requests and leaves the ledger unchanged',
    ({ command, before, asks }) => {
      const story = new Story([pool(), ...before]);
      story.ledger = ledger({ commands: [underway('n1', command)] });
      const first = story.decide(noon);
      expect(requestsOf(first)).toEqual(asks);
      story.restart();
      const known = story.ledger;
      const second = story.decide('2026-03-10T12:00:01Z');
      expect(second.ledger).toBe(known);
      expect(second.actions.map(({ patch: _, ...it }) => it)).toEqual(first.actions.map(({ patch: _, ...it }) => it));
    },
  );

  it.each(cases)('in step $it nothing is requested once the cluster shows it done', ({ command, after: seen }) => {
    const round = decide([pool(), ...seen], { ledger: ledger({ commands: [underway('n1', command)] }) });
    expect(requestsOf(round)).toEqual([]);
    const next = decide([pool(), ...seen], { ledger: round.ledger });
    expect(requestsOf(next)).toEqual([]);
    expect(next.ledger).toBe(round.ledger);
  });

  it('the API server can refuse every request that comes too late', () => {
    const guarded = cases.flatMap(({ command, before }) =>
      decide([pool(), ...before], { ledger: ledger({ commands: [underway('n1', command)] }) }).actions.map(
        ({ verb, name, patch, preconditions }) =>
          ({
            patch: patch?.[0]?.op === 'test',
            create: name === 'r-0',
            delete: preconditions?.uid !== undefined,
            evict: preconditions?.uid !== undefined,
          })[verb],
      ),
    );
    expect(guarded).not.toContain(false);
    expect(guarded).toHaveLength(7);
  });
});

it('A command in a step that Lull does not carry out is left as it is', () => {
  const known = ledger({ commands: [underway('n1', { step: 'withdrawn' })] });
  const round = decide([pool(), drifted()], { ledger: known });
  expect(round.ledger).toBe(known);
});

describe('G8: the actions of a round', () => {
  it('come in the order in which their commands started, with those of new commands last', () => {
    const on = (name: string) => [
      machine(name, { drifted: longAgo, spec: marked(`drifted-${name}`) }),
      pod(`p-${name}`, name),
    ];
    const since = (name: string, startedAt: string) => underway(name, { step: 'draining', startedAt, ...begun });
    const known = ledger({
      commands: [
        since('n2', '2026-03-10T11:59:00Z'),
        since('n1', '2026-03-10T11:59:00Z'),
        since('n3', '2026-03-10T11:58:00Z'),
      ],
    });
    const round = decide([pool(), on('n1'), on('n2'), on('n3'), machine('n4', { drifted: longAgo })], {
      ledger: known,
    });
    expect(requestsOf(round)).toEqual(['evict shop/p-n3', 'evict shop/p-n1', 'evict shop/p-n2', 'patch Node n4']);
    expect(round.ledger.commands.map(({ nodes }) => nodes[0]?.name)).toEqual(['n2', 'n1', 'n3', 'n4']);
    expect(new Set(round.actions.map(({ command }) => command))).toEqual(new Set(round.commands.map(({ id }) => id)));
  });
});

describe('G1: a command over several nodes', () => {
  const nodes = ['n1', 'n2'].map((name) => ({ name, claim: `${name}-claim` }));
  const both = (fields: Plain) =>
    ledger({ commands: [underway('n1', { id: 'empty-1', reason: 'Empty', nodes, ...fields })] });
  const empty = (name: string, spec: Plain = {}, more: Plain = {}) => machine(name, { spec, ...more });

  it('is tainted as a whole before it continues', () => {
    const half = [empty('n1', marked('empty-1')), empty('n2')];
    expect(requestsOf(decide([web, half], { ledger: both({ step: 'tainted' }) }))).toEqual(['patch Node n2']);
    const whole = [empty('n1', marked('empty-1')), empty('n2', marked('empty-1'))];
    expect(requestsOf(decide([web, whole], { ledger: both({ step: 'tainted' }) }))).toEqual([
      'delete NodeClaim n1-claim',
      'delete NodeClaim n2-claim',
    ]);
  });

  it('continues with the remaining nodes when one is gone', () => {
    const known = both({ step: 'terminating', evictedAt: noon });
    expect(requestsOf(decide([web, empty('n2', marked('empty-1'))], { ledger: known }))).toEqual([
      'delete NodeClaim n2-claim',
    ]);
    const leaving = empty('n2', marked('empty-1'), { claim: { deleted: noon } });
    expect(decide([web, leaving], { ledger: known }).commands).toMatchObject([{ step: 'terminating' }]);
    expect(decide([web], { ledger: known }).ended).toMatchObject([{ how: 'gone', nodes: ['n1', 'n2'] }]);
  });

  it('does not check the wish of a node that is gone or being deleted', () => {
    for (const other of [[], empty('n2', marked('empty-1'), { claim: { deleted: noon } })]) {
      const round = decide([web, empty('n1', marked('empty-1')), other], { ledger: both({ step: 'draining' }) });
      expect(requestsOf(round)).toEqual(['delete NodeClaim n1-claim']);
    }
  });

  it('keeps the mark on a node that is already being deleted when the rest is released', () => {
    const leaving = empty('n2', marked('empty-1'), { claim: { deleted: noon } });
    const round = decide([web, empty('n1', marked('empty-1')), leaving], { ledger: both({ step: 'released' }) });
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it('is released as a whole when one of them fills up', () => {
    const objects = [web, empty('n1', marked('empty-1')), empty('n2', marked('empty-1')), pod('p1', 'n2')];
    const round = decide(objects, { ledger: both({ step: 'draining' }) });
    expect(requestsOf(round)).toEqual(['patch Node n1', 'patch Node n2']);
  });
});

describe('F5: replacements under way', () => {
  const full = pod('p1', 'n1', { cpu: '3' });
  const held = pod('h', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, cpu: '500m' });
  const replaced = underway('n1', { step: 'draining', replacements: [{ ...planned, state: 'made' }], ...begun });
  const other = [machine('n2', { drifted: longAgo }), pod('p2', 'n2', { cpu: '3' })];
  const registered = node('r', {
    spec: { providerID: 'cloud:///r' },
    labels: { 'karpenter.sh/initialized': undefined },
  });

  it('keep their room for the pods of the node they replace', () => {
    const initialized = node('r', { spec: { providerID: 'cloud:///r' } });
    const round = decide([pool(), drifted(marked()), full, held, came, initialized, other, pdb('web', 9)], {
      ledger: ledger({ commands: [replaced] }),
    });
    const started = round.commands.find(({ startedAt }) => startedAt === at(noon));
    expect(started?.promisedTo).toEqual([]);
    expect(started?.replacements).toHaveLength(1);
  });

  it('that are still starting do not hold up other nodes', () => {
    const waiting = underway('n1', { step: 'replacing', replacements: [{ ...planned, state: 'made' }] });
    const unready = { ...came, status: { providerID: 'cloud:///r', nodeName: 'r' } };
    const round = decide([pool(), drifted(marked()), full, unready, registered, other], {
      ledger: ledger({ commands: [waiting] }),
    });
    expect(startsOf(round)).toEqual(['n2 Drifted']);
  });
});
