// Checks of the ledger's commands and of Lull's writes.
import { describe, expect, it } from 'vitest';
import { Handmade, minutes, noon } from '../../../test/sim/handmade.ts';
import { after, asDuration, formatInstant, second } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';

interface Case {
  readonly it: string;
  readonly tell: (history: Handmade) => void;
  readonly broken: readonly string[];
  readonly settings?: object;
}

/** Three nodes, no limit, one command that is about to begin. */
function told({ tell, settings }: Case): string[] {
  const h = new Handmade(settings);
  h.pool('web', []);
  h.nodes(3, { spec: {} });
  tell(h);
  return h.broken;
}

const claim = (name: string, command: string): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, annotations: { 'lull.dev/command': command }, labels: { 'karpenter.sh/nodepool': 'web' } },
  spec: {},
});

const create = (h: Handmade, name: string, command = 'drifted-n1') =>
  h.send({ verb: 'create', kind: 'NodeClaim', name, object: claim(name, command) });

const drop = (h: Handmade, name: string) => h.send({ verb: 'delete', kind: 'NodeClaim', name });

/** n1 is tainted, and r1 is asked for. */
function replacing(h: Handmade): void {
  h.ledger([{ node: 'n1', replacements: ['r1'] }]);
  h.taint('n1', 'drifted-n1');
  h.ledger([{ node: 'n1', replacements: ['r1'], step: 'replacing' }]);
}

describe('G2: nothing is done that is not in the ledger', () => {
  it.each<Case>([
    { it: 'a taint before its command', tell: (h) => h.taint('n1', 'drifted-n1'), broken: ['G2'] },
    {
      it: 'a taint after it',
      tell: (h) => {
        h.ledger([{ node: 'n1' }]);
        h.taint('n1', 'drifted-n1');
      },
      broken: [],
    },
    {
      it: 'a taint on another node',
      tell: (h) => {
        h.ledger([{ node: 'n1' }]);
        h.taint('n2', 'drifted-n1');
      },
      broken: ['G2'],
    },
    {
      it: 'G1: a taint during the pause',
      tell: (h) => {
        h.ledger([{ node: 'n1', reason: 'Empty' }]);
        h.taint('n1', 'empty-n1');
      },
      broken: ['G1'],
    },
    { it: 'a claim without a command', tell: (h) => create(h, 'r1'), broken: ['G2'] },
    {
      it: 'a replacement',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
      },
      broken: [],
    },
    {
      it: 'one that was not planned',
      tell: (h) => {
        replacing(h);
        create(h, 'r2');
      },
      broken: ['G2'],
    },
    {
      it: 'the same one again after it is gone',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
        h.objects.delete('NodeClaim', 'r1', 'script');
        create(h, 'r1');
      },
      broken: ['G2'],
    },
    {
      it: 'a replacement before the taint',
      tell: (h) => {
        h.ledger([{ node: 'n1', replacements: ['r1'] }]);
        create(h, 'r1');
      },
      broken: ['G1'],
    },
    { it: 'a claim deleted without a command', tell: (h) => drop(h, 'n1'), broken: ['G2'] },
    {
      it: 'a claim deleted while its node is drained',
      tell: (h) => {
        h.drains('n1');
        drop(h, 'n1');
      },
      broken: ['G2'],
    },
    {
      it: 'a claim deleted when it is drained',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        drop(h, 'n1');
      },
      broken: [],
    },
    {
      it: 'a replacement taken back',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'released' }]);
        drop(h, 'r1');
      },
      broken: [],
    },
    {
      it: 'a replacement deleted while it is waited for',
      tell: (h) => {
        replacing(h);
        h.node('r1', { initialized: false });
        drop(h, 'r1');
      },
      broken: ['G2'],
    },
    {
      it: 'N6: a replacement that was never launched, taken back at once',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
        drop(h, 'r1');
      },
      broken: [],
    },
    {
      it: 'G4: a taint taken off before the command is released',
      tell: (h) => {
        replacing(h);
        h.untaint('n1');
      },
      broken: ['G4'],
    },
    {
      it: 'K4: something else of a node changed',
      tell: (h) =>
        h.change('Node', 'n1', (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }), 'lull-1'),
      broken: ['K4'],
    },
    {
      it: 'K4: a window changed',
      tell: (h) => {
        h.put('MaintenanceWindow', 'mw', { spec: { nodes: '50%' } });
        h.change('MaintenanceWindow', 'mw', (window) => ({ ...window, spec: {} }), 'lull-1');
      },
      broken: ['K4'],
    },
    {
      it: 'a view that is older than that of the ledger’s author',
      tell: (h) => {
        h.ledger([], { seen: { Node: '9' } });
        h.ledger([{ node: 'n1' }], { seen: { Node: '8' }, by: 'lull-2' });
      },
      broken: ['G2'],
    },
  ])('$it', (history) => {
    expect(told(history)).toEqual(history.broken);
  });

  it('what another controller has just ended still explains a late request', () => {
    const h = new Handmade();
    h.pool('web', []);
    h.nodes(2);
    h.ledger([{ node: 'n1' }]);
    h.ledger([{ node: 'n1', step: 'released' }], { by: 'lull-2' });
    h.later(second);
    h.taint('n1', 'drifted-n1');
    expect(h.broken).toEqual([]);
    h.later(minutes(1));
    h.untaint('n1');
    h.taint('n1', 'drifted-n1');
    expect(h.broken).toEqual(['G1']);
  });
});

