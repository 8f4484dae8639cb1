// The same cluster decided at a later instant.
import type { Ledger } from '../../src/cluster/ledger.ts';
import { driftWaitOf } from '../../src/cluster/pool.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { formatInstant, type Instant } from '../../src/time/instant.ts';
import { decideAt, type Loaded } from './decide.ts';

/**
 * The same facts with turns, their clocks and the progress of commands recorded, as in a running Lull. A round
 * that takes a turn, finds a domain healthy, or advances a command expects that to be recorded: until then the facts are not
 * unchanged but in progress. Commands that it starts are left out.
 */
export function recorded(loaded: Loaded, at: Instant): Loaded {
  let known = { ...loaded, at };
  // A command that ends frees units, and passing a turn may let the next one settle at once; after that there is nothing more to record.
  for (let look = 0; look < 3 && (known.changes.some(isRemembered) || known.ledger.commands.length > 0); look++) {
    const round = decideAt(known, at);
    const given = new Set(known.ledger.commands.map(({ id }) => id));
    const commands = round.ledger.commands.filter(({ id }) => given.has(id));
    const { backoffs, templates, starts } = round.ledger;
    const rolls = rollsAlone(round, known.ledger);
    const memory = { ...rolls, commands, backoffs, ...(templates && { templates }), ...(starts && { starts }) };
    known = { ...known, ledger: { ...known.ledger, ...memory } };
  }
  return known;
}

function isRemembered(change: Loaded['changes'][number]): boolean {
  if (change.kind === 'MaintenanceWindow') return change.put.per !== undefined;
  if (change.kind !== 'NodePool') return false;
  const { budgets, rates } = change.put;
  const isRolled = budgets.some(({ sequential, waves }) => sequential || waves !== undefined);
  return driftWaitOf(change.put) !== undefined || rates.length > 0 || isRolled;
}

/** Replacements and nodes of commands that are not in the facts are not awaited. */
function rollsAlone({ ledger, commands }: Round, before: Ledger): Pick<Ledger, 'turns' | 'rolls'> {
  const given = new Set(before.commands.map(({ id }) => id));
  const begun = commands.filter(({ id }) => !given.has(id));
  const names = begun.flatMap(({ replacements }) => replacements.map(({ name }) => name));
  const nodes = begun.flatMap((command) => command.nodes.map(({ name }) => name));
  const turns = ledger.turns.map((turn) => ({
    ...turn,
    replacements: turn.replacements.filter((name) => !names.includes(name)),
  }));
  const rolls = ledger.rolls?.map((roll) => ({
    ...roll,
    inFlight: roll.inFlight.filter((name) => !nodes.includes(name)),
    replacements: roll.replacements.filter((name) => !names.includes(name)),
  }));
  return { turns, ...(rolls && { rolls }) };
}

const clocks = new Set([
  'startedAt',
  'waveAt',
  'haltedAt',
  'stepAt',
  'takenAt',
  'progressAt',
  'wellSince',
  'timeAdded',
  'parkedAt',
]);

/** The time in a request to park. */
const isParkedSince = new Set(['value', 'lull.dev/parked']);

/** A round as text, without the time of the decision: its instant, and the ids derived from it. */
export function timeless(round: Round, { ledger }: Loaded): Record<string, string> {
  const given = new Set(ledger.commands.map(({ id }) => id));
  const made = round.commands.map(({ id }) => id).filter((id) => !given.has(id));
  const { at, wakeAt, ...rest } = round;
  // N2: the request that parks a node contains since when it is parked.
  const sinceNow = formatInstant(at);
  // If a node of a turn starts, patience starts again from now (C12), and with it the next wake-up.
  const told = made.length > 0 ? rest : { wakeAt, ...rest };
  const shown = Object.entries(told).map(([field, value]): [string, string] => {
    const text = JSON.stringify(value ?? null, (key, inside) =>
      clocks.has(key) || (inside === sinceNow && isParkedSince.has(key)) ? 'some time' : inside,
    );
    return [field, made.reduce((masked, id, index) => masked.replaceAll(id, `new-${index}`), text)];
  });
  return Object.fromEntries(shown);
}
