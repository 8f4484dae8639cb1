// Where pods fit, which nodes are targets, and trials on a board.
import { describe, expect, it } from 'vitest';
import {
  command,
  ledger,
  machine,
  node,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  storeOf,
  zone,
} from '../../../test/build.ts';
import { boardOf, boardOn, firstPending, situationOf, whereFits, whereGoes } from '../../../test/placement/boards.ts';
import { boardFrom } from './board.ts';

type PodParts = NonNullable<Parameters<typeof pod>[2]>;
const waits = (parts: PodParts = {}): Plain => pod('new', '', { phase: 'Pending', ...parts });
const requiring = (requests: Plain): PodParts => ({ spec: { containers: [{ resources: { requests } }] } });

describe('F6: a pod fits', () => {
  const team = { key: 'team', value: 'a', effect: 'NoSchedule' };
  const cordoned = { spec: { unschedulable: true } };
  const gpu = { allocatable: { 'nvidia.com/gpu': '1' } };
  it.each([
    { it: 'where there is room', node: machine('n1'), pod: { cpu: '4' }, fits: true },
    { it: 'not where there is too little', node: machine('n1'), pod: { cpu: '4001m' }, fits: false },
    { it: 'not beyond the number of pods', node: machine('n1', { allocatable: { pods: '0' } }), pod: {}, fits: false },
    {
      it: 'not where a resource is unknown',
      node: machine('n1'),
      pod: requiring({ 'nvidia.com/gpu': '1' }),
      fits: false,
    },
    {
      it: 'where an extended resource is left',
      node: machine('n1', gpu),
      pod: requiring({ 'nvidia.com/gpu': '1' }),
      fits: true,
    },
    {
      it: 'though it requests nothing of one',
      node: machine('n1'),
      pod: requiring({ 'nvidia.com/gpu': '0' }),
      fits: true,
    },
    {
      it: 'although the node is overcommitted on a resource it does not request',
      node: [...machine('n1'), pod('big', 'n1', { cpu: '9' })],
      pod: { cpu: '0' },
      fits: true,
    },
    {
      it: 'not if a terminating pod still runs there',
      node: [...machine('n1'), pod('big', 'n1', { cpu: '3', deleted: noon })],
      pod: { cpu: '2' },
      fits: false,
    },
    {
      it: 'where one has ended',
      node: [...machine('n1'), pod('big', 'n1', { cpu: '3', phase: 'Succeeded' })],
      pod: { cpu: '2' },
      fits: true,
    },
    {
      it: 'where its selector matches',
      node: machine('n1', { zone: 'a' }),
      pod: { spec: { nodeSelector: { [zone]: 'a' } } },
      fits: true,
    },
    {
      it: 'not where it does not',
      node: machine('n1', { zone: 'b' }),
      pod: { spec: { nodeSelector: { [zone]: 'a' } } },
      fits: false,
    },
    { it: 'not against a taint', node: machine('n1', { spec: { taints: [team] } }), pod: {}, fits: false },
    {
      it: 'against one it tolerates',
      node: machine('n1', { spec: { taints: [team] } }),
      pod: { spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } },
      fits: true,
    },
    {
      it: 'not against NoExecute',
      node: machine('n1', { spec: { taints: [{ ...team, effect: 'NoExecute' }] } }),
      pod: {},
      fits: false,
    },
    {
      it: 'against PreferNoSchedule',
      node: machine('n1', { spec: { taints: [{ ...team, effect: 'PreferNoSchedule' }] } }),
      pod: {},
      fits: true,
    },
    { it: 'not on a cordoned node', node: machine('n1', cordoned), pod: {}, fits: false },
    {
      it: 'on a cordoned node, where it tolerates that',
      node: machine('n1', cordoned),
      pod: { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } },
      fits: true,
    },
  ])('$it', ({ node: target, pod: parts, fits }) => {
    expect(whereGoes(waits(parts), [target])).toBe(fits ? 'n1' : undefined);
  });

  it.each([
    { it: 'In', expression: { key: 'size', operator: 'In', values: ['large'] }, target: 'n2' },
    { it: 'NotIn', expression: { key: 'size', operator: 'NotIn', values: ['large'] }, target: 'n1' },
    { it: 'Exists', expression: { key: 'size', operator: 'Exists' }, target: 'n2' },
    { it: 'DoesNotExist', expression: { key: 'size', operator: 'DoesNotExist' }, target: 'n1' },
    { it: 'Gt', expression: { key: 'cores', operator: 'Gt', values: ['7'] }, target: 'n2' },
    { it: 'Lt', expression: { key: 'cores', operator: 'Lt', values: ['7'] }, target: 'n1' },
  ])('where its required affinity matches: $it', ({ expression, target }) => {
    const nodeSelectorTerms = [{ matchExpressions: [expression] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    const nodes = [machine('n1', { labels: { cores: '4' } }), machine('n2', { labels: { size: 'large', cores: '8' } })];
    expect(whereFits(waits({ spec: { affinity } }), nodes)).toEqual([target]);
  });
});

