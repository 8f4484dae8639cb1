// chosen: graceful consolidation waits a moment and is judged again before anything is touched (G1, G5).
import type { Command } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { beforeTaint, isPressed, objection, sayFirst } from './secondLook.ts';
import { promisedTo, replacementsOf } from './start.ts';
import { type Context, move, release, type StepRule } from './step.ts';
import { worthOf } from './worth.ts';

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

/** All of them together are placed anew, and a replacement planned as it is best now; a sentence where that is not worth it any more. */
function placeAgain(command: Command, { wishes, placer, situation }: Context): Command | string {
  const mine: Wish[] = [];
  for (const { name } of command.nodes) {
    const wish = wishes.get(name)?.find(({ reason }) => reason === command.reason);
    if (!wish) return `${name} is not there any more`;
    mine.push(wish);
  }
  const placed = placer.placeTogether(mine);
  if ('refusals' in placed) return sayFirst(placed.refusals) ?? 'it has no place any more';
  const { placement } = placed;
  const nodes = mine.map(({ view }) => view);
  const { savings: _, ...rest } = command;
  const { savings, podsMoved } = worthOf(nodes, placement, situation);
  return {
    ...rest,
    replacements: replacementsOf(command.id, placement.replacements),
    promisedTo: promisedTo(placement),
    ...(savings !== undefined && { savings }),
    podsMoved,
  };
}
