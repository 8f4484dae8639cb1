import { describe, expect, it } from 'vitest';
import { maintenanceWindow, podSchedule, storeOf } from '../../test/build.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Allowance, CommandReport, DomainReport, Round, Verdict, WindowReport } from '../engine/verdict.ts';
import { asInstant } from '../time/instant.ts';
import { renderRound } from './renderRound.ts';
import { paint } from './span.ts';

/** Enough that looking through all of them for each of them stands out. */
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

const told = (round: Round, cluster: Cluster = storeOf()): string =>
  paint(renderRound(round, { cluster, counted: new Map(), role: 'observe', all: true, width: 100 }), false);

describe('A round of very many', () => {
  it('pools: each is told with what is its own, and looked for once', () => {
    let reads = 0;
    const of = <Value extends { readonly pool: string }>(make: (pool: string) => Value): Value[] =>
      names.map((pool) => watched(make(pool), 'pool', () => reads++));
    const text = told({
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

  it('windows: each says whether it allows or blocks, and the facts are asked once', () => {
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
    const text = told(
      { ...empty, windows: [...reports('MaintenanceWindow'), ...reports('PodDisruptionSchedule')] },
      asked,
    );
    expect(text.match(/x298 +(allows|blocks)/g)).toEqual(['x298  blocks', 'x298  allows']);
    expect(text.match(/x299 +(allows|blocks)/g)).toEqual(['x299  allows', 'x299  blocks']);
    expect(reads).toBe(2);
  });
});

describe('What a command is worth', () => {
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
    ['nothing is known of it', command(['n1']), ['no replacement needed']],
    [
      'one node',
      command(['n1'], { savings: 0.19, podsMoved: 1 }),
      ['no replacement needed; saves 0.19 an hour, moves 1 pod'],
    ],
    [
      'a group: once for all of it',
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
    const text = told({ ...empty, verdicts, commands: [its] });
    const rows = its.nodes.map(({ name }, index) => `    ${name}  Underutilized  ${lines[index]}`);
    expect(text.split('\n').filter((line) => line.startsWith('    n'))).toEqual(rows);
  });
});
