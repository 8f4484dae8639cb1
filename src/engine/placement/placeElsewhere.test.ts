// Shapes of new nodes, and packing of pods into them.
import { describe, expect, it } from 'vitest';
import { at, machine, noon, type Plain, pod, pool, settings, storeOf, zone } from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import type { Pod, Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { ClusterStore } from '../../cluster/store.ts';
import { readObject } from '../../kinds/readObject.ts';
import { observe } from '../situation.ts';
import { BoardLease } from './boardLease.ts';
import { type NodeShape, shapesFor } from './nodeShapes.ts';
import { packIntoNew } from './placeElsewhere.ts';

const type = 'node.kubernetes.io/instance-type';
const offering = (price: number, where = 'a', more: Plain = {}): Plain => ({
  zone: where,
  capacityType: 'spot',
  price,
  ...more,
});
const small = { name: 'small', cpu: '2', memory: '4Gi', pods: '110', offerings: [offering(1)] };
const large = { name: 'large', cpu: '16', memory: '64Gi', pods: '110', offerings: [offering(8), offering(6, 'b')] };

function shapes(
  web: Plain,
  node: NonNullable<Parameters<typeof machine>[1]>,
  catalogue: readonly Plain[] = [],
  ...pods: Plain[]
): readonly NodeShape[] {
  const store = storeOf(web, ...machine('n1', node), ...pods);
  return shapesFor(store.nodes[0] as NodeView, store.pools.get('web') as Pool, {
    settings: settings({ catalogue }),
    cluster: store,
  });
}

const requiring = (...requirements: Plain[]) => pool('web', { template: { requirements } });

describe('F5: the own shape of a node', () => {
  it("has its allocatable, and today's template over its own labels", () => {
    const web = pool('web', {
      templateLabels: { tier: 'db' },
      template: { taints: [{ key: 'team', effect: 'NoSchedule' }] },
    });
    const [own] = shapes(web, {
      zone: 'a',
      labels: { tier: 'web', [type]: 'small' },
      spec: { taints: [{ key: 'old', effect: 'NoSchedule' }] },
    });
    expect(own).toMatchObject({
      instanceType: 'small',
      labels: { tier: 'db', [zone]: 'a', [type]: 'small' },
      taints: [{ key: 'team', effect: 'NoSchedule' }],
      allocatable: { cpu: 4000 },
    });
    expect(own).not.toHaveProperty('assumed');
  });

  it('is another host', () => {
    expect(shapes(pool(), {})[0]?.labels).not.toHaveProperty('kubernetes.io/hostname');
  });

  it('has room for what DaemonSets leave', () => {
    const [own] = shapes(
      pool(),
      {},
      [],
      pod('d', 'n1', { owner: 'DaemonSet/log', cpu: '500m' }),
      pod('p', 'n1', { cpu: '3' }),
    );
    expect(own?.room.cpu).toBe(3500);
  });

  it.each([
    {
      it: 'the catalogue',
      node: {
        zone: 'a',
        labels: { [type]: 'small', 'karpenter.sh/capacity-type': 'spot', 'eks-node-viewer/instance-price': '9' },
      },
      price: 1,
    },
    { it: 'its label', node: { labels: { 'eks-node-viewer/instance-price': '0.25' } }, price: 0.25 },
    { it: 'nothing', node: {}, price: undefined },
    {
      it: 'a label that is not a price',
      node: { labels: { 'eks-node-viewer/instance-price': 'cheap' } },
      price: undefined,
    },
  ])('has the price that says $it', ({ node, price }) => {
    expect(shapes(pool(), node, [small])[0]?.price).toBe(price);
  });
});

describe('F5: further shapes come from the catalogue', () => {
  const names = (list: readonly NodeShape[]): string =>
    list.map(({ instanceType, labels, price }) => `${instanceType} ${labels[zone]} ${price}`).join(', ');

  it('after its own, the cheapest first', () => {
    expect(names(shapes(pool(), { zone: 'a', labels: { [type]: 'own' } }, [large, small]))).toBe(
      'own a undefined, small a 1, large b 6, large a 8',
    );
  });

  it.each([
    {
      it: 'not what is not available',
      catalogue: [{ ...small, offerings: [offering(1, 'a', { available: false })] }],
      web: pool(),
    },
    {
      it: "not what today's requirements exclude",
      catalogue: [small],
      web: requiring({ key: type, operator: 'NotIn', values: ['small'] }),
    },
    {
      it: 'not another zone than is asked for',
      catalogue: [small],
      web: requiring({ key: zone, operator: 'In', values: ['b'] }),
    },
  ])('$it', ({ catalogue, web }) => {
    expect(
      shapes(web, { zone: 'b', labels: { [type]: 'own' } }, catalogue).map(({ instanceType }) => instanceType),
    ).toEqual(['own']);
  });

  it('alone, where its own is excluded', () => {
    const web = requiring({ key: type, operator: 'In', values: ['small', 'large'] });
    expect(names(shapes(web, { zone: 'a', labels: { [type]: 'own' } }, [large, small]))).toBe(
      'small a 1, large b 6, large a 8',
    );
  });

  it('run what the node runs', () => {
    const [, other] = shapes(pool(), { labels: { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'linux' } }, [
      small,
    ]);
    expect(other?.labels).toMatchObject({ 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'linux' });
  });
});

describe('F5: where no known shape fits', () => {
  it('one that does is assumed, and says so', () => {
    const web = requiring(
      { key: type, operator: 'In', values: ['next'] },
      { key: zone, operator: 'In', values: ['a', 'b'] },
    );
    const [only, ...more] = shapes(web, {
      zone: 'a',
      labels: { [type]: 'own', 'eks-node-viewer/instance-price': '1' },
    });
    expect(more).toEqual([]);
    expect(only).toMatchObject({ assumed: true, labels: { [type]: 'next', [zone]: 'a' }, allocatable: { cpu: 4000 } });
    expect(only).not.toHaveProperty('instanceType');
    expect(only).not.toHaveProperty('price');
  });
});

describe('F5: packing into new nodes', () => {
  const shape = (instanceType: string, cpu: number, labels: Record<string, string> = {}): NodeShape => ({
    instanceType,
    labels,
    taints: [],
    allocatable: { cpu, pods: 9 },
    room: { cpu, pods: 9 },
  });
  function podOf(name: string, cpu: string, spec: Plain = {}): Pod {
    const read = readObject(pod(name, '', { cpu, spec }));
    if (read.kind !== 'Pod') throw new Error(read.kind);
    return read.record;
  }
  const pods = (...cpus: string[]): Pod[] => cpus.map((cpu, index) => podOf(`p${index}`, cpu));
  const pack = (mine: readonly Pod[], ...list: NodeShape[]): string => {
    const cluster = new ClusterStore();
    for (const put of mine) cluster.apply({ kind: 'Pod', put });
    const facts = new BoardLease(cluster).open(observe({ cluster, ledger: emptyLedger }, at(noon), settings()));
    const toMove = mine.map((it) => ({ pod: it, number: facts.classOf(it) }));
    const packed = packIntoNew(facts.board, toMove, list);
    return 'misfit' in packed
      ? `misfit ${packed.misfit.pod.name}`
      : packed.shapes.map(({ instanceType }) => instanceType).join(' ');
  };

  it.each([
    { it: 'one for all', mine: pods('1', '1', '2'), list: [shape('own', 4000)], says: 'own' },
    {
      it: 'one of another shape, where that holds all',
      mine: pods('3', '3'),
      list: [shape('own', 4000), shape('large', 8000)],
      says: 'large',
    },
    { it: 'several, where none does', mine: pods('3', '3', '3'), list: [shape('own', 4000)], says: 'own own own' },
    {
      it: 'as few as first-fit needs, the largest first',
      mine: pods('1', '3', '1', '3'),
      list: [shape('own', 4000)],
      says: 'own own',
    },
    {
      it: 'of several shapes, the first that fits each',
      mine: pods('1', '7', '7'),
      list: [shape('own', 4000), shape('large', 8000)],
      says: 'large large',
    },
    {
      it: 'a pod that fits none is named',
      mine: pods('1', '9'),
      list: [shape('own', 4000), shape('large', 8000)],
      says: 'misfit p1',
    },
    { it: 'none to pack still needs one', mine: [], list: [shape('own', 4000)], says: 'own' },
    {
      it: 'by number of pods',
      mine: pods(...Array<string>(10).fill('100m')),
      list: [shape('own', 4000)],
      says: 'own own',
    },
  ])('$it: $says', ({ mine, list, says }) => {
    expect(pack(mine, ...list)).toBe(says);
  });

  it('selectors are asked of the shape', () => {
    const picky = podOf('p', '1', { nodeSelector: { disk: 'ssd' } });
    expect(pack([picky], shape('own', 4000), shape('fast', 4000, { disk: 'ssd' }))).toBe('fast');
    expect(pack([picky], shape('own', 4000))).toBe('misfit p');
  });

  it('taints too', () => {
    const tainted: NodeShape = { ...shape('own', 4000), taints: [{ key: 'team', effect: 'NoSchedule' }] };
    expect(pack(pods('1'), tainted)).toBe('misfit p0');
    expect(pack([podOf('p', '1', { tolerations: [{ operator: 'Exists' }] })], tainted)).toBe('own');
  });
});
