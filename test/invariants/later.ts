// What does the same cluster say later, when nothing but the time has changed?
import type { Ledger } from '../../src/cluster/ledger.ts';
import type { Round } from '../../src/engine/verdict.ts';
import type { Instant } from '../../src/time/instant.ts';
import { decideAt, type Loaded } from './decide.ts';

/**
 * The same facts with turns and their clocks recorded, as they are in a Lull that runs. A round that takes a turn, or finds a
 * domain well, expects to be remembered: until it is, facts are not unchanged but going on. Its commands are left out.
 */
export function recorded(loaded: Loaded, at: Instant): Loaded {
  let known = { ...loaded, at };
  // Passing a turn may let the next one settle at once; a third look has nothing more to record.
  for (let look = 0; look < 2 && known.changes.some(isRolled); look++) {
    known = { ...known, ledger: { ...known.ledger, turns: turnsAlone(decideAt(known, at), known.ledger) } };
  }
  return known;
}

const isRolled = (change: Loaded['changes'][number]): boolean =>
  change.kind === 'NodePool' && change.put.budgets.some(({ sequential }) => sequential);

/** Replacements of commands that were not given are not waited for. */
function turnsAlone({ ledger, commands }: Round, before: Ledger): Ledger['turns'] {
  const given = new Set(before.commands.map(({ id }) => id));
  const begun = commands.filter(({ id }) => !given.has(id));
  const names = begun.flatMap(({ replacements }) => replacements.map(({ name }) => name));
  return ledger.turns.map((turn) => ({
    ...turn,
    replacements: turn.replacements.filter((name) => !names.includes(name)),
  }));
}

const clocks = new Set(['startedAt', 'stepAt', 'takenAt', 'progressAt', 'wellSince', 'timeAdded']);

/** A round as text, without what only says when it was decided: its instant, and the ids that are made from it. */
export function timeless(round: Round, { ledger }: Loaded): Record<string, string> {
  const given = new Set(ledger.commands.map(({ id }) => id));
  const made = round.commands.map(({ id }) => id).filter((id) => !given.has(id));
  const { at: _, wakeAt, ...rest } = round;
  // Where a node of a turn starts, patience begins anew from now (C12), and with it the next instant to look.
  const told = made.length > 0 ? rest : { wakeAt, ...rest };
  const shown = Object.entries(told).map(([field, value]): [string, string] => {
    const text = JSON.stringify(value ?? null, (key, inside) => (clocks.has(key) ? 'some time' : inside));
    return [field, made.reduce((masked, id, index) => masked.replaceAll(id, `new-${index}`), text)];
  });
  return Object.fromEntries(shown);
}
