import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  settings,
  storeOf,
  underway,
  zone,
} from '../../test/build.ts';
import { decideRound } from '../engine/round.ts';
import { Meter } from './meter.ts';
import { renderMetrics } from './metrics.ts';
import { troubleMetrics } from './metricsOfTrouble.ts';

interface Known {
  readonly ledger?: Plain;
  readonly role?: 'observe' | 'guide' | 'drive';
}

/** Every line of these metrics for this cluster. */
function troubles(objects: Objects, { ledger: known = {}, role = 'drive' }: Known = {}): string[] {
  const cluster = storeOf(...objects);
  const round = decideRound({ cluster, ledger: ledger(known) }, at(noon), settings({ role }));
  const text = renderMetrics({ round, role, cluster, meter: new Meter(), viewers: 0 });
  const names = troubleMetrics.map(({ name }) => name);
  return text.split('\n').filter((line) => names.some((name) => line.startsWith(`${name}{`)));
}

const drifted = (name: string, parts: Plain = {}) => machine(name, { drifted: longAgo, ...parts });
const optedOut = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
const roll = { nodes: '1', topologyKey: zone, sequential: true, settle: '10m' };
const settling = {
  pool: 'web',
  topologyKey: zone,
  domain: 'a',
  takenAt: '2026-03-10T11:00:00Z',
  progressAt: '2026-03-10T11:30:00Z',
  inFlight: [],
  unreadyAtStart: [],
  replacements: ['r-0', 'r-1'],
  expected: [],
  passedOver: [],
};
const night = { mode: 'Allow', schedules: [{ cron: '0 22 * * *', duration: '4h' }] };

describe('J5: what needs a person', () => {
  it.each<{ it: string; objects: Objects; known?: Known; lines: string[] }>([
    { it: 'nothing, if all nodes may go', objects: [pool(), drifted('n1')], known: { role: 'observe' }, lines: [] },
    {
      it: 'F7: a NodeClaim that is not ready in time',
      objects: [
        pool(),
        machine('n1'),
        claim('late', { nodeName: null, conditions: { Initialized: { status: 'False' } } }),
      ],
      lines: ['lull_replacements_slow{nodepool="web"} 1'],
    },
    {
      it: 'nothing, if the window will open',
      objects: [pool(), drifted('n1'), maintenanceWindow('night', night)],
      lines: [],
    },
    {
      it: 'a node held by a pod that opts out, though the window will open',
      objects: [pool(), drifted('n1'), pod('p', 'n1', optedOut), maintenanceWindow('night', night)],
      lines: ['lull_held_without_end{nodepool="web",reason="Drifted"} 1'],
    },
    {
      it: 'no drifted node that may go for another reason',
      objects: [pool(), drifted('n1', { ready: 'False', readySince: longAgo }), machine('n2'), machine('n3')],
      known: { role: 'observe' },
      lines: [],
    },
    {
      it: 'C13: a domain that is not well',
      objects: [pool('web', { budgets: [roll] }), drifted('b1', { zone: 'b' }), machine('a1', { zone: 'a' })],
      known: { ledger: { turns: [settling] } },
      lines: [
        'lull_held_without_end{nodepool="web",reason="Drifted"} 1',
        `lull_domain_unwell{nodepool="web",topology_key="${zone}",domain="a"} 2`,
      ],
    },
    {
      it: 'C8, D7: objects that cannot be read, but not those with warnings only',
      objects: [
        pool('odd', { budgets: [{ nodes: 'some' }] }),
        pool('loose', { budgets: [] }),
        maintenanceWindow('w', { schedules: [{ cron: 'never', duration: '1h' }] }),
      ],
      lines: [
        'lull_objects_at_fault{kind="MaintenanceWindow",name="w"} 1',
        'lull_objects_at_fault{kind="NodePool",name="odd"} 1',
      ],
    },
    {
      it: 'the command that has been in its step longest',
      objects: [
        pool('web', { budgets: [{ nodes: '10%' }] }),
        machine('n1', { claim: { deleted: noon } }),
        machine('n2', { claim: { deleted: noon } }),
      ],
      known: {
        role: 'guide',
        ledger: {
          commands: [
            underway('n1', { hands: 'karpenter', step: 'taken', stepAt: '2026-03-10T11:00:00Z' }),
            underway('n2', { id: 'x', hands: 'karpenter', step: 'taken', stepAt: '2026-03-10T09:00:00Z' }),
          ],
        },
      },
      lines: [
        `lull_command_progress_timestamp_seconds{nodepool="web",step="taken"} ${at('2026-03-10T09:00:00Z') / 1000}`,
      ],
    },
    {
      it: 'N9: a pool whose fields are lost',
      objects: [
        pool('web', {
          budgets: [{ nodes: '1' }],
          annotations: { 'lull.dev/budgets-seen': JSON.stringify({ budgets: [roll] }).replace(',"settle":"10m"', '') },
        }),
      ],
      lines: ['lull_pool_fields_lost{nodepool="web"} 1'],
    },
    {
      it: 'C17: a pool that only Lull limits, in guide',
      objects: [
        pool('web', { budgets: [{ nodes: '100%' }], annotations: { 'lull.dev/budgets': '[{nodes: "1"}]' } }),
        pool('batch', { budgets: [{ nodes: '10%' }] }),
      ],
      known: { role: 'guide' },
      lines: ['lull_pool_without_safety_net{nodepool="web"} 1'],
    },
  ])('$it', ({ objects, known, lines }) => {
    expect(troubles(objects, known)).toEqual(lines);
  });

  it('at most 100 objects are listed; the rest is counted together', () => {
    const pools = Array.from({ length: 130 }, (_, index) => pool(`p${index}`, { budgets: [{ nodes: 'some' }] }));
    const lines = troubles(pools);
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('lull_objects_at_fault{kind="NodePool",name="_other"} 30');
  });
});
