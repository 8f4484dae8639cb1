// chosen: graceful consolidation waits a moment and is judged again before anything is touched (G1, G5).
import type { Command } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { beforeTaint, isPressed, objection, sayFirst } from './secondLook.ts';
import { type Context, move, release, type StepRule } from './step.ts';

export const chosen: StepRule = (command, context) => {
  const { now, settings } = context.situation;
  if (isPressed(command, context)) return { next: move(command, 'tainted', now) };
  if (!isJudgedAgain(command, context.situation)) return { command, actions: [], wakeAt: judgedAt(command, settings) };
  const against = objection(command, context, beforeTaint);
  if (against !== undefined) return { next: release(command, against, now) };
  const placed = command.reason === 'Underutilized' ? placeAgain(command, context) : command;
  if (typeof placed === 'string') return { next: release(command, placed, now) };
  return { next: move(placed, 'tainted', now) };
};

export const judgedAt = ({ stepAt }: Command, { consolidationPause }: Settings): Instant =>
  after(stepAt, consolidationPause);

export const isJudgedAgain = (command: Command, { now, settings }: Situation): boolean =>
  command.step === 'chosen' && now >= judgedAt(command, settings);

/** Its pods are promised room anew; a sentence where there is none any more. */
function placeAgain(command: Command, { wishes, placer }: Context): Command | string {
  const promised = new Set<string>();
  for (const { name } of command.nodes) {
    const wish = wishes.get(name)?.find(({ reason }) => reason === command.reason);
    const placed = wish && placer.place(wish);
    if (!placed || 'refusals' in placed) return sayFirst(placed?.refusals ?? []) ?? `${name} is not there any more`;
    for (const { target } of placed.placement.moves) promised.add(target);
  }
  return { ...command, promisedTo: [...promised].sort() };
}
