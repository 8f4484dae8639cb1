import { describe, it } from 'vitest';
import { type Command, emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import { writeLedger } from '../../src/kinds/read/disruptionLedger.ts';
import { decide } from './decide.ts';
import { forAll } from './forAll.ts';
import { see, startsOf } from './oracle/cluster.ts';
import { beyondLimits } from './oracle/limits.ts';
import { againstPdbs } from './oracle/pdbs.ts';
import { outOfTurn } from './oracle/turns.ts';
import type { Plain, PlainObject } from './plain.ts';

/** The same cluster with the decided ledger written and no action carried out yet. */
function committed({ objects, ...rest }: Plain, ledger: Ledger): Plain {
  const others = objects.filter(({ kind }) => kind !== 'DisruptionLedger');
  return { ...rest, objects: [...others, writeLedger(ledger) as unknown as PlainObject] };
}

/** The command as it is written to the cluster, with its fields in a fixed order. */
const written = (command: Command): string => JSON.stringify(writeLedger({ ...emptyLedger, commands: [command] }));

/** As the second round may have it: unchanged, or, if it is urgent, past the step that waits for replacements. */
const asKnown = (command: Command): readonly string[] =>
  command.step === 'chosen' ? [written(command), written({ ...command, step: 'tainted' })] : [written(command)];

describe('G3: a second round, before any action of the first', () => {
  it('stays within the limits together with the first, starts no node twice and loses no command', () => {
    forAll((plain) => {
      const first = decide(plain);
      const next = committed(plain, first.ledger);
      const second = decide(next);
      const seen = see(next);
      const begun = new Set(startsOf(first, see(plain)).map(({ host }) => host.name));
      const twice = startsOf(second, seen).filter(({ host }) => begun.has(host.name));
      const known = new Set(second.ledger.commands.map(written));
      const lost = first.ledger.commands.filter((command) => !asKnown(command).some((it) => known.has(it)));
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
