import { describe, expect, it } from 'vitest';
import {
  decide,
  ledger,
  machine,
  maintenanceWindow,
  type Plain,
  pool,
  storeOf,
  underway,
} from '../../../test/build.ts';
import { type ChangeKind, changesBetween, formatChanges, type RoundSnapshot, snapshotOf } from './changes.ts';

const kinds: readonly ChangeKind[] = ['command', 'window', 'fault'];

const snapshot = (
  before: RoundSnapshot | undefined,
  objects = [pool(), machine('n1')],
  known: Plain = {},
): RoundSnapshot => {
  const facts = { cluster: storeOf(...objects), ledger: ledger(known) };
  const round = decide(objects, { ledger: facts.ledger });
  return snapshotOf(before, { round, facts, settings: { role: 'drive' }, now: round.at }, { kinds });
};

const commands = (step: string, ...nodes: string[]): Plain => ({
  commands: nodes.map((node) => underway(node, { step })),
});

describe('the difference of two rounds', () => {
  it('is everything where there was no round before', () => {
    const after = snapshot(undefined, [pool(), maintenanceWindow('freeze', { actions: ['Drift'] })]);
    expect(changesBetween(undefined, after)).toMatchObject([{ kind: 'window', is: { name: 'freeze', open: true } }]);
  });

  it('is nothing where the same is said again', () => {
    const before = snapshot(undefined, undefined, commands('draining', 'n1'));
    expect(changesBetween(before, snapshot(before, undefined, commands('draining', 'n1')))).toEqual([]);
  });

  it('is what ended, then what says something else, then what began', () => {
    const before = snapshot(undefined, undefined, commands('tainted', 'n1', 'n2'));
    const mixed = { commands: [underway('n2', { step: 'draining' }), underway('n3', { step: 'chosen' })] };
    const changes = changesBetween(before, snapshot(before, undefined, mixed));
    const steps = formatChanges(
      changes,
      { command: ({ was, is }) => [`${(is ?? was)?.nodes[0]?.name} ${was?.step} → ${is?.step}`] },
      undefined,
    );
    expect(steps).toEqual(['n1 tainted → undefined', 'n2 tainted → draining', 'n3 undefined → chosen']);
  });

  it('compares the entries of a ledger only where another one was written', () => {
    const before = snapshot(undefined, undefined, commands('tainted', 'n1'));
    const again = snapshotOf(before, before.seen, { kinds });
    expect(again.entries.command).toBe(before.entries.command);
  });
});