describe('G1: steps in order', () => {
  const ready = (h: Handmade): void => h.node('r1', {});
  it.each<Case>([
    {
      it: 'consolidation without its pause',
      tell: (h) => h.ledger([{ node: 'n1', reason: 'Empty', step: 'tainted' }]),
      broken: ['G1'],
    },
    { it: 'a node that is not there', tell: (h) => h.ledger([{ node: 'n9' }]), broken: ['G1'] },
    {
      it: 'draining before the taint is seen',
      tell: (h) => {
        h.ledger([{ node: 'n1' }]);
        h.ledger([{ node: 'n1', step: 'draining' }]);
      },
      broken: ['G1'],
    },
    {
      it: 'draining before the replacement is there',
      tell: (h) => {
        replacing(h);
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining' }]);
      },
      broken: ['G1'],
    },
    {
      it: 'draining before it is Initialized',
      tell: (h) => {
        replacing(h);
        h.node('r1', { initialized: false });
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining' }]);
      },
      broken: ['G1'],
    },
    {
      it: 'draining when it is no longer Ready',
      tell: (h) => {
        replacing(h);
        h.node('r1', { ready: false });
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining' }]);
      },
      broken: ['G1'],
    },
    {
      it: 'draining when it is there',
      tell: (h) => {
        replacing(h);
        ready(h);
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining' }]);
      },
      broken: [],
    },
    {
      it: 'an interrupted node does not wait',
      tell: (h) => {
        h.ledger([{ node: 'n1', reason: 'Interrupted', replacements: ['r1'] }]);
        h.taint('n1', 'interrupted-n1');
        h.ledger([{ node: 'n1', reason: 'Interrupted', replacements: ['r1'], step: 'draining' }]);
      },
      broken: [],
    },
    {
      it: 'back to replacing',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'replacing', evictedAt: h.clock.now }]);
      },
      broken: ['G1'],
    },
    {
      it: 'on again after it was released',
      tell: (h) => {
        h.ledger([{ node: 'n1', step: 'tainted' }]);
        h.ledger([{ node: 'n1', step: 'released' }]);
        h.ledger([{ node: 'n1', step: 'tainted' }]);
      },
      broken: ['G1'],
    },
    {
      it: 'over while the node is there',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        h.ledger([]);
      },
      broken: ['G4'],
    },
    {
      it: 'over when the node is gone, though its claim is still seen',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        h.objects.delete('Node', 'n1', 'cloud');
        h.ledger([]);
      },
      broken: [],
    },
    {
      it: 'over when the claim is gone, though its node is still seen',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        h.untaint('n1');
        h.objects.delete('NodeClaim', 'n1', 'cloud');
        h.ledger([]);
      },
      broken: ['G4'],
    },
    {
      it: 'over while the node is there, without its taint',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        h.untaint('n1');
        h.ledger([]);
      },
      broken: ['G4', 'G1'],
    },
    {
      it: 'over when the node is gone',
      tell: (h) => {
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
        h.objects.delete('Node', 'n1', 'cloud');
        h.objects.delete('NodeClaim', 'n1', 'cloud');
        h.ledger([]);
      },
      broken: [],
    },
    {
      it: 'G4: over with its taint still there',
      tell: (h) => {
        replacing(h);
        h.ledger([{ node: 'n1', step: 'released' }]);
        h.ledger([]);
      },
      broken: ['G4'],
    },
    {
      it: 'G4: over with its replacement still there',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'released' }]);
        h.untaint('n1');
        h.ledger([]);
      },
      broken: ['G4'],
    },
    {
      it: 'G4: a replacement that has pods may stay',
      tell: (h) => {
        replacing(h);
        ready(h);
        h.pod('p', 'r1');
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'released' }]);
        h.untaint('n1');
        h.ledger([]);
      },
      broken: [],
    },
    {
      it: 'G6: ended with a pod on it',
      tell: (h) => {
        h.pod('p', 'n1');
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
      },
      broken: ['G6'],
    },
    {
      it: 'G6: ended with a pod on it that tolerates the taint',
      tell: (h) => {
        h.pod('p', 'n1', { spec: { tolerations: [{ operator: 'Exists' }] } });
        h.drains('n1');
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
      },
      broken: [],
    },
  ])('$it', (history) => {
    expect(told(history)).toEqual(history.broken);
  });
});

