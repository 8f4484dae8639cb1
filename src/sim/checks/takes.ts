// Does Karpenter take only what it was offered, and only while that may go (N3, D6)? This is what guide is for.
import { asInstant, type Instant } from '../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf } from '../kubeObject.ts';
import type { Changed } from '../objects.ts';
import { isFrozen } from './budgets.ts';
import { hostOf } from './host.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { marker } from './parking.ts';
import { closedBy, isOptedOut } from './podRules.ts';
import { compiled } from './policy.ts';
import { annotationsOf, isTrue, textAt } from './raw.ts';
import { isTakenAnyway, type Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';
import { windowsForbid } from './windows.ts';
import { poolObject } from './written.ts';

/** As long as a node may be unseen by a Lull that has just come, or for which all was well again a moment ago. */
const longEnough = 70_000;

/** What people change is known by then. */
const known = 15_000;

/** Between the close of a window and the patch that parks the node: a pass, and some patience. */
const late = 10_000;

export interface Moment {
  readonly at: Instant;
  /** For how long everything has been in order, so that the node could be seen and parked. */
  readonly calm: number;
  /** For how long no policy has changed. */
  readonly settled: number;
}

/** Asked of every change to a claim that is not Lull's own. */
export function wrongTake({ object, was }: Changed, around: Surroundings, moment: Moment): Finding[] {
  if (!was || isTrue(was, 'DisruptionReason') || !isTrue(object, 'DisruptionReason')) return [];
  const name = textAt(object.status, 'nodeName') ?? '';
  const node = around.objects.get('Node', name);
  if (!node || moment.calm < longEnough) return [];
  const command = around.commands.ofNode(name);
  if (!command || !around.commands.isIn(command, 'offered', 'taken', 'withdrawn'))
    return [finding('N3', `Karpenter takes ${name}, which was not offered`)];
  const isAsked = command.step === 'offered' && moment.settled > known && !isTakenAnyway(command, around);
  const taken = { command, around, at: moment.at };
  return isAsked
    ? forbidden(node, object, taken).map(({ rule, message }) =>
        finding(rule, `Karpenter takes ${name}, though ${message}`),
      )
    : [];
}

/** D6: an offer does not outlive what permits it. Looked at now and then. */
export function staleOffers(around: Surroundings, { at, settled }: Omit<Moment, 'calm'>): Finding[] {
  if (settled < known) return [];
  return [...around.commands.underWay()]
    .filter((command) => command.step === 'offered' && !isTakenAnyway(command, around))
    .flatMap((command) =>
      command.nodes.flatMap(({ name, claim }) => {
        const [node, own] = [around.objects.get('Node', name), around.objects.get('NodeClaim', claim ?? '')];
        const isThere = node && own && !isTrue(own, 'DisruptionReason');
        return isThere
          ? forbidden(node, own, { command, around, at }).map(({ rule, message }) =>
              finding(rule, `${name} is still offered, though ${message}`),
            )
          : [];
      }),
    );
}

/** N5: when its window opens a pod is free for the drain that waits for it. */
export function forgottenPods({ objects, commands }: Surroundings, { at, settled }: Omit<Moment, 'calm'>): Finding[] {
  if (settled < known) return [];
  const leaving = [...objects.list('Node')].filter(isDeleting);
  const parked = leaving.flatMap(({ metadata }) =>
    [...objects.podsOn(metadata.name)].filter((pod) => annotationsOf(pod)[marker] !== undefined && !isDeleting(pod)),
  );
  return parked
    .filter((pod) => {
      const reason = commands.ofNode(textAt(pod.spec, 'nodeName') ?? '')?.reason ?? 'Drifted';
      return [at, asInstant(at - late)].every(
        (moment) => closedBy(pod, moment, objects) === undefined && !isOptedOut(pod, reason, moment),
      );
    })
    .map((pod) => finding('N5', `pod ${keyOf(pod)} is parked still, though its window is open`));
}

/** E9, N5: Karpenter's drain does not move a pod whose schedule is closed, from a node that Lull let it have. */
export function wrongEviction({ object, was }: Changed, around: Surroundings, moment: Moment): Finding[] {
  const isEvicted = was && !isDeleting(was) && isDeleting(object) && isTrue(object, 'DisruptionTarget');
  const command = around.commands.ofNode(textAt(object.spec, 'nodeName') ?? '');
  if (!isEvicted || !command || moment.at - command.startedAt < late) return [];
  if (moment.settled < known || moment.calm < longEnough || command.step !== 'taken') return [];
  if (command.reason === 'Unhealthy' || isTakenAnyway(command, around)) return [];
  const holders = [moment.at, asInstant(moment.at - late)].map(
    (at) => closedBy(was, at, around.objects) ?? (isOptedOut(was, command.reason, at) ? 'its opt-out' : undefined),
  );
  return holders.every((why) => why !== undefined)
    ? [finding('N5', `Karpenter evicts ${keyOf(object)}, though ${holders[0]} forbids it`)]
    : [];
}

interface Asked {
  readonly command: RawCommand;
  readonly around: Surroundings;
  readonly at: Instant;
}

/** What forbids it now, and has done so for long enough. */
function forbidden(node: KubeObject, claim: KubeObject, { command, around, at }: Asked): Finding[] {
  const { objects, settings } = around;
  const host = hostOf(node, claim);
  const taken = { command, reason: command.reason, host, at };
  const before = { ...taken, at: asInstant(at - late) };
  const [window] = windowsForbid(before, objects).length > 0 ? windowsForbid(taken, objects) : [];
  const object = poolObject(host, objects);
  const pool = object && compiled('NodePool', object);
  const isClosed = pool && [before, taken].every((it) => isFrozen(pool, it, settings));
  return [
    ...(window ? [finding('D6', window.message)] : []),
    ...(isClosed ? [finding('C5', `there is a freeze of ${pool.name}`)] : []),
  ];
}
