// Tests of a round as text.
import { describe, expect, it } from 'vitest';
import { maintenanceWindow, podSchedule, storeOf } from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Allowance, CommandReport, DomainReport, Round, Verdict, WindowReport } from '../../engine/verdict.ts';
import { after, asInstant, hour } from '../../time/instant.ts';
import { utc } from '../formatTime.ts';
import { paint } from '../span.ts';
import type { RoundView } from './renderPool.ts';
import { renderRound } from './renderRound.ts';

/** Enough for quadratic work to show in the count of reads. */
const many = 300;
const names = Array.from({ length: many }, (_, index) => `x${String(index).padStart(3, '0')}`);

const empty: Round = {
  at: asInstant(0),
  verdicts: [],
  commands: [],
  ended: [],
  actions: [],
  allowances: [],
  domains: [],
  windows: [],
  pods: [],
  faults: [],
  ledger: emptyLedger,
};

/** Counts how often one field of it is read. */
function watched<Value extends object>(value: Value, field: keyof Value, read: () => void): Value {
  return Object.defineProperty({ ...value }, field, {
    enumerable: true,
    get: () => {
      read();
      return value[field];
    },
  });
}

const view = { counted: new Map<string, number>(), role: 'observe', all: true, width: 100, zone: utc } as const;
const textOf = (round: Round, cluster: Cluster = storeOf(), more: Partial<RoundView> = {}): string =>
  paint(renderRound(round, { ...view, cluster, now: round.at, ...more }), false);

describe('N3: a node that the cloud interrupts', () => {
  it('is under way with the event of Karpenter, not with its wishes', () => {
    const message = 'InstanceStopping: Instance is stopping';
    const text = textOf({
      ...empty,
      verdicts: [{ node: 'n1', pool: 'web', reason: 'Empty', outcome: 'underway', refusals: [] }],
      allowances: [{ pool: 'web', reason: 'Drifted', consumed: 1, limit: 1, left: 0 }],
      interruptions: [{ node: 'n1', pool: 'web', at: empty.at, message }],
    });
    expect(text).toContain(`under way\n    n1  Interrupted  being removed by Karpenter: ${message}`);
  });
});

describe('P1: a rate of a pool', () => {
  it('is printed beside its budgets, with when the next may begin', () => {
    const owner = { kind: 'NodePool', name: 'web', index: 1 };
    const text = textOf({
      ...empty,
      allowances: [{ pool: 'web', reason: 'Drifted', consumed: 1, limit: 2, left: 1 }],
      rates: [{ owner, per: '24h', limit: 5, used: 5, left: 0, freeAt: after(empty.at, hour) }],
    });
    expect(text).toMatch(/budget left: any reason 1 of 2; to begin in any 24h 0 of 5 until\s+.* \(in 1h\)/);
  });
});

