// Checks that commands go through their steps in order, each complete before the next (G1, G4, G6); in guide mode offered,
// taken, gone or withdrawn (N3).

import type { Instant } from '../../time/instant.ts';
import { isTrue, taintsOf } from '../actors/rawObjects.ts';
import { annotationsOf, textAt } from '../kubeObject.ts';
import type { RawCommand } from '../ledgerRecord.ts';
import { keepOff } from './acts.ts';
import type { AuthorView } from './authorView.ts';
import { type CheckFinding, finding, isForcedAnyway, isRebuilt, type LedgerWrite, poolObject } from './ledgerWrite.ts';
import { deadlineOf, type Host, isDrained, isOverdue, isReschedulable, taintedBy } from './raw.ts';

const follows: Readonly<Record<string, readonly string[]>> = {
  offered: ['taken', 'withdrawn'],
  taken: ['withdrawn'],
  withdrawn: ['taken'],
};

function wrongGuided(was: RawCommand | undefined, is: RawCommand, sight: AuthorView): CheckFinding[] {
  // A command rebuilt after a lost ledger is withdrawn or already taken (G2).
  if (!was) return is.step in follows ? [] : [finding('G1', `${is.id} starts as ${is.step}`)];
  if (was.step === is.step) return [];
  if (!follows[was.step]?.includes(is.step)) return [finding('G1', `${is.id} goes from ${was.step} to ${is.step}`)];
  const hosts = hostsOf(is, sight);
  const isSeen = hosts.length === 0 || hosts.some(isBegun);
  return is.step !== 'taken' || isSeen ? [] : [finding('G1', `${is.id} is taken, but its node is not being disrupted`)];
}

/** A withdrawn node counts for a minute after it was parked again (N3), in milliseconds. */
const shortest = 60_000;

/** A command ends when its nodes are gone, or a while after they were parked again. */
function wrongGuidedEnd(was: RawCommand, sight: AuthorView, at: Instant): CheckFinding[] {
  return hostsOf(was, sight).flatMap((host) => {
    if (was.step !== 'withdrawn')
      return [finding('G1', `${was.id} is over while ${was.step}, but ${host.name} still exists`)];
    const isKept = annotationsOf(host.node)[keepOff] === 'true';
    const isLong = was.parkedAt !== undefined && at - was.parkedAt >= shortest;
    return isKept && isLong
      ? []
      : [finding('N3', `${was.id} is over, but ${host.name} ${isKept ? 'was parked just now' : 'is not parked'}`)];
  });
}

const hostsOf = ({ nodes }: RawCommand, sight: AuthorView): Host[] =>
  nodes.flatMap(({ name, claim }) => {
    const host = sight.host(name);
    return host && (claim === undefined || host.claim?.metadata.name === claim) ? [host] : [];
  });

const isBegun = ({ node, isLeaving, isDeleting }: Host): boolean =>
  isLeaving || isDeleting || taintsOf(node).some(({ key }) => key === 'karpenter.sh/disrupted');

const path = ['chosen', 'tainted', 'replacing', 'draining', 'terminating'];
type StepCheckContext = Pick<LedgerWrite, 'sight' | 'settings'>;

const rank = ({ step }: RawCommand): number => path.indexOf(step);

export function wrongSteps({ before, after, sight, settings, at }: LedgerWrite): CheckFinding[] {
  const findings: CheckFinding[] = [];
  for (const command of after.commands.values()) {
    const was = before.commands.get(command.id);
    if (command.hands === 'karpenter') findings.push(...wrongGuided(was, command, sight));
    else if (was) findings.push(...wrongStep(was, command, { sight, settings }));
    else if (!isRebuilt(command, sight)) findings.push(...wrongBeginning(command, sight));
  }
  for (const was of before.commands.values()) {
    if (after.commands.has(was.id)) continue;
    findings.push(...(was.hands === 'karpenter' ? wrongGuidedEnd(was, sight, at) : wrongEnd(was, sight)));
  }
  return findings;
}

/** Consolidation starts as `chosen`, so that it is validated again after a pause (G1). */
function wrongBeginning({ id, reason, step, nodes }: RawCommand, sight: AuthorView): CheckFinding[] {
  const first = reason === 'Empty' || reason === 'Underutilized' ? 'chosen' : 'tainted';
  const missing = nodes.filter(({ name }) => !sight.get('Node', name));
  return [
    ...(step === first ? [] : [finding('G1', `${id} starts as ${step}, not as ${first}`)]),
    ...missing.map(({ name }) => finding('G1', `${id} takes ${name}, which does not exist`)),
  ];
}