describe('G5, D6: the second look', () => {
  it.each<Case>([
    {
      it: 'a window that closed before the first eviction',
      tell: (h) => {
        replacing(h);
        h.node('r1', {});
        h.put('MaintenanceWindow', 'mw', { spec: {} });
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining' }]);
        h.ledger([{ node: 'n1', replacements: ['r1'], step: 'draining', evictedAt: h.clock.now }]);
      },
      broken: ['D2'],
    },
    {
      it: 'one that closed after it',
      tell: (h) => {
        h.drains('n1');
        h.put('MaintenanceWindow', 'mw', { spec: {} });
        h.ledger([{ node: 'n1', step: 'terminating', evictedAt: h.clock.now }]);
      },
      broken: [],
    },
    {
      it: 'a node that filled up during the pause',
      tell: (h) => {
        h.ledger([{ node: 'n1', reason: 'Empty' }]);
        h.pod('p', 'n1');
        h.ledger([{ node: 'n1', reason: 'Empty', step: 'tainted' }]);
      },
      broken: ['G5'],
    },
    {
      it: 'a node that has a DaemonSet pod as every node',
      tell: (h) => {
        h.pod('p', 'n1', { owner: 'DaemonSet/agent' });
        h.ledger([{ node: 'n1', reason: 'Empty' }]);
        h.ledger([{ node: 'n1', reason: 'Empty', step: 'tainted' }]);
      },
      broken: [],
    },
    {
      it: 'a node held during the pause',
      tell: (h) => {
        h.ledger([{ node: 'n1', reason: 'Empty' }]);
        h.change('Node', 'n1', (node) => ({
          ...node,
          metadata: { ...node.metadata, annotations: { 'lull.dev/hold': 'mine' } },
        }));
        h.ledger([{ node: 'n1', reason: 'Empty', step: 'tainted' }]);
      },
      broken: ['E2'],
    },
  ])('$it', (history) => {
    expect(told(history)).toEqual(history.broken);
  });
});

describe('G7: every command ends', () => {
  it.each([
    { it: 'in time', after: 24, broken: [] },
    { it: 'too late', after: 26, broken: ['G7'] },
  ])('replacements that come $it', ({ after: elapsed, broken }) => {
    const h = new Handmade();
    h.pool('web', []);
    h.nodes(2);
    replacing(h);
    h.later(minutes(elapsed));
    h.ledger([{ node: 'n1', replacements: ['r1'], step: 'released' }]);
    expect(h.broken).toEqual(broken);
  });

  it('not counting the time in which controllers could not work', () => {
    const h = new Handmade();
    h.pool('web', []);
    h.nodes(2);
    replacing(h);
    h.checks.disturbed(noon, after(noon, minutes(20)));
    h.later(minutes(44));
    h.ledger([{ node: 'n1', replacements: ['r1'], step: 'released' }]);
    expect(h.broken).toEqual([]);
  });

  it('at the end too', () => {
    const h = new Handmade();
    h.pool('web', []);
    h.nodes(2);
    replacing(h);
    h.later(asDuration(26 * 60 * second));
    h.checks.finish();
    expect(h.broken).toEqual(['G7']);
  });
});

describe('rest', () => {
  it.each<Case>([
    { it: 'nothing was done', tell: () => undefined, broken: [] },
    { it: 'a command is left', tell: (h) => h.ledger([{ node: 'n1' }]), broken: ['G1'] },
    {
      it: 'a replacement without a node is left',
      tell: (h) => {
        replacing(h);
        create(h, 'r1');
        h.ledger([{ node: 'n1', step: 'draining' }]);
        h.untaint('n1', 'script');
        h.objects.delete('Node', 'n1', 'cloud');
        h.objects.delete('NodeClaim', 'n1', 'cloud');
        h.ledger([]);
      },
      broken: ['G4'],
    },
    {
      it: 'a deadline is left on a claim that stays',
      tell: (h) =>
        h.change('NodeClaim', 'n1', (object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': formatInstant(noon) },
          },
        })),
      broken: ['H1'],
    },
  ])('$it', ({ tell, broken }) => {
    const h = new Handmade();
    h.pool('web', []);
    h.nodes(2);
    tell(h);
    const before = h.broken.length;
    h.checks.expectRest();
    expect(h.broken.slice(before)).toEqual(broken);
  });

  it('a taint is left', () => {
    const h = new Handmade();
    h.nodes(1, { taints: [{ key: 'lull.dev/disrupted', value: 'drifted-n1', effect: 'NoSchedule' }] });
    h.checks.expectRest();
    expect(h.broken).toEqual(['G4']);
  });
});
