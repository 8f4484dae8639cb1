// Requests and approvals of users, added to a random cluster (Q). Drawn separately, so that the rest of the cluster does not depend on it.
import { Dice } from '../dice.ts';
import type { Plain, PlainObject, Texts } from '../plain.ts';
import { stamp } from './world.ts';

export function withPeople(plain: Plain): Plain {
  const now = Date.parse(plain.at);
  const dice = new Dice(Math.floor(now / 1000) ^ 0x5ca1ab1e);
  // The oracle does not compute drift, so it cannot distinguish what waits (P7) from what was only requested.
  const rolls = plain.settings.drift === 'computed' ? 0 : dice.chance(0.3) ? 0.25 : 0.03;
  const approvals = dice.chance(0.08) ? 0.6 : 0.01;
  const people: People = { dice, now, rolls, approvals };
  return { ...plain, objects: plain.objects.map((object) => visited(object, people)) };
}

interface People {
  readonly dice: Dice;
  readonly now: number;
  /** How often users request rolls and approvals. */
  readonly rolls: number;
  readonly approvals: number;
}

function visited(object: PlainObject, people: People): PlainObject {
  const { dice, approvals } = people;
  if (object.kind === 'NodePool')
    return annotated(object, {
      ...roll(people),
      ...(dice.chance(approvals) && { 'lull.dev/approval': dice.chance(0.97) ? 'required' : 'yes' }),
      ...approved(people, 0.2),
    });
  if (object.kind === 'Node') return annotated(object, { ...roll(people), ...approved(people, 0.4) });
  if (object.kind !== 'MaintenanceWindow' || !dice.chance(approvals)) return object;
  const { mode, nodes } = object.spec;
  return mode === 'Allow' || nodes !== undefined ? object : { ...object, spec: { ...object.spec, approval: true } };
}

/** Mostly past, sometimes in the future, rarely unreadable. */
function roll({ dice, now, rolls }: People): Texts {
  if (!dice.chance(rolls)) return {};
  const at = stamp(now + dice.whole(-3 * 86_400, dice.pick([0, 0, 7200])) * 1000);
  const value = dice.pick([at, `${at} by ann`, `${at} by ann: new kernel`, dice.chance(0.1) ? 'now' : at]);
  return { 'lull.dev/roll-requested': value };
}

/** Some have ended, some last for hours. */
function approved({ dice, now, approvals }: People, share: number): Texts {
  if (!dice.chance(approvals * share)) return {};
  const until = stamp(now + dice.whole(-7200, dice.pick([3600, 86_400])) * 1000);
  return { 'lull.dev/approved': dice.pick([until, `${until} by bob`, dice.chance(0.1) ? 'yes' : until]) };
}

function annotated<It extends PlainObject>(object: It, more: Texts): It {
  if (Object.keys(more).length === 0) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } } };
}
