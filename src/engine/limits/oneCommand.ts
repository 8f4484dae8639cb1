// A1: one command takes a node, for one reason: the first that may. Its other wishes are then under way with it.
import { held, type Judged } from '../judged.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import type { SharedLimit } from './sharedLimit.ts';

export interface OneCommand extends SharedLimit {
  /** A wish that was held before another one took its node is told so. */
  finish(judged: Judged): Judged;
}

export function openOneCommand(): OneCommand {
  const taken = new Map<string, Refusal>();
  const refuseTaken = ({ view }: Wish): readonly Refusal[] => {
    const refusal = taken.get(view.node.name);
    return refusal ? [refusal] : none;
  };
  return {
    refuse: refuseTaken,
    spend: ({ view, reason }) => {
      taken.set(view.node.name, refuse('AlreadyUnderway', `this round takes the node for ${reason}`));
    },
    takeBack: ({ view }) => {
      taken.delete(view.node.name);
    },
    finish: (judged) => {
      const refusals = judged.outcome === 'held' ? refuseTaken(judged.wish) : none;
      const isTold = refusals.length === 0 || judged.refusals.some(({ code }) => code === 'AlreadyUnderway');
      return isTold ? judged : held(judged.wish, judged.refusals, refusals);
    },
  };
}
