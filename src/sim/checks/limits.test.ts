// Checks of budgets, windows, PDBs and protections.
import { describe, expect, it } from 'vitest';
import { Handmade, minutes, noon, zone } from '../../../test/sim/handmade.ts';
import { after } from '../../time/instant.ts';

const told = (tell: (history: Handmade) => void, settings = {}): string[] => {
  const history = new Handmade(settings);
  tell(history);
  return history.broken;
};

interface Case {
  readonly it: string;
  readonly tell: (history: Handmade) => void;
  readonly broken: readonly string[];
  readonly settings?: object;
}

const budget = (history: Handmade, nodes: string | number, more: object = {}): void => {
  history.pool('web', [{ nodes: String(nodes), ...more }]);
};

describe('P7: nothing is started for drift that is too recent', () => {
  const waits = { disruption: { budgets: [{ nodes: '5', reasons: ['Drifted'], driftAfter: '10m' }] } };
  const brokenAfter = (waited: number, change = false) =>
    told((h) => {
      h.pool('web', undefined, waits);
      h.nodes(2);
      h.later(minutes(9));
      if (change)
        h.change('NodePool', 'web', ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, template: { v: 2 } } }));
      h.later(minutes(waited));
      h.ledger([{ node: 'n1' }]);
    });

  it('counts from when the template last changed', () => {
    expect(brokenAfter(0)).toEqual(['P7']);
    expect(brokenAfter(1)).toEqual([]);
    expect(brokenAfter(1, true)).toEqual(['P7']);
    expect(brokenAfter(10, true)).toEqual([]);
  });
});

