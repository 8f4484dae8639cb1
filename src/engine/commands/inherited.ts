// What becomes of a command that Lull began in another role? What can be undone is undone, what cannot is waited for: nothing is begun
// twice, and no mark stays for ever (docs/decisions/0011).
import type { Command } from '../../cluster/ledger.ts';
import { isLeaving, isTaken, placesOf } from './place.ts';
import { released } from './released.ts';
import { type Context, move, release, type StepRule, withdraw } from './step.ts';
import { taken } from './taken.ts';
import { withdrawn } from './withdrawn.ts';

const why = ({ situation }: Context): string => `Lull is in the role ${situation.settings.role} now`;

/** drive's, met in guide. Its replacements are ordinary nodes from now on: guide deletes nothing. */
const ofDrive: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  if (command.replacements.length > 0) return { next: { ...command, replacements: [] } };
  if (command.step === 'released') return released(command, context);
  const isGoing = placesOf(command, cluster).every(isLeaving);
  if (command.step === 'terminating' && isGoing) return { command, actions: [] };
  return { next: release(command, why(context), now) };
};

/** guide's, met in drive. */
const ofGuide: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  if (command.step === 'taken') return taken(command, context);
  if (command.step === 'withdrawn') return withdrawn(command, context);
  return placesOf(command, cluster).some(isTaken)
    ? { next: move(command, 'taken', now) }
    : { next: withdraw(command, why(context), now) };
};

export const inherited: Readonly<Record<Command['hands'], StepRule>> = { lull: ofDrive, karpenter: ofGuide };
