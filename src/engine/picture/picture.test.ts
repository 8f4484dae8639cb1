import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  decide,
  karpenterEvent,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  pdb,
  pod,
  pool,
  storeOf,
  zone,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import { drawPicture, type Picture } from './picture.ts';
import { applyChange, Differ, emptyPicture } from './pictureChange.ts';

const draw = (objects: Objects, known?: Ledger, when = noon): Picture =>
  drawPicture(decide(objects, { at: when, ...(known && { ledger: known }) }), storeOf(...objects));

const old = { drifted: longAgo };
const oneByOne = pool('web', { budgets: [{ nodes: '1', topologyKey: zone, sequential: true, settle: '5m' }] });

describe('N3: a node that the cloud interrupts', () => {
  it('is drawn with the event of Karpenter', () => {
    const words = 'Interruption triggered termination for the Node';
    const event = karpenterEvent('n1', 'TerminatingOnInterruption', words, '2026-03-10T11:59:59Z');
    const [row] = draw([pool(), machine('n1', { claim: { deleted: noon } }), event]).nodes;
    expect(row).toMatchObject({ state: 'draining', interruption: `TerminatingOnInterruption: ${words}` });
  });
});

describe('The state a node is drawn in', () => {
  it.each([
    { state: 'steady', objects: [pool(), machine('n1'), pod()] },
    { state: 'held', objects: [pool('web', { budgets: [{ nodes: '0' }] }), machine('n1', old), pod()] },
    {
      state: 'wants',
      objects: [
        pool('web', { budgets: [{ nodes: '1' }] }),
        machine('n1', old),
        machine('n0', old),
        pod('q', 'n0'),
        pod(),
      ],
    },
    { state: 'held', objects: [pool(), machine('n1', old), pod(), pdb('web', 0)] },
    { state: 'held', objects: [pool(), machine('n1', old), pod(), maintenanceWindow('freeze')] },
    {
      state: 'wants',
      objects: [
        pool('web', { budgets: [{ nodes: '1' }] }),
        machine('n0', old),
        machine('n1', old),
        pod('q', 'n0'),
        pod(),
        pdb('web', 1),
      ],
    },
    {
      state: 'turn',
      objects: [
        oneByOne,
        machine('n1', { ...old, zone: 'a' }),
        machine('n0', { ...old, zone: 'a' }),
        pod('q', 'n0'),
        pod(),
      ],
    },
    {
      state: 'wants',
      objects: [
        oneByOne,
        machine('n1', { ...old, zone: 'b' }),
        machine('n0', { drifted: '2026-02-01T00:00:00Z', zone: 'a' }),
        pod('q', 'n0'),
        pod(),
      ],
    },
    { state: 'offered', objects: [pool(), machine('n1', old), pod()] },
    { state: 'lost', objects: [pool(), machine('n1', { ready: 'False', readySince: noon }), pod()] },
    {
      state: 'new',
      objects: [
        pool(),
        machine('n1', { ready: 'False', readySince: noon, labels: { 'karpenter.sh/initialized': '' } }),
      ],
    },
  ])('$state', ({ state, objects }) => {
    const row = draw(objects).nodes.find(({ name }) => name === 'n1');
    expect(row?.state).toBe(state);
  });

  it.each([
    ['replacing', 'replacing'],
    ['draining', 'draining'],
    ['terminating', 'draining'],
  ])('in step %s: %s', (step, state) => {
    const known = ledger({
      commands: [command('n1', { step, stepAt: noon, replacements: [{ name: 'r', pool: 'web' }] })],
    });
    const { nodes, commands } = draw([pool(), machine('n1', old), machine('n2'), pod()], known);
    const told = commands.find(({ nodes: its }) => its.includes('n1'));
    if (told?.step === step) expect(nodes[0]?.state).toBe(state);
    expect(['offered', 'replacing', 'draining']).toContain(nodes[0]?.state);
  });

  it('J1: has its wishes, and when time alone frees it', () => {
    const freeze = maintenanceWindow('freeze', { notAfter: '2026-03-10T18:00:00Z' });
    const [row] = draw([pool(), machine('n1', { ...old, zone: 'a' }), pod(), freeze]).nodes;
    expect(row).toMatchObject({
      pool: 'web',
      domain: 'a',
      pods: 1,
      until: at('2026-03-10T18:00:00Z'),
      wishes: [{ reason: 'Drifted', outcome: 'held', codes: ['WindowBlocks'] }],
    });
  });
});

describe('C12, C13: the turn of a pool', () => {
  it('has when patience ends and when the domain has settled', () => {
    const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: noon, wellSince: noon };
    const objects = [oneByOne, machine('n1', { zone: 'a' }), machine('n2', { ...old, zone: 'b' }), pod('p', 'n2')];
    const [row] = draw(objects, ledger({ turns: [turn] }), '2026-03-10T12:01:00Z').pools;
    expect(row?.sequential).toBe(true);
    expect(row?.turns).toMatchObject([
      { domain: 'a', patienceEndsAt: at('2026-03-10T13:00:00Z'), settledAt: at('2026-03-10T12:05:00Z') },
    ]);
  });
});

describe('A change', () => {
  const pods = ['n0', 'n1', 'n2', 'n3'].map((name) => pod(`on-${name}`, name));
  const before = draw([pool(), machine('n1'), machine('n2'), machine('n3'), pods]);
  const after = draw([pool(), machine('n1', old), machine('n0'), machine('n3'), pods, maintenanceWindow('w')]);

  it('holds only what is other, and makes the one of the other', () => {
    const differ = new Differ();
    const first = JSON.parse(JSON.stringify(differ.next(before)));
    const second = JSON.parse(JSON.stringify(differ.next(after)));
    expect(second.put.nodes.map(({ name }: { name: string }) => name)).toEqual(['n0', 'n1']);
    expect(second.gone).toEqual({ nodes: ['n2'] });
    const drawn = applyChange(emptyPicture, first);
    expect(drawn).toEqual(before);
    expect(applyChange(drawn, second)).toEqual(after);
  });

  it('takes a single row away where nothing else of its list changed', () => {
    const fewer = { ...before, nodes: before.nodes.slice(1) };
    const differ = new Differ();
    differ.next(before);
    const change = differ.next(fewer);
    expect(change).toMatchObject({ gone: { nodes: [before.nodes[0]?.name] } });
    expect(change.put).toBeUndefined();
    expect(applyChange(before, change)).toEqual(fewer);
  });

  it('of nothing says the time alone, and leaves the lists as they are', () => {
    const differ = new Differ();
    differ.next(before);
    const change = differ.next({ ...before, at: at('2026-03-10T12:01:00Z') });
    expect(Object.keys(change)).toEqual(before.wakeAt === undefined ? ['at'] : ['at', 'wakeAt']);
    expect(applyChange(before, change).nodes).toBe(before.nodes);
  });
});
