// What-if runs of a recording with another policy.
import { describe, expect, it } from 'vitest';
import {
  at,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  settings,
} from '../../test/build.ts';
import { roundAsJson } from '../cli/decide/roundJson.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { ClusterStore } from '../cluster/store.ts';
import { decideRound } from '../engine/round.ts';
import { formatInstant, type Instant, minute } from '../time/instant.ts';
import { ObservedObjects, RoundRecorder } from './recorder.ts';
import { put, remove, settingsOf } from './replay.ts';
import { askWhatIf } from './whatIf.ts';

/** Plays a cluster in which a node that is chosen is gone two minutes later, and records it, a round a minute. */
function recorded(
  objects: Objects,
  minutes: number,
  changes: Readonly<Record<number, Objects>> = {},
  quiet = 0,
): string {
  const lines: string[] = [];
  const observed = new ObservedObjects();
  const cluster = new ClusterStore();
  const drive = settings({ role: 'drive' });
  const recorder = new RoundRecorder({ write: (line) => lines.push(line), program: '1', settings: drive, observed });
  const see = (object: Plain, isGone = false): void => {
    observed.read(object, isGone);
    const { namespace, name } = object.metadata as { namespace?: string; name: string };
    if (isGone) remove(cluster, { kind: String(object.kind), name, ...(namespace !== undefined && { namespace }) });
    else put(cluster, object);
  };
  const flat = objects.flat(9) as Plain[];
  for (const object of flat) see(object);
  let ledger: Ledger = emptyLedger;
  for (let n = 0; n < minutes; n++) {
    const now = (at(noon) + n * minute) as Instant;
    for (const object of (changes[n] ?? []).flat(9) as Plain[]) see(object);
    const over = ledger.commands.filter(({ startedAt }) => startedAt <= now - 2 * minute);
    const names = over.flatMap(({ nodes }) => nodes.map(({ name }) => name));
    for (const object of flat) {
      const { name } = object.metadata as { name: string };
      const on = (object.spec as Plain | undefined)?.nodeName;
      if (names.includes(name) || names.includes(name.replace(/-claim$/, '')) || names.includes(String(on)))
        see(object, true);
    }
    ledger = { ...ledger, commands: ledger.commands.filter((command) => !over.includes(command)) };
    const round = decideRound({ cluster, ledger }, now, drive);
    recorder.round({ at: now, ledger, printed: roundAsJson(round, ledger) });
    // Steps are not carried out here: a command stays as it was begun until its node is gone.
    const known = new Set(ledger.commands.map(({ id }) => id));
    const begun = round.commands.filter(({ id, startedAt }) => !known.has(id) && startedAt === now);
    ledger = {
      ...ledger,
      commands: [...ledger.commands, ...begun.map(({ waitingFor: _, deadline: __, ...it }) => it)],
    };
  }
  // Nothing happens any more, so that nothing is decided; it is recorded all the same.
  recorder.end(quiet === 0 ? undefined : ((at(noon) + (minutes + quiet) * minute) as Instant));
  return lines.join('\n');
}

const drifted = (name: string) => machine(name, { drifted: longAgo });
const three = [drifted('n1'), drifted('n2'), drifted('n3')];
const oneByOne = pool('web', { budgets: [{ nodes: '1' }] });

function ask(text: string, objects: Objects = [], pairs: Plain = {}): string[] {
  const outcome = askWhatIf(text, {
    objects: objects.flat(9) as Plain[],
    settings: (values) => settingsOf({ ...values, ...pairs }, 1),
  });
  const clock = (choice?: { at: Instant }): string => (choice ? formatInstant(choice.at).slice(11, 16) : '-');
  return outcome.differences.map(
    ({ node, change, recorded: was, instead, heldBy }) =>
      `${node} ${change} ${clock(was)} ${clock(instead)}${heldBy ? ` ${heldBy.code}` : ''}`,
  );
}

