// Groups of nodes by pool.
import { describe, expect, it } from 'vitest';
import { changesOf, machine, node, pod, pool, storeOf } from '../../test/build.ts';
import type { ClusterStore } from './store.ts';

const shown = (store: ClusterStore): string[] =>
  store.groups.map(({ managed, poolName, nodes }) => {
    const names = nodes.map((view) => view.node.name).join(' ');
    return `${managed ? (poolName ?? 'no pool') : 'unmanaged'}: ${names}`;
  });

const inPool = (name: string) => ({ 'karpenter.sh/nodepool': name });

describe('Nodes that belong together', () => {
  const objects = [
    pool('web'),
    machine('n2'),
    machine('n1'),
    machine('n3', { labels: inPool('db') }),
    node('bare', { labels: inPool('web') }),
  ];

  it('are those of a pool, by name; those that are not managed stand apart', () => {
    expect(shown(storeOf(...objects)).sort()).toEqual(['db: n3', 'unmanaged: bare', 'web: n1 n2']);
  });

  it.each([
    {
      change: 'a node that goes',
      gone: { kind: 'Node', gone: 'n3' } as const,
      left: ['unmanaged: bare', 'web: n1 n2'],
    },
    {
      change: 'a claim that goes',
      gone: { kind: 'NodeClaim', gone: 'n1-claim' } as const,
      left: ['db: n3', 'unmanaged: bare n1', 'web: n2'],
    },
  ])('$change leaves its group', ({ gone, left }) => {
    const store = storeOf(...objects);
    expect(store.groups).toHaveLength(3);
    store.apply(gone);
    expect(shown(store).sort()).toEqual(left);
  });

  it('a node that changes its pool moves', () => {
    const store = storeOf(...objects);
    expect(store.nodesOf('db').nodes).toHaveLength(1);
    for (const change of changesOf([machine('n3', { labels: inPool('web') })])) store.apply(change);
    expect(shown(store).sort()).toEqual(['unmanaged: bare', 'web: n1 n2 n3']);
    expect(store.nodesOf('db').nodes).toEqual([]);
  });

  it('are the same object until one of them changes, and then a new one that remembers nothing', () => {
    const store = storeOf(...objects);
    const [web, db] = [store.nodesOf('web'), store.nodesOf('db')];
    expect(store.nodesOf('web')).toBe(web);
    for (const change of changesOf([pod('p', 'n1')])) store.apply(change);
    expect(store.nodesOf('db')).toBe(db);
    expect(store.nodesOf('web')).not.toBe(web);
    expect(store.nodesOf('web').memory).not.toBe(web.memory);
    // A group that a caller still holds does not change.
    expect(web.nodes.map((view) => view.pods.length)).toEqual([0, 0]);
  });
});