describe('P1: nothing is started beyond a rate', () => {
  const rate = (h: Handmade, more: object = {}): void => {
    h.pool('web', [{ nodes: '2', per: '10m', ...more }]);
    h.nodes(6);
  };
  const gone = (h: Handmade, name: string): void =>
    h.change('NodeClaim', name, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, deletionTimestamp: '2026-11-16T12:00:00Z' },
    }));

  it.each<Case>([
    {
      it: 'as many as it allows',
      tell: (h) => {
        rate(h);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
    {
      it: 'one more',
      tell: (h) => {
        rate(h);
        h.ledger([{ node: 'n1' }, { node: 'n2' }, { node: 'n3' }]);
      },
      broken: ['P1'],
    },
    {
      it: 'one more for another reason',
      tell: (h) => {
        rate(h, { reasons: ['Empty'] });
        h.ledger([{ node: 'n1' }, { node: 'n2' }, { node: 'n3' }]);
      },
      broken: [],
    },
    {
      it: 'what a person deletes counts while it is there',
      tell: (h) => {
        rate(h);
        gone(h, 'n6');
        h.later(minutes(5));
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: ['P1'],
    },
    {
      it: 'not when the period is over',
      tell: (h) => {
        rate(h);
        gone(h, 'n6');
        h.later(minutes(11));
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
  ])('$it', ({ tell, broken }) => {
    expect(told(tell)).toEqual(broken);
  });
});

describe('C6: nothing is started beyond a budget', () => {
  it.each<Case>([
    {
      it: 'as many as it has units',
      tell: (h) => {
        budget(h, 2);
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
    {
      it: 'one more',
      tell: (h) => {
        budget(h, 2);
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }, { node: 'n3' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'one more in a later round',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.ledger([{ node: 'n1' }]);
        h.later(minutes(1));
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'a percentage rounds up',
      tell: (h) => {
        budget(h, '21%');
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
    {
      it: 'and no further',
      tell: (h) => {
        budget(h, '20%');
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'a node that is not Ready uses a unit',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.unready('n3');
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'one that failed before it was seen does not',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        const seen = String(h.objects.version);
        h.unready('n3');
        h.ledger([{ node: 'n1' }], { seen: { Node: seen } });
      },
      broken: [],
    },
    {
      it: 'it does as soon as it was seen',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.unready('n3');
        const seen = String(h.objects.version);
        h.unready('n2');
        h.ledger([{ node: 'n1' }], { seen: { Node: seen } });
      },
      broken: ['C6'],
    },
    {
      it: 'a claim deleted by another actor uses a unit',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.change('NodeClaim', 'n3', (claim) => ({ ...claim, metadata: { ...claim.metadata, finalizers: ['x'] } }));
        h.objects.delete('NodeClaim', 'n3', 'script');
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'a node that is not initialized neither counts nor uses anything',
      tell: (h) => {
        budget(h, '50%');
        h.nodes(3);
        h.node('young', { initialized: false, ready: false });
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
    {
      it: 'C7: a node that uses a unit already needs no other',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.unready('n1');
        h.ledger([{ node: 'n1', reason: 'Unhealthy' }]);
      },
      broken: [],
      settings: { repairBreaker: { percent: 100 } },
    },
    {
      it: 'C4: for Unhealthy what is merely not Ready uses nothing',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.unready('n1', 'n2');
        h.ledger([{ node: 'n1', reason: 'Unhealthy' }]);
      },
      broken: [],
      settings: { repairBreaker: { percent: 100 } },
    },
    {
      it: 'A2: Interrupted is never too many',
      tell: (h) => {
        budget(h, 0);
        h.nodes(3);
        h.ledger([{ node: 'n1', reason: 'Interrupted' }]);
      },
      broken: [],
    },
    {
      it: 'but it is counted',
      tell: (h) => {
        budget(h, 1);
        h.nodes(3);
        h.ledger([{ node: 'n1', reason: 'Interrupted' }, { node: 'n2' }]);
      },
      broken: ['C6'],
    },
    {
      it: 'A4: neither is forceful expiry',
      tell: (h) => {
        budget(h, 0);
        h.nodes(3);
        h.ledger([{ node: 'n1', reason: 'Expired' }]);
      },
      broken: [],
      settings: { expiration: 'forceful' },
    },
  ])('$it', ({ tell, settings, broken }) => {
    expect(told(tell, settings)).toEqual(broken);
  });
});

describe('C5: which budget binds', () => {
  const budgets = [{ nodes: '2', reasons: ['Drifted'] }, { nodes: '1' }];
  it.each<Case>([
    {
      it: 'the one that names the reason',
      tell: (h) => {
        h.pool('web', budgets);
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: [],
    },
    {
      it: 'for all others the one without reasons',
      tell: (h) => {
        h.pool('web', budgets);
        h.nodes(5);
        h.ledger([
          { node: 'n1', reason: 'Empty' },
          { node: 'n2', reason: 'Empty' },
        ]);
      },
      broken: ['C6'],
    },
    {
      it: 'the least of both with ceiling',
      tell: (h) => {
        h.pool('web', budgets);
        h.nodes(5);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: ['C6'],
      settings: { defaultBudgets: 'ceiling' },
    },
    {
      it: 'a freeze is a freeze',
      tell: (h) => {
        h.pool('web', [{ nodes: '2', reasons: ['Drifted'] }, { nodes: '0' }]);
        h.nodes(5);
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C5'],
    },
    {
      it: 'a schedule that is open',
      tell: (h) => {
        h.pool('web', [{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }]);
        h.nodes(5);
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C5'],
    },
    {
      it: 'not one that is closed',
      tell: (h) => {
        h.pool('web', [{ nodes: '0', schedule: '1 12 * * *', duration: '1h' }]);
        h.nodes(5);
        h.ledger([{ node: 'n1' }]);
      },
      broken: [],
    },
    {
      it: 'C8: a pool that cannot be read moves nothing',
      tell: (h) => {
        h.pool('web', [{ nodes: 'many' }]);
        h.nodes(5);
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C8'],
    },
  ])('$it', ({ tell, settings, broken }) => {
    expect(told(tell, settings)).toEqual(broken);
  });
});

describe('C9, C11: domains', () => {
  const sixNodes = (h: Handmade): void => {
    for (const [index, where] of ['a', 'a', 'a', 'b', 'b', 'b'].entries()) h.node(`n${index + 1}`, { zone: where });
  };
  const turn = (domain: string) => ({ pool: 'web', topologyKey: zone, domain, takenAt: '2026-11-16T12:00:00Z' });
  const sequential = [{ nodes: '1', topologyKey: zone, sequential: true }];
  it.each<Case>([
    {
      it: 'each domain has its own limit',
      tell: (h) => {
        h.pool('web', [{ nodes: '1', topologyKey: zone }]);
        sixNodes(h);
        h.ledger([{ node: 'n1' }, { node: 'n4' }]);
      },
      broken: [],
    },
    {
      it: 'which holds',
      tell: (h) => {
        h.pool('web', [{ nodes: '1', topologyKey: zone }]);
        sixNodes(h);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      },
      broken: ['C9'],
    },
    {
      it: 'and binds drift alone',
      tell: (h) => {
        h.pool('web', [{ nodes: '1', topologyKey: zone }]);
        sixNodes(h);
        h.ledger([
          { node: 'n1', reason: 'Empty' },
          { node: 'n2', reason: 'Empty' },
        ]);
      },
      broken: [],
    },
    {
      it: 'one domain after another',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n1' }], { turns: [turn('a')] });
      },
      broken: [],
    },
    {
      it: 'not two at once',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n1' }, { node: 'n4' }], { turns: [turn('a')] });
      },
      broken: ['C11'],
    },
    {
      it: 'nor one beside another that is in flight',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n1' }], { turns: [turn('a')] });
        h.ledger([{ node: 'n1' }, { node: 'n4' }], { turns: [turn('a')] });
      },
      broken: ['C11'],
    },
    {
      it: 'nor without a turn that is recorded',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n1' }]);
      },
      broken: ['C11'],
    },
    {
      it: 'nor out of turn',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n4' }], { turns: [turn('a')] });
      },
      broken: ['C11'],
    },
    {
      it: 'other reasons only consume',
      tell: (h) => {
        h.pool('web', sequential);
        sixNodes(h);
        h.ledger([{ node: 'n4', reason: 'Empty' }]);
        h.ledger([{ node: 'n4', reason: 'Empty' }, { node: 'n1' }], { turns: [turn('a')] });
      },
      broken: [],
    },
  ])('$it', ({ tell, settings, broken }) => {
    expect(told(tell, settings)).toEqual(broken);
  });
});

describe('D: maintenance windows', () => {
  const window = (h: Handmade, spec: object): void => {
    h.pool('web', []);
    h.nodes(5);
    h.put('MaintenanceWindow', 'mw', { spec });
  };
  const atNoon = [{ cron: '0 12 * * *', duration: '1h' }];
  const later = [{ cron: '0 13 * * *', duration: '1h' }];
  const earlier = [{ cron: '0 11 * * *', duration: '1h' }];
  it.each<{ it: string; spec: object; reason?: string; more?: number; settings?: object; broken: string[] }>([
    { it: 'D2: a window that blocks', spec: { schedules: atNoon }, broken: ['D2'] },
    { it: 'D2: one that does not yet', spec: { schedules: later }, broken: [] },
    { it: 'B4: one that has just closed', spec: { schedules: earlier }, broken: [] },
    { it: 'D2: one without schedules', spec: {}, broken: ['D2'] },
    { it: 'D1: one for other actions', spec: { schedules: atNoon, actions: ['Consolidation'] }, broken: [] },
    { it: 'D1: one for this action', spec: { schedules: atNoon, actions: ['Drift'] }, broken: ['D2'] },
    {
      it: 'D1: one for other nodes',
      spec: { schedules: atNoon, selector: { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] } },
      broken: [],
    },
    { it: 'D3: an Allow window that is open', spec: { mode: 'Allow', schedules: atNoon }, broken: [] },
    { it: 'D3: one that is not', spec: { mode: 'Allow', schedules: later }, broken: ['D3'] },
    { it: 'D4: one that is over', spec: { notAfter: '2026-11-16T12:00:00Z' }, broken: [] },
    { it: 'D7: one that cannot be read', spec: { schedules: [{ cron: 'soon', duration: '1h' }] }, broken: ['D2'] },
    { it: 'D6: Interrupted', spec: {}, reason: 'Interrupted', broken: [] },
    { it: 'D5: a cap with room', spec: { nodes: '1' }, broken: [] },
    { it: 'D5: a cap without', spec: { nodes: '1' }, more: 1, broken: ['D5'] },
    { it: 'D5: a percentage of what it selects, rounded up', spec: { nodes: '21%' }, more: 1, broken: [] },
    { it: 'D5: and no further', spec: { nodes: '20%' }, more: 1, broken: ['D5'] },
    { it: 'D5: an Allow window caps while it is open', spec: { mode: 'Allow', nodes: '1' }, more: 1, broken: ['D5'] },
    { it: 'D3: or lets all go', spec: { mode: 'Allow' }, more: 1, broken: [] },
    {
      it: 'B8: what begins within the margin',
      spec: { schedules: later },
      settings: { windowMargin: minutes(60) },
      broken: ['B8'],
    },
    { it: 'B8: and not after it', spec: { schedules: later }, settings: { windowMargin: minutes(59) }, broken: [] },
  ])('$it', ({ spec, reason = 'Drifted', more = 0, settings, broken }) => {
    expect(
      told((h) => {
        window(h, spec);
        h.ledger(['n1', 'n2', 'n3'].slice(0, 1 + more).map((node) => ({ node, reason })));
      }, settings),
    ).toEqual(broken);
  });

  it.each([
    { it: 'a freeze that begins', when: '0 13 * * *', margin: 60, broken: ['B8'] },
    { it: 'a freeze that begins after it', when: '1 13 * * *', margin: 60, broken: [] },
  ])('B8: $it', ({ when, margin, broken }) => {
    expect(
      told(
        (h) => {
          h.pool('web', [{ nodes: '2' }, { nodes: '0', schedule: when, duration: '1h' }]);
          h.nodes(3);
          h.ledger([{ node: 'n1' }]);
        },
        { windowMargin: minutes(margin) },
      ),
    ).toEqual(broken);
  });

  it.each([
    { margin: 59, broken: [] },
    { margin: 60, broken: ['B8'] },
  ])('B8: a pod whose window closes in an hour, with a margin of $margin min', ({ margin, broken }) => {
    const annotations = { 'karpenter.sh/disruption-schedule': '0 12 * * *' };
    expect(
      told(
        (h) => {
          h.pool('web', []);
          h.nodes(3);
          h.pod('p', 'n1', { annotations });
          h.ledger([{ node: 'n1' }]);
        },
        { windowMargin: minutes(margin) },
      ),
    ).toEqual(broken);
  });

  it('D5: two Allow windows: one that has room is enough', () => {
    expect(
      told((h) => {
        window(h, { mode: 'Allow', nodes: '1' });
        h.put('MaintenanceWindow', 'other', { spec: { mode: 'Allow', nodes: '2' } });
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      }),
    ).toEqual([]);
  });

  it.each([
    { decided: 0, broken: [] },
    { decided: 1, broken: ['D2'] },
  ])('is judged at the instant of the decision, not of the write: $decided min', ({ decided, broken }) => {
    expect(
      told((h) => {
        window(h, { schedules: [{ cron: '1 12 * * *', duration: '1h' }] });
        h.later(minutes(1));
        h.ledger([{ node: 'n1', startedAt: after(noon, minutes(decided)) }]);
      }),
    ).toEqual(broken);
  });
});

describe('E2, A5: protections of the node', () => {
  it.each<{ it: string; annotations?: Record<string, string>; reason?: string; ready?: boolean; broken: string[] }>([
    { it: 'do-not-disrupt', annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, broken: ['E2'] },
    {
      it: 'not for repair',
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      reason: 'Unhealthy',
      ready: false,
      broken: [],
    },
    { it: 'for a while', annotations: { 'karpenter.sh/do-not-disrupt': '1m' }, broken: ['E2'] },
    {
      it: 'N2: Lull’s own',
      annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': 'x' },
      broken: [],
    },
    { it: 'hold', annotations: { 'lull.dev/hold': 'mine' }, reason: 'Unhealthy', ready: false, broken: ['E2'] },
    { it: 'not for Interrupted', annotations: { 'lull.dev/hold': 'mine' }, reason: 'Interrupted', broken: [] },
    {
      it: 'do-not-consolidate',
      annotations: { 'karpenter.sh/do-not-consolidate': 'true' },
      reason: 'Empty',
      broken: ['E2'],
    },
    { it: 'not for drift', annotations: { 'karpenter.sh/do-not-consolidate': 'true' }, broken: [] },
    { it: 'A5: a node that is not Ready', ready: false, broken: ['A5'] },
    { it: 'A5: may be repaired', ready: false, reason: 'Unhealthy', broken: [] },
  ])('$it', ({ annotations, reason = 'Drifted', ready = true, broken }) => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.nodes(6);
        h.node('kept', { ready, ...(annotations && { annotations }) });
        h.ledger([{ node: 'kept', reason }]);
      }),
    ).toEqual(broken);
  });

  it.each([
    { unready: 2, broken: [] },
    { unready: 3, broken: ['A5'] },
  ])('A5: repair with $unready of 10 nodes not Ready', ({ unready, broken }) => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.nodes(10);
        for (let index = 1; index <= unready; index++) h.unready(`n${index}`);
        h.ledger([{ node: 'n1', reason: 'Unhealthy' }]);
      }),
    ).toEqual(broken);
  });
});

