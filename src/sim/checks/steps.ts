// Does every command go through its steps in order, and is each of them done before the next (G1, G4, G6)?
import { deadlineOf } from './deadline.ts';
import { wrongGuided, wrongGuidedEnd } from './guidedSteps.ts';
import type { Host } from './host.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { isDrained, isOverdue, isReschedulable, isTrue, taintedBy, textAt } from './raw.ts';
import type { Sight } from './sight.ts';
import { type Finding, finding } from './violation.ts';
import { isFoundAgain, isPressed, poolObject, type Written } from './written.ts';

const path = ['chosen', 'tainted', 'replacing', 'draining', 'terminating'];
type Context = Pick<Written, 'sight' | 'settings'>;

const rank = ({ step }: RawCommand): number => path.indexOf(step);

export function wrongSteps({ before, after, sight, settings, at }: Written): Finding[] {
  const findings: Finding[] = [];
  for (const command of after.commands.values()) {
    const was = before.commands.get(command.id);
    if (command.hands === 'karpenter') findings.push(...wrongGuided(was, command, sight));
    else if (was) findings.push(...wrongStep(was, command, { sight, settings }));
    else if (!isFoundAgain(command, sight)) findings.push(...wrongBeginning(command, sight));
  }
  for (const was of before.commands.values()) {
    if (after.commands.has(was.id)) continue;
    findings.push(...(was.hands === 'karpenter' ? wrongGuidedEnd(was, sight, at) : wrongEnd(was, sight)));
  }
  return findings;
}

/** G1: consolidation is judged again after a pause, before anything is touched. */
function wrongBeginning({ id, reason, step, nodes }: RawCommand, sight: Sight): Finding[] {
  const first = reason === 'Empty' || reason === 'Underutilized' ? 'chosen' : 'tainted';
  const missing = nodes.filter(({ name }) => !sight.get('Node', name));
  return [
    ...(step === first ? [] : [finding('G1', `${id} begins as ${step}, not as ${first}`)]),
    ...missing.map(({ name }) => finding('G1', `${id} takes ${name}, which is not there`)),
  ];
}

function wrongStep(was: RawCommand, is: RawCommand, context: Context): Finding[] {
  const findings: Finding[] = [];
  if (was.evictedAt !== undefined && was.evictedAt !== is.evictedAt)
    findings.push(finding('G2', `${is.id} has forgotten when it first evicted`));
  if (is.step === was.step) return findings;
  if (is.step === 'released') return findings;
  for (const { name } of is.nodes) {
    const host = context.sight.host(name);
    // Whoever deletes a node meanwhile has taken it out of Lull's hands.
    if (!host || host.isLeaving || host.isDeleting) continue;
    if (isBack(was, is)) findings.push(finding('G1', `${is.id} goes from ${was.step} back to ${is.step}`));
    else findings.push(...notReadyFor(is, was, host, context));
  }
  return findings;
}

/** A pod that came at the last moment is drained too, before the node ends. */
const isBack = (was: RawCommand, is: RawCommand): boolean =>
  was.step === 'released' || (rank(is) < rank(was) && !(was.step === 'terminating' && is.step === 'draining'));

function notReadyFor(is: RawCommand, was: RawCommand, host: Host, { sight, settings }: Context): Finding[] {
  const goes = `${is.id} goes from ${was.step} to ${is.step}`;
  const findings: Finding[] = [];
  if (rank(is) > path.indexOf('tainted') && taintedBy(host.node) !== is.id)
    findings.push(finding('G1', `${goes}, but ${host.name} does not have its taint`));
  const isFirst = rank(is) >= path.indexOf('draining') && rank(was) < path.indexOf('draining');
  const isUrgent = isPressed(
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

/** G1: a replacement is there, initialized, and still Ready. */
function unfit(name: string, sight: Sight): string | undefined {
  const claim = sight.get('NodeClaim', name);
  if (!claim) return 'is missing';
  if (!isTrue(claim, 'Initialized')) return 'is not Initialized';
  const node = textAt(claim.status, 'nodeName');
  const host = node === undefined ? undefined : sight.host(node);
  return host?.isReady ? undefined : 'is not Ready';
}

/** G6: nothing that would be evicted is left, but for what a deadline or a dead node leaves behind. */
function undrained(is: RawCommand, was: RawCommand, host: Host, sight: Sight): Finding[] {
  if (is.reason === 'Unhealthy') return [];
  const deadline = deadlineOf(host.claim, was.step === 'draining' ? was.stepAt : is.stepAt);
  if (deadline !== undefined && is.stepAt >= deadline) return [];
  const left = sight.podsOn(host.name).filter((pod) => isDrained(pod) && !isOverdue(pod, is.stepAt));
  return left.map(({ metadata }) =>
    finding('G6', `${is.id} ends ${host.name} with pod ${metadata.namespace}/${metadata.name} still on it`),
  );
}

/** G1, G4: a command is over when its nodes are gone, or when all that it did is undone. */
function wrongEnd(was: RawCommand, sight: Sight): Finding[] {
  const left = was.nodes.filter(({ name, claim }) => {
    const host = sight.host(name);
    return host !== undefined || (claim !== undefined && sight.get('NodeClaim', claim) !== undefined);
  });
  const findings = left.flatMap(({ name, claim }) => {
    const node = sight.get('Node', name);
    if (node && taintedBy(node) === was.id)
      return [finding('G4', `${was.id} is over, but its taint is still on ${name}`)];
    // Of a machine that is gone, node and claim go together: a view in which one of both is late still shows the other.
    const isHalfGone = !node || (claim !== undefined && !sight.get('NodeClaim', claim));
    // What was not touched yet, or is undone already.
    return ['chosen', 'tainted', 'released'].includes(was.step) || isHalfGone
      ? []
      : [finding('G1', `${was.id} is over while ${was.step}, but ${name} is still there`)];
  });
  if (was.step === 'draining' || was.step === 'terminating') return findings;
  const unused = was.replacements.filter((name) => isUnused(name, sight));
  return [...findings, ...unused.map((name) => finding('G4', `${was.id} is over, but ${name} is left, for nothing`))];
}

function isUnused(name: string, sight: Sight): boolean {
  const claim = sight.get('NodeClaim', name);
  if (!claim || claim.metadata.deletionTimestamp !== undefined) return false;
  const node = textAt(claim.status, 'nodeName');
  return node === undefined || !sight.podsOn(node).some(isReschedulable);
}