describe('a round with very many', () => {
  it('pools prints each with its own parts, and groups them once', () => {
    let reads = 0;
    const of = <Value extends { readonly pool: string }>(make: (pool: string) => Value): Value[] =>
      names.map((pool) => watched(make(pool), 'pool', () => reads++));
    const text = textOf({
      ...empty,
      verdicts: of<Verdict>((pool) => ({ node: `n-${pool}`, pool, reason: 'Drifted', outcome: 'held', refusals: [] })),
      allowances: of<Allowance>((pool) => ({ pool, reason: 'Drifted', consumed: 0, limit: 1, left: 1 })),
      domains: of<DomainReport>((pool) => ({
        ...{ pool, topologyKey: 'zone', domain: `z-${pool}`, state: 'turn' },
        ...{ counted: 1, limit: 1, consumed: 0, left: 1 },
      })),
    });
    expect(text).toMatch(/^x000 .*\n {2}held\n {4}Drifted {2}n-x000 .*\n {2}by zone\n.*\n {4}z-x000 /m);
    expect(text).toMatch(/^x299 .*\n {2}held\n {4}Drifted {2}n-x299 .*\n {2}by zone\n.*\n {4}z-x299 /m);
    expect(reads).toBeLessThan(20 * many);
  });

  it('windows prints the mode of each, and reads them from the cluster once', () => {
    const cluster = storeOf(
      ...names.map((name, index) => maintenanceWindow(name, { mode: index % 2 ? 'Allow' : 'Block' })),
      ...names.map((name, index) =>
        podSchedule(name, { selector: {}, schedule: '0 2 * * *', mode: index % 2 ? 'Block' : 'Allow' }),
      ),
    );
    let reads = 0;
    const asked = new Proxy(cluster, {
      get: (store, field) => {
        if (field === 'windows' || field === 'podSchedules') reads++;
        return Reflect.get(store, field, store);
      },
    });
    const reports = (kind: WindowReport['kind']): WindowReport[] =>
      names.map((name) => ({ kind, name, open: false, selected: 0, holding: 0 }));
    const text = textOf(
      { ...empty, windows: [...reports('MaintenanceWindow'), ...reports('PodDisruptionSchedule')] },
      asked,
    );
    expect(text.match(/x298 +(allows|blocks)/g)).toEqual(['x298  blocks', 'x298  allows']);
    expect(text.match(/x299 +(allows|blocks)/g)).toEqual(['x299  allows', 'x299  blocks']);
    expect(reads).toBe(2);
  });
});

describe('the names of held nodes', () => {
  const verdicts = names.map(
    (node): Verdict => ({
      node,
      pool: 'web',
      reason: 'Drifted',
      outcome: 'held',
      refusals: [{ code: 'NotStable', message: 'x' }],
    }),
  );

  it('take three lines on a terminal', () => {
    const text = textOf({ ...empty, verdicts }, storeOf(), { all: false, width: 80 });
    expect(text).toMatch(/\n {6}x000, .*,\n {6}x\d+, .*,\n {6}x\d+, .*,\n {6}and 264 more \(--all names them\)\n/);
  });

  it('take one line in a pipe, and are not more than on a wide terminal', () => {
    const text = textOf({ ...empty, verdicts }, storeOf(), { all: false, width: Number.POSITIVE_INFINITY });
    expect(text).toMatch(/\n {6}x000, [^\n]*, and 252 more \(--all names them\)\n/);
  });
});

describe('the savings of a command', () => {
  const going = (node: string): Verdict => ({
    node,
    pool: 'web',
    reason: 'Underutilized',
    outcome: 'go',
    refusals: [],
  });
  const command = (names: readonly string[], more: Partial<CommandReport> = {}): CommandReport => ({
    ...{ id: 'c', reason: 'Underutilized', pool: 'web', hands: 'lull', replacements: [], promisedTo: [] },
    ...{
      step: 'chosen',
      startedAt: asInstant(0),
      stepAt: asInstant(0),
      nodes: names.map((name) => ({ name })),
      ...more,
    },
  });

  it.each([
    ['unknown', command(['n1']), ['no replacement needed']],
    [
      'one node',
      command(['n1'], { savings: 0.19, podsMoved: 1 }),
      ['no replacement needed; saves 0.19 an hour, moves 1 pod'],
    ],
    [
      'a group, printed once',
      command(['n1', 'n2'], {
        savings: 0.3,
        podsMoved: 5,
        replacements: [{ name: 'r1', pool: 'web', instanceType: 'c6.large' }],
      }),
      [
        'replaced by c6.large; saves 0.3 an hour, moves 5 pods; together with 1 more',
        'replaced by c6.large; together with n1',
      ],
    ],
  ])('%s', (_, its, lines) => {
    const verdicts = its.nodes.map(({ name }) => going(name));
    const text = textOf({ ...empty, verdicts, commands: [its] });
    const rows = its.nodes.map(({ name }, index) => `    ${name}  Underutilized  ${lines[index]}`);
    expect(text.split('\n').filter((line) => line.startsWith('    n'))).toEqual(rows);
  });
});
