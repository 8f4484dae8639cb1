import { describe, it } from 'vitest';
import { type Command, emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import { writeLedger } from '../../src/kinds/disruptionLedger.ts';
import { decide } from './decide.ts';
import { forAll } from './forAll.ts';
import { see, startsOf } from './oracle/cluster.ts';
import { beyondLimits } from './oracle/limits.ts';
import { againstPdbs } from './oracle/pdbs.ts';
import { outOfTurn } from './oracle/turns.ts';
import type { Plain, PlainObject } from './plain.ts';

/** The same cluster, with what was decided written into the ledger and nothing else done yet. */
function committed({ objects, ...rest }: Plain, ledger: Ledger): Plain {
  const others = objects.filter(({ kind }) => kind !== 'DisruptionLedger');
  return { ...rest, objects: [...others, writeLedger(ledger) as unknown as PlainObject] };
}

/** As it stands in the cluster: fields in one order, however it came about. */
const written = (command: Command): string => JSON.stringify(writeLedger({ ...emptyLedger, commands: [command] }));

describe('G3: a second round, before anything of the first was done', () => {
  it('keeps within the limits together with the first, starts no node again, and has lost no command', () => {
    forAll((plain) => {
      const first = decide(plain);
      const next = committed(plain, first.ledger);
      const second = decide(next);
      const seen = see(next);
      const begun = new Set(startsOf(first, see(plain)).map(({ host }) => host.name));
      const twice = startsOf(second, seen).filter(({ host }) => begun.has(host.name));
      const known = new Set(second.ledger.commands.map(written));
      const lost = first.ledger.commands.filter((command) => !known.has(written(command)));
      return [
        ...beyondLimits(second, seen),
        ...outOfTurn(second, seen),
        ...againstPdbs(second, seen),
        ...twice.map(({ host }) => `G3: ${host.name} is started twice`),
        ...lost.map(({ id }) => `G2: command ${id} is not read as it was written`),
      ];
    });
  });
});