describe('A2, E8, E10: pods', () => {
  const optedOut = { 'karpenter.sh/do-not-disrupt': 'true' };
  const closed = { 'karpenter.sh/disruption-schedule': '0 13 * * *' };
  const grace = { terminationGracePeriod: '1h' };
  it.each<{
    it: string;
    annotations?: Record<string, string>;
    spec?: object;
    reason?: string;
    owner?: string;
    broken: string[];
  }>([
    { it: 'one that opts out', annotations: optedOut, broken: ['A2'] },
    { it: 'waived by a deadline', annotations: optedOut, spec: grace, broken: [] },
    { it: 'not for a graceful reason', annotations: optedOut, spec: grace, reason: 'Rebalance', broken: ['A2'] },
    {
      it: 'E3: for another reason',
      annotations: { ...optedOut, 'karpenter.sh/do-not-disrupt-reasons': 'Empty' },
      broken: [],
    },
    { it: 'E4: out of its window', annotations: closed, broken: ['E8'] },
    { it: 'E5: in its block', annotations: { 'karpenter.sh/disruption-block-schedule': '0 12 * * *' }, broken: ['E8'] },
    { it: 'E11: a DaemonSet’s too', annotations: closed, owner: 'DaemonSet/d', broken: ['E8'] },
    {
      it: 'E6: a schedule that cannot be read',
      annotations: { 'karpenter.sh/disruption-schedule': 'soon' },
      broken: [],
    },
  ])('$it', ({ annotations, spec, reason = 'Drifted', owner, broken }) => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.node('n1', { ...(spec && { spec: spec as never }) });
        h.pod('p', 'n1', { ...(annotations && { annotations }), ...(owner && { owner }) });
        h.ledger([{ node: 'n1', reason }]);
      }),
    ).toEqual(broken);
  });

  it.each([
    { it: 'E7: under a closed PodDisruptionSchedule', labels: { app: 'web' }, broken: ['E8'] },
    { it: 'E7: one that selects other pods', labels: { app: 'db' }, broken: [] },
  ])('$it', ({ labels, broken }) => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.nodes(1);
        h.pod('p', 'n1', { labels });
        h.put('PodDisruptionSchedule', 's', {
          spec: { selector: { matchLabels: { app: 'web' } }, schedule: '0 13 * * *' },
        });
        h.ledger([{ node: 'n1' }]);
      }),
    ).toEqual(broken);
  });

  it.each([
    { it: 'a PDB that allows nothing', allowed: 0, starts: ['n1'], broken: ['E10'] },
    { it: 'one that allows one, two pods on one node', allowed: 1, starts: ['n1'], broken: [] },
    { it: 'one that allows three, for two nodes', allowed: 3, starts: ['n1', 'n2'], broken: [] },
    { it: 'one that allows two, for two nodes with three pods', allowed: 2, starts: ['n1', 'n2'], broken: ['E10'] },
  ])('E10: $it', ({ allowed, starts, broken }) => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.nodes(3);
        h.pdb('web', allowed);
        h.pod('p1', 'n1', { labels: { app: 'web' } });
        h.pod('p2', 'n1', { labels: { app: 'web' } });
        h.pod('p3', 'n2', { labels: { app: 'web' } });
        h.ledger(starts.map((node) => ({ node })));
      }),
    ).toEqual(broken);
  });

  it('E10: pods that wait on a node in flight count', () => {
    expect(
      told((h) => {
        h.pool('web', []);
        h.nodes(3);
        h.pdb('web', 1);
        h.pod('p1', 'n1', { labels: { app: 'web' } });
        h.pod('p2', 'n2', { labels: { app: 'web' } });
        h.ledger([{ node: 'n1' }]);
        h.ledger([{ node: 'n1' }, { node: 'n2' }]);
      }),
    ).toEqual(['E10']);
  });
});
