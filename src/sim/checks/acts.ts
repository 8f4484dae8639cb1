// Does Lull do only what stands in the ledger, and write only what is its own (G2, K4)? Every change it makes to nodes and claims is looked at.
import { type KubeObject, sameJson } from '../kubeObject.ts';
import type { Changed } from '../objects.ts';
import type { Commands } from './commands.ts';
import { deadlineAnnotation } from './deadline.ts';
import type { RawCommand } from './ledgerRecord.ts';
import {
  hash,
  hashBefore,
  keepOff,
  keptBefore,
  marker,
  withoutAnnotations,
  wrongClaimParking,
  wrongNodeParking,
  wrongNudge,
  wrongPodParking,
} from './parking.ts';
import { annotationsOf, ourTaint, taintedBy, taintsOf, textAt } from './raw.ts';
import { isTakenAnyway, type Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';

const commandAnnotation = 'lull.dev/command';

/** What Lull may do by itself, beside its ledger. Pods are looked at with the request (evictions). */
export function wrongAct(change: Changed, around: Surroundings): Finding[] {
  const { kind } = change.object;
  const isGuide = around.settings.role === 'guide';
  if (kind === 'Node') return isGuide ? guidedNode(change, around) : nodeAct(change, around.commands);
  if (isGuide && kind === 'NodeClaim') return guidedClaim(change, around);
  if (isGuide && kind === 'Pod') return isDeletion(change) || !change.was ? [] : wrongPodParking(change, around);
  if (kind === 'NodeClaim') return claimAct(change, around);
  // N9: its own copy of what the patched CRD keeps.
  if (kind === 'NodePool') return onlyAnnotations(change, poolCopies);
  // An eviction is spent in the status of its PDB.
  return ['Pod', 'PodDisruptionBudget', 'DisruptionLedger'].includes(kind)
    ? []
    : [finding('K4', `Lull writes ${kind} ${change.object.metadata.name}`)];
}

const poolCopies = ['lull.dev/budgets-seen', 'lull.dev/budgets-seen-under', 'lull.dev/budgets-seen-gone'];

/** Beside Karpenter, nodes and claims are Karpenter's but for a few annotations. */
function guidedNode(change: Changed, around: Surroundings): Finding[] {
  return [...onlyAnnotations(change, [keepOff, marker, keptBefore]), ...wrongNodeParking(change, around)];
}

function guidedClaim(change: Changed, around: Surroundings): Finding[] {
  const own = [hash, hashBefore, keepOff, marker, keptBefore];
  return [...onlyAnnotations(change, own), ...wrongNudge(change, around), ...wrongClaimParking(change, around)];
}

function onlyAnnotations(change: Changed, keys: readonly string[]): Finding[] {
  const { object, was } = change;
  const what = `${object.kind} ${object.metadata.name}`;
  if (!was || isDeletion(change)) return [finding('K4', `Lull makes or deletes ${what}`)];
  const isSame = sameJson(withoutAnnotations(was, keys), withoutAnnotations(object, keys));
  return isSame ? [] : [finding('K4', `Lull changes more of ${what} than its own annotations`)];
}

function nodeAct(change: Changed, commands: Commands): Finding[] {
  const { object, was } = change;
  const { name } = object.metadata;
  if (isDeletion(change)) {
    const command = commands.ofNode(name);
    const isTime = command && commands.isIn(command, 'terminating');
    return isTime ? [] : [finding('G2', `Lull deletes node ${name} without a command`)];
  }
  if (!was) return [finding('K4', `Lull makes node ${name}`)];
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

function wrongTaint(name: string, id: string, commands: Commands): Finding[] {
  const command = commands.find(id);
  if (!command || !takes(command, name))
    return [finding('G2', `Lull taints ${name} for ${id}, which is no command of it`)];
  return commands.isIn(command, 'tainted', 'replacing', 'draining', 'terminating')
    ? []
    : [finding('G1', `Lull taints ${name} while ${id} is ${command.step}`)];
}

function wrongRelease(name: string, id: string, commands: Commands): Finding[] {
  const command = commands.find(id);
  if (command && commands.isIn(command, 'released')) return [];
  return [finding('G4', `Lull takes its taint off ${name}, but ${id} is ${command?.step ?? 'no command'}`)];
}

function claimAct(change: Changed, around: Surroundings): Finding[] {
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
    : [finding('G2', `Lull sets a deadline on claim ${name}, which is not drained`)];
}

/** G2: launches nothing twice, and nothing that is not in the ledger. */
function wrongCreate(claim: KubeObject, around: Surroundings): Finding[] {
  const { commands } = around;
  const { name } = claim.metadata;
  const id = annotationsOf(claim)[commandAnnotation] ?? '';
  const command = commands.find(id);
  const findings = commands.launch(name) ? [] : [finding('G2', `replacement ${name} is launched twice`)];
  if (!command?.replacements.includes(name))
    return [...findings, finding('G2', `Lull makes claim ${name}, which no command plans`)];
  const isTime = commands.isIn(command, 'replacing') || isTakenAnyway(command, around);
  return isTime ? findings : [...findings, finding('G1', `Lull makes claim ${name} while ${id} is ${command.step}`)];
}

function wrongDelete(claim: KubeObject, commands: Commands): Finding[] {
  const { name } = claim.metadata;
  const command = commands.ofClaim(name);
  if (command && commands.isIn(command, 'terminating')) return [];
  const replacing = commands.ofReplacement(name);
  // N6: what cannot be launched is taken back at once, whatever its command does otherwise.
  const isLaunched = textAt(claim.status, 'providerID') !== undefined;
  if (replacing && (commands.isIn(replacing, 'released') || !isLaunched)) return [];
  const found = command ?? replacing;
  const why = found ? `while ${found.id} is ${found.step}` : 'without a command';
  return [finding('G2', `Lull deletes claim ${name} ${why}`)];
}

const isDeletion = ({ type, object, was }: Changed): boolean =>
  type === 'DELETED' ||
  (object.metadata.deletionTimestamp !== undefined && was?.metadata.deletionTimestamp === undefined);

/** The object but for what Lull may write, and what every write changes. */
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
