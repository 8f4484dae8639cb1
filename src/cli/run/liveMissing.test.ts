import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { type Unsynced, unsyncedBecause } from '../../runtime/port.ts';
import { describeMissing } from './liveWaiting.ts';

const notListed = (kind: string, code?: number): Unsynced => ({
  cause: 'not listed',
  kind,
  ...(code !== undefined && { code, fault: `${code}: x` }),
});

describe('K3: missing facts are grouped by cause, with a remedy', () => {
  it.each<{ name: string; why: readonly Unsynced[]; says: string }>([
    {
      name: "Lull's own definitions",
      why: [notListed('MaintenanceWindow', 404), notListed('DisruptionLedger', 404)],
      says: 'the server does not know MaintenanceWindow, DisruptionLedger: `lull install` creates their CustomResourceDefinitions',
    },
    {
      name: 'Karpenter',
      why: [notListed('NodePool', 404), notListed('NodeClaim', 404)],
      says: 'the server does not know NodePool, NodeClaim in karpenter.sh/v1: install Karpenter',
    },
    {
      name: 'permissions',
      why: [notListed('Pod', 403)],
      says: 'Lull may not read Pod: `lull install` grants the permissions',
    },
    {
      name: 'nothing but time',
      why: [notListed('Node'), notListed('Pod')],
      says: 'not listed yet: Node, Pod',
    },
    {
      name: 'a message that only looks like a status code',
      why: [{ cause: 'not listed', kind: 'Node', fault: '403: from a proxy' }],
      says: 'not listed yet: Node (403: from a proxy)',
    },
    {
      name: 'a server',
      why: ['Node', 'Pod'].map((kind) => ({ cause: 'listed again', kind, fault: 'refused' })),
      says: 'being listed again: Node, Pod (refused)',
    },
    {
      name: 'a watch',
      why: [{ cause: 'watch down', kind: 'Node', fault: '503: not yet', code: 503, since: at(noon) }],
      says: 'the watch of Node is down (503: not yet)',
    },
    {
      name: 'what another Lull has seen',
      why: [{ cause: 'behind', kind: 'Node', seen: '80', needed: '90' }],
      says: 'another Lull has seen newer Node; this one is catching up',
    },
    {
      name: 'anything else',
      why: [unsyncedBecause('The ledger cannot be read: x')],
      says: 'The ledger cannot be read: x',
    },
  ])('$name', ({ why, says }) => {
    expect(describeMissing(why).text).toBe(says);
  });

  it('has the same key as long as the causes are the same', () => {
    const [many, few, other] = [[notListed('Node'), notListed('Pod')], [notListed('Pod')], [notListed('Pod', 403)]];
    expect(describeMissing(many).key).toBe(describeMissing(few).key);
    expect(describeMissing(other).key).not.toBe(describeMissing(few).key);
    expect(describeMissing([unsyncedBecause('late by 3 s')]).key).toBe(
      describeMissing([unsyncedBecause('late by 4 s')]).key,
    );
  });
});