describe('F6: which nodes are targets', () => {
  it.each([
    { it: 'a Ready initialized node', node: machine('n1'), is: true },
    {
      it: 'a Ready node that is unmanaged',
      node: [node('n1', { labels: { 'karpenter.sh/initialized': undefined } })],
      is: true,
    },
    { it: 'one that is not Ready', node: machine('n1', { ready: 'False' }), is: false },
    {
      it: 'one that is starting',
      node: machine('n1', { labels: { 'karpenter.sh/initialized': undefined } }),
      is: false,
    },
    { it: 'one that is leaving', node: machine('n1', { deleted: noon }), is: false },
    { it: 'one in a command', node: machine('n1'), known: ledger({ commands: [command('n1')] }), is: false },
  ])('$it: $is', ({ node: target, known, is }) => {
    expect(whereGoes(waits(), [target], known && { ledger: known })).toBe(is ? 'n1' : undefined);
  });

  it.each([
    { it: 'inside its own consolidateAfter', after: '1h', event: '2026-03-10T11:30:00Z', is: false },
    { it: 'beyond it', after: '1h', event: '2026-03-10T10:30:00Z', is: true },
    { it: 'with 0s, which is not a time', after: '0s', event: noon, is: true },
    { it: 'with Never, which is none either', after: 'Never', event: noon, is: true },
  ])('T187: for consolidation, a node $it: $is', ({ after, event, is }) => {
    const objects = [pool('web', { consolidateAfter: after }), machine('n1', { claim: { lastPodEvent: event } })];
    expect(whereGoes(waits(), objects, { targets: 'stable' })).toBe(is ? 'n1' : undefined);
    expect(whereGoes(waits(), objects, { targets: 'all' })).toBe('n1');
  });
});

describe('F2: the order of the targets', () => {
  const priced = (name: string, price: string) =>
    machine(name, { labels: { 'eks-node-viewer/instance-price': price } });

  it('those least worth removing come first: cheap ones, and those that are hard to empty', () => {
    expect(whereGoes(waits(), [priced('n1', '3'), priced('n2', '1'), priced('n3', '2')])).toBe('n2');
    expect(whereGoes(waits(), [priced('n1', '1'), priced('n2', '1'), pod('a', 'n2')])).toBe('n2');
  });

  it('then by name', () => {
    expect(whereGoes(waits(), [machine('n2'), machine('n1')])).toBe('n1');
  });
});

