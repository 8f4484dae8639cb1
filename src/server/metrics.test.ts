import { describe, expect, it } from 'vitest';
import {
  at,
  ledger,
  longAgo,
  machine,
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
import type { Round } from '../engine/verdict.ts';
import type { ApiRequest } from '../runtime/port.ts';
import { asDuration } from '../time/instant.ts';
import { Meter } from './meter.ts';
import { metrics, renderMetrics } from './metrics.ts';
import { troubleMetrics } from './metricsOfTrouble.ts';

const closed = { 'karpenter.sh/disruption-schedule': '0 2 * * *' };

function decide(objects: Objects, known: Plain = {}): Round {
  return decideRound({ cluster: storeOf(...objects), ledger: ledger(known) }, at(noon), settings({ role: 'guide' }));
}

/** A round in which there is something of everything. */
const budgets = JSON.stringify([{ nodes: '2' }, { nodes: '1', topologyKey: zone, sequential: true }]);
const taken = { commands: [underway('n1', { hands: 'karpenter', step: 'taken' })] };
const full = (): Round =>
  decide(
    [
      pool('web', { annotations: { 'lull.dev/budgets': budgets } }),
      pool('odd', { budgets: [{ nodes: 'some' }] }),
      machine('n1', { zone: 'a', drifted: longAgo, claim: { deleted: noon } }),
      machine('n2', { zone: 'b', drifted: longAgo }),
      pod('p', 'n1', { annotations: closed }),
    ],
    taken,
  );

const note = (meter: Meter, round: Round, known = ledger({})): void =>
  meter.round({ round, facts: { cluster: storeOf(), ledger: known }, settings: { role: 'guide' }, now: round.at });

const print = (round: Round, meter = new Meter()): string =>
  renderMetrics({ round, meter, viewers: 0, answers: { waiting: 0, dropped: 0 } });

/** `name{label="value"} 1` */
const sampleLine = /^(\w+?)(?:\{(.*)\})? (-?[\d.e+]+)$/;

describe('J5: what is printed and what is listed', () => {
  const meter = new Meter();
  note(meter, full(), ledger({}));
  const worth = { id: 'x', step: 'withdrawn', savings: 0.25, podsMoved: 3 };
  note(meter, full(), ledger({ commands: [...taken.commands, underway('n2', worth)] }));
  meter.searches.add({ outcome: 'found' });
  meter.gateChecks.add({ name: 'slo', result: 'Healthy' });
  meter.forcedExpiries.add({ nodepool: 'web' });
  note(meter, full(), ledger({}));
  meter.answered({ verb: 'evict', kind: 'Pod', name: 'p' } as ApiRequest, { status: 'done' });
  meter.answered({ verb: 'commit', ledger: ledger({}) }, { status: 'refused', code: 409, message: 'no' });
  meter.decided(asDuration(3));
  meter.looked({ unsynced: [] } as never, at(noon));
  meter.leads = true;
  meter.bornParked = true;
  meter.certificate = { expiresAt: at(noon) };
  const samples = print(full(), meter)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => sampleLine.exec(line) ?? [line]);

  it.each(metrics.map((metric) => ({ metric, name: metric.name })))('$name', ({ metric: { name, type, labels } }) => {
    const own = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    const mine = samples.filter(([, sample]) => own.includes(sample as string));
    // No windows and gates here, and troubles have a test of their own; everything else has a sample, or the table promises what is never printed.
    const isElsewhere = /^lull_(window|health_gate)/.test(name) || troubleMetrics.some((it) => it.name === name);
    if (!isElsewhere) expect(mine).not.toEqual([]);
    for (const [, sample, pairs = ''] of mine) {
      const printed = [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label);
      expect(printed).toEqual(sample?.endsWith('_bucket') ? ['le'] : labels);
    }
  });

  it('nothing is printed that is not listed', () => {
    const listed = metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]);
    expect(samples.filter(([, name]) => !listed.includes(name as string))).toEqual([]);
  });

  it('no name is listed twice, and every help is a sentence', () => {
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
    for (const { help } of metrics) expect(help).toMatch(/^[A-Z].*\.$/);
  });
});

