// Pairing of nodes and claims by provider ID and name.
import { describe, expect, it } from 'vitest';
import { changesOf, claim, node, type Objects } from '../../test/build.ts';
import type { NodeView } from './nodeView.ts';
import { ClusterStore } from './store.ts';

/** Reads views between changes, as rounds do: a cached view must not become stale. */
function inOrder(...objects: Objects): ClusterStore {
  const store = new ClusterStore();
  for (const change of changesOf(objects)) {
    store.apply(change);
    expect(store.nodes).toBeDefined();
  }
  return store;
}

function viewIn(store: ClusterStore, name = 'n1'): NodeView {
  const view = store.nodes.find((it) => it.node.name === name);
  if (!view) throw new Error(`node ${name} not found`);
  return view;
}

const put = (store: ClusterStore, ...objects: Objects): void => {
  for (const change of changesOf(objects)) store.apply(change);
};

describe('A claim and its node', () => {
  it.each([
    { it: 'node before claim', objects: [node(), claim()] },
    { it: 'claim before node', objects: [claim(), node()] },
    {
      it: 'by provider ID, node first',
      objects: [
        node('n1', { spec: { providerID: 'aws:///i-1' } }),
        claim('n1', { nodeName: null, providerID: 'aws:///i-1' }),
      ],
    },
    {
      it: 'by provider ID, claim first',
      objects: [
        claim('n1', { nodeName: null, providerID: 'aws:///i-1' }),
        node('n1', { spec: { providerID: 'aws:///i-1' } }),
      ],
    },
    {
      it: 'a claim that gets its node name later',
      objects: [node(), claim('n1', { nodeName: null }), claim('n1')],
    },
    {
      it: 'a node that gets its provider ID later',
      objects: [node(), claim('n1', { nodeName: null, providerID: 'x' }), node('n1', { spec: { providerID: 'x' } })],
    },
  ])('are paired: $it', ({ objects }) => {
    expect(viewIn(inOrder(...objects))).toMatchObject({ managed: true, claim: { name: 'n1-claim' } });
  });

  it.each([
    { it: 'the claim is deleted', last: { kind: 'NodeClaim', gone: 'n1-claim' } as const },
    { it: 'the claim names another node', last: claim('n1', { nodeName: 'n2' }) },
  ])('are no longer paired when $it', ({ last }) => {
    const store = inOrder(node(), claim());
    if ('gone' in last) store.apply(last as { kind: 'NodeClaim'; gone: string });
    else put(store, last);
    expect(viewIn(store).managed).toBe(false);
  });

  it('are paired again when the node is recreated', () => {
    const store = inOrder(node(), claim());
    store.apply({ kind: 'Node', gone: 'n1' });
    expect(store.nodes).toEqual([]);
    put(store, node());
    expect(viewIn(store).claim?.name).toBe('n1-claim');
  });

  it('are paired by provider ID before name', () => {
    const other = claim('n2', { nodeName: 'n1' });
    const mine = claim('n1', { nodeName: null, providerID: 'i-1' });
    expect(viewIn(inOrder(other, mine, node('n1', { spec: { providerID: 'i-1' } }))).claim?.name).toBe('n1-claim');
  });

  it('are paired by name again once the claim with the provider ID is gone', () => {
    const mine = claim('n1', { nodeName: null, providerID: 'i-1' });
    const store = inOrder(node('n1', { spec: { providerID: 'i-1' } }), mine, claim('n2', { nodeName: 'n1' }));
    store.apply({ kind: 'NodeClaim', gone: 'n1-claim' });
    expect(viewIn(store).claim?.name).toBe('n2-claim');
  });

  it('if two claims match, the first by name is used, regardless of the order of arrival', () => {
    const [a, b] = [claim('a', { nodeName: 'n1' }), claim('b', { nodeName: 'n1' })];
    expect(viewIn(inOrder(node(), a, b)).claim?.name).toBe('a-claim');
    expect(viewIn(inOrder(b, node(), a)).claim?.name).toBe('a-claim');
  });

  it('are found by the name of the claim', () => {
    const store = inOrder(claim());
    expect(store.claim('n1-claim')?.nodeName).toBe('n1');
    expect(store.claim('n2-claim')).toBeUndefined();
  });
});