describe('What is tried on a board', () => {
  const half = waits({ cpu: '2' });
  const open = (...objects: Objects) => {
    const cluster = storeOf(half, ...objects);
    const facts = boardOf(situationOf(cluster));
    const { board } = facts;
    const number = facts.classOf(firstPending(cluster));
    const place = (): string | undefined => {
      const row = board.find(number, 'all');
      if (row !== undefined) board.assign(number, row);
      return row === undefined ? undefined : board.rows.nameOf(row);
    };
    return { board, place, number };
  };

  it('takes room, until it is undone', () => {
    const { board, place } = open(machine('n1'), machine('n2'));
    const mark = board.mark();
    expect([place(), place(), place(), place(), place()]).toEqual(['n1', 'n1', 'n2', 'n2', undefined]);
    board.undo(mark);
    expect(place()).toBe('n1');
  });

  it('a removed node is not a target, and its pods do not count', () => {
    const term = { topologyKey: zone, labelSelector: { matchLabels: { app: 'web' } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const stays = pod('a', 'n1', { labels: { app: 'db' }, spec: { affinity } });
    const { board, place } = open(machine('n1', { zone: 'a' }), stays, machine('n2', { zone: 'a' }));
    expect(place()).toBeUndefined();
    const mark = board.mark();
    board.removeNode(board.rows.of('n1') as number);
    expect(place()).toBe('n2');
    board.undo(mark);
    expect(place()).toBeUndefined();
  });

  describe('F6: a node that leaves is a topology domain until it is gone', () => {
    const web = { matchLabels: { app: 'web' } };
    const spread = (more: object) => ({
      topologySpreadConstraints: [
        { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web, ...more },
      ],
    });
    const everything = { tolerations: [{ operator: 'Exists' }] };
    it.each([
      { it: 'by default', spec: spread({}), goes: undefined },
      { it: 'where taints are ignored', spec: spread({ nodeTaintsPolicy: 'Ignore' }), goes: undefined },
      { it: 'but not where they are honoured', spec: spread({ nodeTaintsPolicy: 'Honor' }), goes: 'n2' },
      {
        it: 'where they are honoured, and tolerated',
        spec: { ...spread({ nodeTaintsPolicy: 'Honor' }), ...everything },
        goes: undefined,
      },
    ])('$it', ({ spec, goes }) => {
      const running = [pod('a', 'n1'), pod('b', 'n2')];
      const machines = [machine('n1', { zone: 'a' }), machine('n2', { zone: 'b' })];
      const cluster = storeOf(pod('new', '', { phase: 'Pending', spec }), machines, running);
      const facts = boardOf(situationOf(cluster));
      const { board } = facts;
      const number = facts.classOf(firstPending(cluster));
      const place = (): string | undefined => {
        const row = board.find(number, 'all');
        return row === undefined ? undefined : board.rows.nameOf(row);
      };
      const before = place();
      const mark = board.mark();
      board.removeNode(board.rows.of('n1') as number);
      expect(place()).toBe(goes);
      // The search works on a copy of it.
      const copy = boardFrom(structuredClone(board.copy()));
      const row = copy.find(number, 'all');
      expect(row === undefined ? undefined : copy.rows.nameOf(row)).toBe(goes);
      board.undo(mark);
      expect(place()).toBe(before);
    });
  });

  it('a node that is added is a host of its own, and no target unless it is named', () => {
    const { board, place, number } = open();
    const room = { cpu: 4000, pods: 9 };
    const row = board.add({ labels: {}, taints: [], allocatable: room, room });
    expect(place()).toBeUndefined();
    expect(board.fits(number, row)).toBe(true);
    board.assign(number, row);
    board.assign(number, row);
    expect(board.fits(number, row)).toBe(false);
  });

  it('the pods of a node come by priority, then by size, then by name', () => {
    const important = { spec: { priority: 5, containers: [{ resources: { requests: { cpu: '1m' } } }] } };
    const facts = boardOn(
      ...machine('n1'),
      pod('b', 'n1', { cpu: '1' }),
      pod('a', 'n1', { cpu: '1' }),
      pod('c', 'n1', { cpu: '2' }),
      pod('d', 'n1', important),
      pod('e', 'n1', { owner: 'DaemonSet/log' }),
    );
    expect(facts.podsFrom(facts.board.rows.of('n1') as number).map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
  });
});