function wrongStep(was: RawCommand, is: RawCommand, context: StepCheckContext): CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (was.evictedAt !== undefined && was.evictedAt !== is.evictedAt)
    findings.push(finding('G2', `${is.id} has lost the instant of its first eviction`));
  if (is.step === was.step) return findings;
  if (is.step === 'released') return findings;
  for (const { name } of is.nodes) {
    const host = context.sight.host(name);
    // A node that another actor deleted is no longer Lull's responsibility.
    if (!host || host.isLeaving || host.isDeleting) continue;
    if (isBack(was, is)) findings.push(finding('G1', `${is.id} goes from ${was.step} back to ${is.step}`));
    else findings.push(...notReadyFor(is, was, host, context));
  }
  return findings;
}

/** Going back to draining is allowed for a pod that was bound at the last moment. */
const isBack = (was: RawCommand, is: RawCommand): boolean =>
  was.step === 'released' || (rank(is) < rank(was) && !(was.step === 'terminating' && is.step === 'draining'));

function notReadyFor(
  is: RawCommand,
  was: RawCommand,
  host: Host,
  { sight, settings }: StepCheckContext,
): CheckFinding[] {
  const goes = `${is.id} goes from ${was.step} to ${is.step}`;
  const findings: CheckFinding[] = [];
  if (rank(is) > path.indexOf('tainted') && taintedBy(host.node) !== is.id)
    findings.push(finding('G1', `${goes}, but ${host.name} does not have its taint`));
  const isFirst = rank(is) >= path.indexOf('draining') && rank(was) < path.indexOf('draining');
  const isUrgent = isForcedAnyway(
    { command: is, reason: is.reason, host, at: is.stepAt },
    settings,
    poolObject(host, sight),
  );
  if (isFirst && !isUrgent)
    for (const name of is.replacements) {
      const why = unfit(name, sight);
      if (why) findings.push(finding('G1', `${goes}, but replacement ${name} ${why}`));
    }
  if (is.step === 'terminating') findings.push(...undrained(is, was, host, sight));
  return findings;
}

/** Why a replacement is not initialized and Ready (G1). */
function unfit(name: string, sight: AuthorView): string | undefined {
  const claim = sight.get('NodeClaim', name);
  if (!claim) return 'is missing';
  if (!isTrue(claim, 'Initialized')) return 'is not Initialized';
  const node = textAt(claim.status, 'nodeName');
  const host = node === undefined ? undefined : sight.host(node);
  return host?.isReady ? undefined : 'is not Ready';
}

/** Pods left on a drained node, apart from those a deadline or a dead node leaves behind (G6). */
function undrained(is: RawCommand, was: RawCommand, host: Host, sight: AuthorView): CheckFinding[] {
  if (is.reason === 'Unhealthy') return [];
  const deadline = deadlineOf(host.claim, was.step === 'draining' ? was.stepAt : is.stepAt);
  if (deadline !== undefined && is.stepAt >= deadline) return [];
  const left = sight.podsOn(host.name).filter((pod) => isDrained(pod) && !isOverdue(pod, is.stepAt));
  return left.map(({ metadata }) =>
    finding('G6', `${is.id} ends ${host.name} with pod ${metadata.namespace}/${metadata.name} still on it`),
  );
}

/** A command ends when its nodes are gone, or when everything it did is undone (G1, G4). */
function wrongEnd(was: RawCommand, sight: AuthorView): CheckFinding[] {
  const left = was.nodes.filter(({ name, claim }) => {
    const host = sight.host(name);
    return host !== undefined || (claim !== undefined && sight.get('NodeClaim', claim) !== undefined);
  });
  const findings = left.flatMap(({ name, claim }) => {
    const node = sight.get('Node', name);
    if (node && taintedBy(node) === was.id)
      return [finding('G4', `${was.id} is over, but its taint is still on ${name}`)];
    // Node and claim disappear together: a late view may still show one of them.
    const isHalfGone = !node || (claim !== undefined && !sight.get('NodeClaim', claim));
    // Not changed yet, or already undone.
    return ['chosen', 'tainted', 'released'].includes(was.step) || isHalfGone
      ? []
      : [finding('G1', `${was.id} is over while ${was.step}, but ${name} is still there`)];
  });
  if (was.step === 'draining' || was.step === 'terminating') return findings;
  const unused = was.replacements.filter((name) => isUnused(name, sight));
  return [
    ...findings,
    ...unused.map((name) => finding('G4', `${was.id} is over, but unused replacement ${name} is left`)),
  ];
}

function isUnused(name: string, sight: AuthorView): boolean {
  const claim = sight.get('NodeClaim', name);
  if (!claim || claim.metadata.deletionTimestamp !== undefined) return false;
  const node = textAt(claim.status, 'nodeName');
  return node === undefined || !sight.podsOn(node).some(isReschedulable);
}
