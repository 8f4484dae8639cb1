// withdrawn: the node is parked again. Karpenter may have chosen it in that very moment, so its unit stays spent for a while (N3).
import { after, asDuration, second } from '../../time/instant.ts';
import { isGoverned, type Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { isNudged, unnudge } from './nudge.ts';
import { isParked, isUsersOwn, park } from './parking.ts';
import { isGone, isTaken, type Place, placesOf } from './place.ts';
import { move, type StepRule } from './step.ts';

const grace = asDuration(60 * second);

export const withdrawn: StepRule = (command, { situation }) => {
  const { cluster, now } = situation;
  const places = placesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  if (places.some(isTaken)) {
    const { why: _, parkedAt: __, ...rest } = command;
    return { next: move(rest, 'taken', now) };
  }
  const actions = places.flatMap((place) => takenBack(place, command.id, situation));
  if (actions.length > 0) return { command, actions };
  if (command.parkedAt === undefined) {
    const noted = { ...command, parkedAt: now };
    return { command: noted, actions, wakeAt: after(now, grace) };
  }
  const until = after(command.parkedAt, grace);
  return now < until ? { command, actions, wakeAt: until } : { over: 'released' };
};

function takenBack({ view, claim }: Place, command: string, { cluster, settings, now }: Situation): readonly Action[] {
  const pool = view?.poolName === undefined ? undefined : cluster.pools.get(view.poolName);
  const isOurs = pool && isGoverned(pool, settings);
  return [
    ...(claim && isNudged(claim) ? [unnudge(claim, command)] : []),
    ...(view && isOurs && !isParked(view.node) && !isUsersOwn(view.node) ? [park(view.node, now, command)] : []),
  ];
}
