// G5: does anything speak against going on? The wish must still stand (I4), and the gates are asked again.
import type { Command } from '../../cluster/ledger.ts';
import { askGates } from '../gates/gates.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import { isGone, isLeaving, placesOf } from './place.ts';
import type { Context } from './step.ts';

/** Which of the gates' refusals count at a step. */
export type Counts = (code: RefusalCode) => boolean;

const startsOnly: ReadonlySet<RefusalCode> = new Set(['PoolBackingOff', 'ReplacementSlow', 'ClosesTooSoon'] as const);
const windowCodes: ReadonlySet<RefusalCode> = new Set(['WindowBlocks', 'WindowNotOpen', 'WindowFault'] as const);

/** Before the taint: everything but what decides starts alone. */
export const beforeTaint: Counts = (code) => !startsOnly.has(code);

/** D6: while replacements are waited for. */
export const whileReplacing: Counts = (code) => windowCodes.has(code);

/** Before the first eviction: a spent PDB is waited for, it is no reason to undo anything. */
export const beforeEviction: Counts = (code) => beforeTaint(code) && code !== 'PdbSpent';

/** Why it should not go on, in a sentence; undefined = it may. */
export function objection(command: Command, context: Context, counts: Counts): string | undefined {
  for (const place of placesOf(command, context.situation.cluster)) {
    if (isGone(place) || isLeaving(place)) continue;
    const { name } = place;
    const wishes = context.wishes.get(name) ?? [];
    if (wishes.some(isForced)) continue;
    const wish = wishes.find(({ reason }) => reason === command.reason);
    if (!wish) return `${name} is not ${command.reason} any more`;
    const against = sayFirst(askGates(wish, context.situation).filter(({ code }) => counts(code)));
    if (against !== undefined) return against;
  }
  return undefined;
}

export const sayFirst = ([first]: readonly Refusal[]): string | undefined => first && `${first.code}: ${first.message}`;

const isForced = ({ kind }: Wish): boolean => kind === 'forced';

/** The cloud takes it whatever anyone says, though the command may have begun for another reason. */
export const isPressed = ({ reason, nodes }: Command, { wishes }: Context): boolean =>
  reason === 'Interrupted' || nodes.some(({ name }) => wishes.get(name)?.some(isForced));
