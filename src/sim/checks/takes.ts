// Checks that Karpenter disrupts only offered nodes, and only while they may be disrupted (N3, D6).

import { asInstant, type Instant } from '../../time/instant.ts';
import { isTrue } from '../actors/rawObjects.ts';
import { annotationsOf, isDeleting, type KubeObject, keyOf, textAt } from '../kubeObject.ts';
import type { RawCommand } from '../ledgerRecord.ts';
import type { ObjectChange } from '../objects.ts';
import { marker } from './acts.ts';
import { closedBy, compiled, isOptedOut } from './compiledPolicies.ts';
import { type CheckFinding, finding, type InvariantContext, isForcedCommand, poolObject } from './ledgerWrite.ts';
import { hostOf } from './raw.ts';
import { isFrozen, windowsForbid } from './startLimits.ts';

/** How long Lull may take to see and park a node after a start or a disturbance, in milliseconds. */
const parkingTime = 70_000;

/** By then Lull knows a change of policy, in milliseconds. */
const known = 15_000;

/** The time between the end of a window and the patch that parks the node, in milliseconds. */
const late = 10_000;

export interface CalmPeriod {
  readonly at: Instant;
  /** How long nothing has been disturbed, so that the node could be seen and parked. */
  readonly calm: number;
  /** How long no policy has changed. */
  readonly settled: number;
}

/** Checks a change of a claim by an actor other than Lull. */
export function wrongDisruption(
  { object, was }: ObjectChange,
  around: InvariantContext,
  moment: CalmPeriod,
): CheckFinding[] {
  if (!was || isTrue(was, 'DisruptionReason') || !isTrue(object, 'DisruptionReason')) return [];
  const name = textAt(object.status, 'nodeName') ?? '';
  const node = around.objects.get('Node', name);
  if (!node || moment.calm < parkingTime) return [];
  const command = around.commands.ofNode(name);
  if (!command || !around.commands.isIn(command, 'offered', 'taken', 'withdrawn'))
    return [finding('N3', `Karpenter disrupts ${name}, which was not offered`)];
  const isAsked = command.step === 'offered' && moment.settled > known && !isForcedCommand(command, around);
  const taken = { command, around, at: moment.at };
  return isAsked
    ? forbidden(node, object, taken).map(({ rule, message }) =>
        finding(rule, `Karpenter disrupts ${name}, though ${message}`),
      )
    : [];
}

/** Offers end when the rules no longer allow them (D6). Checked at intervals. */
export function staleOffers(around: InvariantContext, { at, settled }: Omit<CalmPeriod, 'calm'>): CheckFinding[] {
  if (settled < known) return [];
  return [...around.commands.underWay()]
    .filter((command) => command.step === 'offered' && !isForcedCommand(command, around))
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

/** When its window opens, a parked pod is released for the drain that waits for it (N5). */
export function overdueParkedPods(
  { objects, commands }: InvariantContext,
  { at, settled }: Omit<CalmPeriod, 'calm'>,
): CheckFinding[] {
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
    .map((pod) => finding('N5', `pod ${keyOf(pod)} is still parked, though its window is open`));
}

/** Karpenter's drain of an offered node does not move a pod whose schedule is closed (E9, N5). */
export function wrongEviction(
  { object, was }: ObjectChange,
  around: InvariantContext,
  moment: CalmPeriod,
): CheckFinding[] {
  const isEvicted = was && !isDeleting(was) && isDeleting(object) && isTrue(object, 'DisruptionTarget');
  const command = around.commands.ofNode(textAt(object.spec, 'nodeName') ?? '');
  if (!isEvicted || !command || moment.at - command.startedAt < late) return [];
  if (moment.settled < known || moment.calm < parkingTime || command.step !== 'taken') return [];
  if (command.reason === 'Unhealthy' || isForcedCommand(command, around)) return [];
  const holders = [moment.at, asInstant(moment.at - late)].map(
    (at) => closedBy(was, at, around.objects) ?? (isOptedOut(was, command.reason, at) ? 'its opt-out' : undefined),
  );
  return holders.every((why) => why !== undefined)
    ? [finding('N5', `Karpenter evicts ${keyOf(object)}, though ${holders[0]} forbids it`)]
    : [];
}

interface OfferContext {
  readonly command: RawCommand;
  readonly around: InvariantContext;
  readonly at: Instant;
}

/** The rules that forbid it now and have done so for long enough. */
function forbidden(node: KubeObject, claim: KubeObject, { command, around, at }: OfferContext): CheckFinding[] {
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
    ...(isClosed ? [finding('C5', `pool ${pool.name} is frozen`)] : []),
  ];
}
