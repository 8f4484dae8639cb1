// Is the cluster at rest? After the last fault nothing may be left over from what Lull has done.
import { asInstant, type Instant } from '../../time/instant.ts';
import { type KubeObject, keyOf } from '../kubeObject.ts';
import { deadlineAnnotation } from './deadline.ts';
import { isOutOfHands } from './ends.ts';
import { readLedger } from './ledgerRecord.ts';
import { hashBefore, keepOff, marker } from './parking.ts';
import { closedBy, isOptedOut } from './podRules.ts';
import { compiled } from './policy.ts';
import { annotationsOf, isTrue, taintedBy, textAt } from './raw.ts';
import type { Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';
import { isGoverned } from './written.ts';

const kept = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

export function notAtRest(around: Surroundings, at: Instant): Finding[] {
  const { objects, settings } = around;
  const { commands } = readLedger(objects.get('DisruptionLedger', 'lull'));
  const standing = [...commands.values()].filter((command) => isOutOfHands(command, around));
  const excused = new Set(standing.map(({ id }) => id));
  const underWay = new Set(standing.flatMap(({ nodes }) => nodes.map(({ claim }) => claim)));
  const claims = [...objects.list('NodeClaim')].filter(kept);
  const ofLull = claims.filter((claim) => annotationsOf(claim)['lull.dev/command'] !== undefined);
  const moving = new Set(standing.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const stayingClaims = claims.filter(({ status }) => !moving.has(textAt(status, 'nodeName') ?? ''));
  return [
    ...[...commands.values()]
      .filter(({ id }) => !excused.has(id))
      .map(({ id, step }) => finding('G1', `${id} is still ${step}`)),
    ...[...objects.list('Node')].flatMap((node) => {
      const id = taintedBy(node);
      return id === undefined || excused.has(id)
        ? []
        : [finding('G4', `node ${node.metadata.name} has the taint of ${id} still`)];
    }),
    ...ofLull
      .filter((claim) => !isTrue(claim, 'Initialized') || !objects.get('Node', textAt(claim.status, 'nodeName') ?? ''))
      .map((claim) => finding('G4', `replacement ${keyOf(claim)} has no node`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[deadlineAnnotation] !== undefined && !underWay.has(keyOf(claim)))
      .map((claim) => finding('H1', `claim ${keyOf(claim)} stays, but has a deadline`)),
    ...(settings.role === 'guide' ? notGuarded(around, stayingClaims, at) : []),
  ];
}

/** A window may have opened a moment ago. */
const late = 10_000;

/** N3, N5, N6: what stays is parked, and nothing else is left of what was offered. */
function notGuarded({ objects, settings }: Surroundings, claims: readonly KubeObject[], at: Instant): Finding[] {
  const stays = new Set(claims.map(({ status }) => textAt(status, 'nodeName')));
  const loose = [...objects.list('Node')].filter((node) => {
    const pool = objects.get('NodePool', node.metadata.labels?.['karpenter.sh/nodepool'] ?? '');
    const isOurs = pool && isGoverned(compiled('NodePool', pool), settings);
    return isOurs && stays.has(node.metadata.name) && annotationsOf(node)[keepOff] !== 'true';
  });
  const before = asInstant(at - late);
  const parked = [...objects.list('Pod')].filter((pod) => {
    if (annotationsOf(pod)[marker] === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
    const isFree = [before, at].every(
      (moment) => closedBy(pod, moment, objects) === undefined && !isOptedOut(pod, 'Drifted', moment),
    );
    return isFree || stays.has(textAt(pod.spec, 'nodeName'));
  });
  return [
    ...loose.map(({ metadata }) => finding('N3', `node ${metadata.name} is not parked`)),
    ...parked.map((pod) => finding('N5', `pod ${keyOf(pod)} is parked still`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[marker] !== undefined && isTrue(claim, 'Initialized'))
      .map((claim) => finding('N2', `claim ${keyOf(claim)} has the marks of its birth still`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[hashBefore] !== undefined)
      .map((claim) => finding('N6', `claim ${keyOf(claim)} has a hash of Lull's still`)),
  ];
}