describe('J4: what another policy would have done', () => {
  const text = recorded([oneByOne, three], 12);

  it('the same policy, and nothing else', () => {
    expect(ask(text)).toEqual([]);
    expect(ask(text, [oneByOne])).toEqual([]);
  });

  it('a wider budget: earlier', () => {
    expect(ask(text, [pool('web', { budgets: [{ nodes: '3' }] })])).toEqual([
      'n2 earlier 12:02 12:00',
      'n3 earlier 12:04 12:00',
    ]);
  });

  it('a freeze for a while: later, and one after the other still', () => {
    const window = maintenanceWindow('freeze', { notAfter: '2026-03-10T12:05:00Z' });
    expect(ask(text, [window])).toEqual([
      'n1 later 12:00 12:05 WindowBlocks',
      'n2 later 12:02 12:07 WindowBlocks',
      'n3 later 12:04 12:09 WindowBlocks',
    ]);
  });

  it('a freeze without an end: not', () => {
    expect(ask(text, [maintenanceWindow('freeze')])).toEqual([
      'n1 not 12:00 - WindowBlocks',
      'n2 not 12:02 - WindowBlocks',
      'n3 not 12:04 - WindowBlocks',
    ]);
  });

  it('a window that opens between two rounds is not missed', () => {
    const window = maintenanceWindow('freeze', { notAfter: '2026-03-10T12:05:30Z' });
    const outcome = askWhatIf(text, { objects: [window], settings: (values) => settingsOf(values, 1) });
    expect(outcome.differences[0]?.instead?.at).toBe(at('2026-03-10T12:05:30Z'));
  });

  it('the time after the last round counts too, up to the end of the recording', () => {
    const long = recorded([oneByOne, three], 12, {}, 60);
    const freeze = (minutes: number) => [
      maintenanceWindow('freeze', { notAfter: formatInstant((at(noon) + minutes * minute) as Instant) }),
    ];
    expect(ask(long, freeze(40))).toEqual([
      'n1 later 12:00 12:40 WindowBlocks',
      'n2 later 12:02 12:42 WindowBlocks',
      'n3 later 12:04 12:44 WindowBlocks',
    ]);
    expect(ask(long, freeze(80))).toEqual([
      'n1 not 12:00 - WindowBlocks',
      'n2 not 12:02 - WindowBlocks',
      'n3 not 12:04 - WindowBlocks',
    ]);
    const outcome = askWhatIf(long, { objects: [], settings: (values) => settingsOf(values, 1) });
    expect(outcome).toMatchObject({ to: at(noon) + 72 * minute, differences: [], same: 3 });
  });

  it('no freeze: what did not go goes', () => {
    const frozen = recorded([pool('web', { budgets: [{ nodes: '0' }] }), three], 12);
    expect(ask(frozen, [oneByOne])).toEqual(['n1 new - 12:00', 'n2 new - 12:05', 'n3 new - 12:10']);
  });

  it('of a pool the disruption counts, and not its template', () => {
    const other = pool('web', { budgets: [{ nodes: '1' }], templateLabels: { image: 'v9' } });
    expect(ask(text, [other], { drift: 'computed' })).toEqual([]);
  });

  it('another setting', () => {
    const named = pool('web', { budgets: [{ nodes: '3', reasons: ['Drifted'] }, { nodes: '1' }] });
    const wide = recorded([named, three], 8);
    expect(ask(wide)).toEqual([]);
    expect(ask(wide, [], { defaultBudgets: 'ceiling' })).toEqual([
      'n2 later 12:00 12:02 BudgetSpent',
      'n3 later 12:00 12:04 BudgetSpent',
    ]);
  });

  it('a window that was changed on the way stays what the other policy says', () => {
    const window = maintenanceWindow('freeze', { notAfter: '2026-03-10T12:03:00Z' });
    const longer = maintenanceWindow('freeze', { notAfter: '2026-03-10T12:06:00Z' });
    const late = recorded([oneByOne, drifted('n1'), window], 10, { 1: [longer] });
    expect(ask(late)).toEqual([]);
    expect(ask(late, [window])).toEqual(['n1 earlier 12:06 12:03']);
  });

  it('a node that stays keeps its pods, whatever the recording did to them', () => {
    const held = pod('p', 'n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const moving = recorded([oneByOne, drifted('n1'), drifted('n2'), pod('q', 'n1'), held], 8);
    expect(ask(moving)).toEqual([]);
    expect(ask(moving, [maintenanceWindow('freeze')])).toEqual(['n1 not 12:00 - WindowBlocks']);
  });
});
