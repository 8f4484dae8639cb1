// Checks Lull's own writes to nodes, claims and pods: only what the ledger plans (G2), only Lull's own fields (K4), and the
// annotations that park and offer (N2, N3, N5, N6).

import { conditionOf, taintsOf } from '../actors/rawObjects.ts';
import { annotationsOf, type KubeObject, keyOf, sameJson, textAt } from '../kubeObject.ts';
import type { RawCommand } from '../ledgerRecord.ts';
import type { ObjectChange } from '../objects.ts';
import { compiled } from './compiledPolicies.ts';
import { type CheckFinding, finding, type InvariantContext, isForcedCommand, isGoverned } from './ledgerWrite.ts';
import { deadlineAnnotation, ourTaint, taintedBy } from './raw.ts';
import type { TrackedCommands } from './trackedCommands.ts';

export const keepOff = 'karpenter.sh/do-not-disrupt';
export const marker = 'lull.dev/parked';
const keptBefore = 'lull.dev/do-not-disrupt-before';
const hash = 'karpenter.sh/nodepool-hash';
export const hashBefore = 'lull.dev/nodepool-hash-before';

/** The object without these annotations and its resourceVersion. */
function withoutAnnotations(object: KubeObject, keys: readonly string[]): KubeObject {
  const { resourceVersion: _, annotations: __, ...metadata } = object.metadata;
  const others = Object.entries(annotationsOf(object)).filter(([key]) => !keys.includes(key));
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

/** Karpenter's taint: it started by itself, before Lull ran or after a user removed a protection. */
const karpenterTaint = 'karpenter.sh/disrupted';

const isMarked = (object: KubeObject): boolean => annotationsOf(object)[marker] !== undefined;
const keptBy = (object: KubeObject): string | undefined => annotationsOf(object)[keepOff];

/** A user's own do-not-disrupt value, of which Karpenter honors only "true". */
export function userAnnotation(object: KubeObject): string | undefined {
  const text = keptBy(object);
  return text === 'true' && isMarked(object) ? annotationsOf(object)[keptBefore] : text;
}

/** do-not-disrupt was removed, so Karpenter may disrupt the object. */
export const isUnparked = ({ object, was }: ObjectChange): boolean =>
  was !== undefined && keptBy(was) === 'true' && keptBy(object) !== 'true';

/** Lull's two annotations are set and removed together, and a user's own annotation is never changed or lost (N2). */
function wrongMarks({ object, was }: ObjectChange, what: string): CheckFinding[] {
  if (!was || (keptBy(was) === keptBy(object) && isMarked(was) === isMarked(object))) return [];
  if (!isMarked(was) && keptBy(was) === 'true')
    return [finding('N2', `Lull changes a user's do-not-disrupt on ${what}`)];
  if (userAnnotation(was) !== userAnnotation(object))
    return [finding('N2', `Lull loses a user's do-not-disrupt on ${what}`)];
  const isWhole = isMarked(object) ? keptBy(object) === 'true' : annotationsOf(object)[keptBefore] === undefined;
  return isWhole ? [] : [finding('N2', `Lull leaves only one of its parking annotations on ${what}`)];
}

function wrongNodeParking(change: ObjectChange, { commands, objects, settings }: InvariantContext): CheckFinding[] {
  const { object, was } = change;
  const { name } = object.metadata;
  const marks = wrongMarks(change, `node ${name}`);
  if (!was || !isMarked(was) || isMarked(object)) return marks;
  const command = commands.ofNode(name);
  const pool = objects.get('NodePool', object.metadata.labels?.['karpenter.sh/nodepool'] ?? '');
  const isOurs = pool && isGoverned(compiled('NodePool', pool), settings);
  return !isOurs || (command && commands.isIn(command, 'offered'))
    ? marks
    : [...marks, finding('N3', `Lull offers ${name}, which no command offers`)];
}

/** Lull parks no claims; it removes the admission policy's annotations only after the node has them (N2). */
function wrongClaimParking(change: ObjectChange, { objects }: InvariantContext): CheckFinding[] {
  const { object, was } = change;
  const { name } = object.metadata;
  const marks = wrongMarks(change, `claim ${name}`);
  if (!was || isMarked(was) === isMarked(object)) return marks;
  if (isMarked(object)) return [...marks, finding('N2', `Lull parks claim ${name}`)];
  const node = objects.get('Node', textAt(object.status, 'nodeName') ?? '');
  const isCopied = node?.metadata.labels?.['karpenter.sh/registered'] === 'true';
  return isCopied ? marks : [...marks, finding('N2', `Lull unparks claim ${name} before its node is parked`)];
}

function wrongPodParking(change: ObjectChange, { commands, objects }: InvariantContext): CheckFinding[] {
  const { object, was } = change;
  const what = `pod ${keyOf(object)}`;
  if (!was) return [finding('K4', `Lull creates ${what}`)];
  const own = [keepOff, marker, keptBefore];
  if (!sameJson(withoutAnnotations(was, own), withoutAnnotations(object, own)))
    return [finding('K4', `Lull changes more of ${what} than its own annotations`)];
  const marks = wrongMarks(change, what);
  if (isMarked(was) || !isMarked(object)) return marks;
  const name = textAt(object.spec, 'nodeName') ?? '';
  const node = objects.get('Node', name);
  const command = commands.ofNode(name);
  const claims = [...objects.list('NodeClaim')].filter(({ status }) => textAt(status, 'nodeName') === name);
  const isBegun =
    [...claims, ...(node ? [node] : [])].some(({ metadata }) => metadata.deletionTimestamp !== undefined) ||
    (node && taintsOf(node).some(({ key }) => key === karpenterTaint));
  const goes = isBegun || (command && commands.isIn(command, 'offered', 'taken'));
  return goes ? marks : [...marks, finding('N5', `Lull parks ${what}, whose node ${name} is not being disrupted`)];
}

/** Lull changes the hash of offered claims only, and keeps the previous hash (N6). */
function wrongNudge({ object, was }: ObjectChange, { commands }: InvariantContext): CheckFinding[] {
  const [before, now] = [annotationsOf(was ?? object), annotationsOf(object)];
  if (!was || before[hash] === now[hash]) return [];
  const { name } = object.metadata;
  const isBack = before[hashBefore] === now[hash] && now[hashBefore] === undefined;
  if (isBack) return [];
  const command = commands.ofClaim(name);
  const isSeen = command?.reason === 'Drifted' && conditionOf(was, 'Drifted')?.status === 'True';
  const isTime = command && commands.isIn(command, 'offered') && command.reason !== 'Empty' && !isSeen;
  if (!isTime) return [finding('N6', `Lull changes the hash of claim ${name}, which is not offered`)];
  return now[hashBefore] === before[hash] ? [] : [finding('N6', `Lull loses the previous hash of claim ${name}`)];
}

const commandAnnotation = 'lull.dev/command';

/** Checks one change by Lull. Evictions and deletions of pods are checked with their request. */
export function wrongAct(change: ObjectChange, around: InvariantContext): CheckFinding[] {
  const { kind } = change.object;
  const isGuide = around.settings.role === 'guide';
  if (kind === 'Node') return isGuide ? guidedNode(change, around) : nodeAct(change, around.commands);
  if (isGuide && kind === 'NodeClaim') return guidedClaim(change, around);
  if (isGuide && kind === 'Pod') return isDeletion(change) || !change.was ? [] : wrongPodParking(change, around);
  if (kind === 'NodeClaim') return claimAct(change, around);
  // Lull's copies of the fields of the patched CRD (N9).
  if (kind === 'NodePool') return onlyAnnotations(change, poolCopies);
  // An eviction also writes the status of its PDB.
  return ['Pod', 'PodDisruptionBudget', 'DisruptionLedger'].includes(kind)
    ? []
    : [finding('K4', `Lull writes ${kind} ${change.object.metadata.name}`)];
}

const poolCopies = ['lull.dev/budgets-seen', 'lull.dev/budgets-seen-under', 'lull.dev/budgets-seen-gone'];

/** In guide mode Lull writes only a few annotations on nodes and claims. */
function guidedNode(change: ObjectChange, around: InvariantContext): CheckFinding[] {
  return [...onlyAnnotations(change, [keepOff, marker, keptBefore]), ...wrongNodeParking(change, around)];
}

function guidedClaim(change: ObjectChange, around: InvariantContext): CheckFinding[] {
  const own = [hash, hashBefore, keepOff, marker, keptBefore];
  return [...onlyAnnotations(change, own), ...wrongNudge(change, around), ...wrongClaimParking(change, around)];
}

function onlyAnnotations(change: ObjectChange, keys: readonly string[]): CheckFinding[] {
  const { object, was } = change;
  const what = `${object.kind} ${object.metadata.name}`;
  if (!was || isDeletion(change)) return [finding('K4', `Lull creates or deletes ${what}`)];
  const isSame = sameJson(withoutAnnotations(was, keys), withoutAnnotations(object, keys));
  return isSame ? [] : [finding('K4', `Lull changes more of ${what} than its own annotations`)];
}

function nodeAct(change: ObjectChange, commands: TrackedCommands): CheckFinding[] {
  const { object, was } = change;
  const { name } = object.metadata;
  if (isDeletion(change)) {
    const command = commands.ofNode(name);
    const isTime = command && commands.isIn(command, 'terminating');
    return isTime ? [] : [finding('G2', `Lull deletes node ${name} without a command`)];
  }
  if (!was) return [finding('K4', `Lull creates node ${name}`)];
  const [before, now] = [taintedBy(was), taintedBy(object)];
  const findings = sameJson(withoutOurs(was), withoutOurs(object))
    ? []
    : [finding('K4', `Lull changes more of node ${name} than its own taint`)];
  if (before === now) return findings;
  if (now !== undefined) findings.push(...wrongTaint(name, now, commands));
  else if (before !== undefined) findings.push(...wrongRelease(name, before, commands));
  return findings;
}

const takes = ({ nodes }: RawCommand, name: string): boolean => nodes.some((node) => node.name === name);

function wrongTaint(name: string, id: string, commands: TrackedCommands): CheckFinding[] {
  const command = commands.find(id);
  if (!command || !takes(command, name))
    return [finding('G2', `Lull taints ${name} for ${id}, which does not take it`)];
  return commands.isIn(command, 'tainted', 'replacing', 'draining', 'terminating')
    ? []
    : [finding('G1', `Lull taints ${name} while ${id} is ${command.step}`)];
}

function wrongRelease(name: string, id: string, commands: TrackedCommands): CheckFinding[] {
  const command = commands.find(id);
  if (command && commands.isIn(command, 'released')) return [];
  return [finding('G4', `Lull removes its taint from ${name}, but ${id} is ${command?.step ?? 'not a command'}`)];
}

function claimAct(change: ObjectChange, around: InvariantContext): CheckFinding[] {
  const { commands } = around;
  const { object, was } = change;
  const { name } = object.metadata;
  if (isDeletion(change)) return wrongDelete(was ?? object, commands);
  if (!was) return wrongCreate(object, around);
  if (object.metadata.deletionTimestamp !== undefined) return [];
  if (!sameJson(withoutDeadline(was), withoutDeadline(object)))
    return [finding('K4', `Lull changes more of claim ${name} than its deadline`)];
  const command = commands.ofClaim(name);
  const isSet = annotationsOf(object)[deadlineAnnotation] !== undefined;
  return !isSet || (command && commands.isIn(command, 'draining', 'terminating'))
    ? []
    : [finding('G2', `Lull sets a deadline on claim ${name}, which is not being drained`)];
}

/** Lull launches only what the ledger plans, and nothing twice (G2). */
function wrongCreate(claim: KubeObject, around: InvariantContext): CheckFinding[] {
  const { commands } = around;
  const { name } = claim.metadata;
  const id = annotationsOf(claim)[commandAnnotation] ?? '';
  const command = commands.find(id);
  const findings = commands.launch(name) ? [] : [finding('G2', `replacement ${name} is launched twice`)];
  if (!command?.replacements.includes(name))
    return [...findings, finding('G2', `Lull creates claim ${name}, which no command plans`)];
  const isTime = commands.isIn(command, 'replacing') || isForcedCommand(command, around);
  return isTime ? findings : [...findings, finding('G1', `Lull creates claim ${name} while ${id} is ${command.step}`)];
}

function wrongDelete(claim: KubeObject, commands: TrackedCommands): CheckFinding[] {
  const { name } = claim.metadata;
  const command = commands.ofClaim(name);
  if (command && commands.isIn(command, 'terminating')) return [];
  const replacing = commands.ofReplacement(name);
  // A claim that cannot be launched is deleted at once, whatever the step of its command (N6).
  const isLaunched = textAt(claim.status, 'providerID') !== undefined;
  if (replacing && (commands.isIn(replacing, 'released') || !isLaunched)) return [];
  const found = command ?? replacing;
  const why = found ? `while ${found.id} is ${found.step}` : 'without a command';
  return [finding('G2', `Lull deletes claim ${name} ${why}`)];
}

const isDeletion = ({ type, object, was }: ObjectChange): boolean =>
  type === 'DELETED' ||
  (object.metadata.deletionTimestamp !== undefined && was?.metadata.deletionTimestamp === undefined);

/** The node without Lull's taint and its resourceVersion. */
function withoutOurs(node: KubeObject): unknown {
  const { resourceVersion: _, ...metadata } = node.metadata;
  const taints = taintsOf(node).filter(({ key }) => key !== ourTaint);
  return { ...node, metadata, spec: { ...node.spec, taints } };
}

function withoutDeadline(claim: KubeObject): unknown {
  const { resourceVersion: _, annotations: __, ...metadata } = claim.metadata;
  const { [deadlineAnnotation]: ___, ...annotations } = annotationsOf(claim);
  return { ...claim, metadata: { ...metadata, annotations } };
}
