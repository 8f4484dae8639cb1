// The headline of a node: the replacement it gets, and the rule that a person must change.
import { describe, expect, it } from 'vitest';
import { decide, longAgo, machine, maintenanceWindow, type Objects, pod, pool, storeOf } from '../../../test/build.ts';
import type { NodeWhy } from './nodeWhy.ts';
import { explainWhy, findTarget } from './why.ts';

const large = { 'node.kubernetes.io/instance-type': 'm5.large' };

function whyOf(...objects: Objects): NodeWhy {
  const cluster = storeOf(...objects);
  const found = findTarget(cluster, 'node/n1');
  if (!('target' in found)) throw new Error(found.message);
  const round = decide(objects, { settings: { role: 'drive' } });
  return explainWhy({ round, role: 'drive', isLive: true }, cluster, found.target) as NodeWhy;
}

describe('J1: a node that is replaced', () => {
  it('names the instance type of its replacement, and the step that waits for it', () => {
    const why = whyOf(pool(), machine('n1', { drifted: longAgo, labels: large }), pod('p', 'n1'));
    expect(why.headline).toBe('n1 may be disrupted now (Drifted), replaced by m5.large; it moves 1 pod');
    expect(why.command?.path.map(({ step }) => step)).toEqual([
      'tainted',
      'replacing',
      'draining',
      'terminating',
      'gone',
    ]);
  });

  it('says that it needs none, and has no such step', () => {
    const why = whyOf(pool(), machine('n1', { drifted: longAgo, labels: large }));
    expect(why.headline).toBe('n1 may be disrupted now (Drifted), without a replacement');
    expect(why.command?.path.map(({ step }) => step)).not.toContain('replacing');
  });
});

describe('J1: a node that waits for a person', () => {
  it('names the budget of zero that must be raised, not what passes by itself', () => {
    const rebooting = { Drifted: longAgo, Rebooting: longAgo };
    const node = machine('n1', { claim: { conditions: rebooting } });
    const why = whyOf(pool('web', { budgets: [{ nodes: '0' }] }), node, pod('p', 'n1'));
    expect(why.headline).toBe('n1 is held until someone acts: budgets[0] of pool web allows no node for Drifted now');
  });
});

describe('E12: a node whose rules never permit together', () => {
  it('advises to change those rules, and to wait for the others', () => {
    const scheduled = (name: string, cron: string) =>
      pod(name, 'n1', { annotations: { 'karpenter.sh/disruption-schedule': cron } });
    const sundays = maintenanceWindow('sundays', {
      mode: 'Allow',
      schedules: [{ cron: '0 9 * * sun', duration: '8h' }],
    });
    const why = whyOf(
      pool(),
      machine('n1', { drifted: longAgo }),
      scheduled('saturdays', '0 22 * * sat'),
      scheduled('weekends', '0 9-23 * * sat,sun'),
      sundays,
    );
    expect(
      why.wishes[0]?.refusals.map(({ owner, help }) => `${owner?.kind} ${owner?.name}: ${help.split(' ')[0]}`),
    ).toEqual(['Pod saturdays: Change', 'Pod weekends: Wait', 'MaintenanceWindow sundays: Change']);
  });
});