describe('J5: the figures', () => {
  it.each([
    { it: 'what is left', line: 'karpenter_nodepools_allowed_disruptions{nodepool="web",reason="drifted"} 1' },
    { it: 'what is in use', line: 'karpenter_nodepools_nodes_consuming_budgets{nodepool="web",reason="drifted"} 1' },
    {
      it: 'who would go but for what is shared',
      line: 'karpenter_voluntary_disruption_eligible_nodes{reason="drifted"} 1',
    },
    { it: 'who is held, by code', line: 'lull_held_nodes{nodepool="web",code="NotItsTurn"} 1' },
    { it: 'what is under way', line: 'lull_commands{nodepool="web",reason="Drifted",step="taken"} 1' },
    { it: 'whose turn it is', line: `lull_turn{nodepool="web",topology_key="${zone}",domain="a",state="turn"} 1` },
    { it: 'who waits', line: `lull_turn{nodepool="web",topology_key="${zone}",domain="b",state="waiting"} 1` },
    { it: 'pods that a schedule protects', line: 'lull_pods_protected{namespace="shop"} 1' },
    { it: 'pods that a drain waits for', line: 'lull_evictions_deferred{namespace="shop"} 1' },
    { it: 'faults', line: 'lull_faults{kind="NodePool",severity="error"} 1' },
  ])('$it', ({ line }) => {
    expect(print(full()).split('\n')).toContain(line);
  });

  it('N1: in observe what may go is not a command under way, and what another role began still is', () => {
    const objects = [pool(), machine('n1', { drifted: longAgo }), machine('n2', { drifted: longAgo })];
    const known = ledger({ commands: [underway('n2', { hands: 'karpenter', step: 'taken' })] });
    const round = decideRound({ cluster: storeOf(...objects), ledger: known }, at(noon), settings({ role: 'observe' }));
    expect(round.commands).toHaveLength(2);
    const lines = (role: 'observe' | 'drive') =>
      renderMetrics({ round, role, meter: new Meter(), viewers: 0 }).match(/^lull_commands\{.*$/gm);
    expect(lines('observe')).toEqual(['lull_commands{nodepool="web",reason="Drifted",step="taken"} 1']);
    expect(lines('drive')).toHaveLength(2);
  });

  it('without a round there are only those of the work', () => {
    const text = renderMetrics({ meter: new Meter(), viewers: 2 });
    expect(text).toContain('\nlull_viewers 2\n');
    expect(text).not.toMatch(/^(karpenter_|lull_wishes)\w*\{/m);
  });

  it('labels are escaped as the format wants it', () => {
    const round = {
      ...full(),
      windows: [{ kind: 'MaintenanceWindow', name: 'a"b\\c\nd', open: true, selected: 0, holding: 0 }],
    };
    expect(print(round as Round)).toContain('lull_window_open{kind="MaintenanceWindow",name="a\\"b\\\\c\\nd"} 1\n');
  });

  it('namespaces are bounded: the smallest are counted together', () => {
    const [protected_] = full().pods;
    const pods = Array.from({ length: 150 }, (_, index) => ({ ...protected_, namespace: `ns-${index}` }));
    const text = print({ ...full(), pods: [...pods, { ...pods[149] }] } as Round);
    expect(text.match(/^lull_pods_protected\{/gm)).toHaveLength(101);
    expect(text).toContain('lull_pods_protected{namespace="ns-149"} 2\n');
    expect(text).toContain('lull_pods_protected{namespace="_other"} 50\n');
  });
});

describe('J5: what is counted', () => {
  const step = (name: string, more: Plain = {}) =>
    ledger({ commands: [underway('n1', { hands: 'karpenter', step: name, ...more })] });

  it('steps as they are committed, each once', () => {
    const meter = new Meter();
    for (const known of [ledger({}), step('offered'), step('offered'), step('withdrawn'), ledger({})])
      note(meter, full(), known);
    const text = print(full(), meter);
    expect(text).toContain('lull_command_steps_total{nodepool="web",reason="Drifted",step="offered"} 1\n');
    expect(text).toContain('lull_offers_withdrawn_total{nodepool="web",reason="Drifted"} 1\n');
    expect(text).toContain('lull_commands_ended_total{nodepool="web",reason="Drifted",how="released"} 1\n');
    expect(text).toContain(`lull_pool_progress_timestamp_seconds{nodepool="web"} ${at(noon) / 1000}\n`);
    expect(text).toContain('lull_rounds_total 5\n');
    // In guide the decision is Karpenter's, and so is its count.
    expect(text).not.toContain('decisions_total{');
  });

  it('in drive the decisions, as Karpenter counts its own', () => {
    const meter = new Meter();
    for (const known of [ledger({}), step('chosen', { hands: 'lull', reason: 'Empty' })]) note(meter, full(), known);
    expect(print(full(), meter)).toContain(
      'karpenter_voluntary_disruption_decisions_total{decision="delete",reason="empty",consolidation_type="empty"} 1\n',
    );
  });

  it('what the ledger says when this process begins was counted by the one before', () => {
    const meter = new Meter();
    note(meter, full(), step('offered'));
    expect(meter.steps.samples).toEqual([]);
    expect(meter.progress.size).toBe(0);
  });

  it('evictions that are put off, once for each drain', () => {
    const meter = new Meter();
    for (const round of [full(), full(), decide([pool()]), full()]) note(meter, round);
    expect(print(full(), meter)).toContain('lull_evictions_deferred_total 2\n');
  });

  it('K6: whether rounds are late, by the last one', () => {
    const meter = new Meter();
    expect(print(full(), meter)).not.toContain('\nlull_rounds_late ');
    meter.decided(asDuration(10_000));
    expect(print(full(), meter)).toContain('lull_rounds_late 1\n');
    meter.decided(asDuration(9_999));
    expect(print(full(), meter)).toContain('lull_rounds_late 0\n');
  });

  it('rounds by how long they took', () => {
    const meter = new Meter();
    for (const milliseconds of [1, 3, 700, 60_000]) meter.decided(asDuration(milliseconds));
    const text = print(full(), meter);
    for (const line of [
      '_bucket{le="0.001"} 1',
      '_bucket{le="0.005"} 2',
      '_bucket{le="1"} 3',
      '_bucket{le="+Inf"} 4',
      '_sum 60.704',
      '_count 4',
    ])
      expect(text).toContain(`lull_round_duration_seconds${line}\n`);
  });
});
