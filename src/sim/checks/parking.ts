// Does Lull keep Karpenter off, and let it in, only as the ledger says (N2, N3, N5, N6)? Every annotation it writes is looked at.
import { type KubeObject, keyOf, sameJson } from '../kubeObject.ts';
import type { Changed } from '../objects.ts';
import { compiled } from './policy.ts';
import { annotationsOf, taintsOf, textAt } from './raw.ts';
import type { Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';
import { isGoverned } from './written.ts';

export const keepOff = 'karpenter.sh/do-not-disrupt';
export const marker = 'lull.dev/parked';
export const keptBefore = 'lull.dev/do-not-disrupt-before';
export const hash = 'karpenter.sh/nodepool-hash';
export const hashBefore = 'lull.dev/nodepool-hash-before';

/** The object but for these annotations and what every write changes. */
export function withoutAnnotations(object: KubeObject, keys: readonly string[]): KubeObject {
  const { resourceVersion: _, annotations: __, ...metadata } = object.metadata;
  const others = Object.entries(annotationsOf(object)).filter(([key]) => !keys.includes(key));
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

/** What Karpenter has begun by itself, before Lull was there or a user let go. */
const karpenters = 'karpenter.sh/disrupted';

const isMarked = (object: KubeObject): boolean => annotationsOf(object)[marker] !== undefined;
const keptBy = (object: KubeObject): string | undefined => annotationsOf(object)[keepOff];

/** What a person wrote there, of which Karpenter reads only "true". */
export function wordOfUsers(object: KubeObject): string | undefined {
  const text = keptBy(object);
  return text === 'true' && isMarked(object) ? annotationsOf(object)[keptBefore] : text;
}

/** Nothing keeps Karpenter off it any more. */
export const isLoosed = ({ object, was }: Changed): boolean =>
  was !== undefined && keptBy(was) === 'true' && keptBy(object) !== 'true';

/** N2: both annotations come and go together, a user's own is never touched, and no word of a user's is lost. */
function wrongMarks({ object, was }: Changed, what: string): Finding[] {
  if (!was || (keptBy(was) === keptBy(object) && isMarked(was) === isMarked(object))) return [];
  if (!isMarked(was) && keptBy(was) === 'true') return [finding('N2', `Lull touches what a user wrote on ${what}`)];
  if (wordOfUsers(was) !== wordOfUsers(object)) return [finding('N2', `Lull loses what a user wrote on ${what}`)];
  const isWhole = isMarked(object) ? keptBy(object) === 'true' : annotationsOf(object)[keptBefore] === undefined;
  return isWhole ? [] : [finding('N2', `Lull leaves half of its parking on ${what}`)];
}

export function wrongNodeParking(change: Changed, { commands, objects, settings }: Surroundings): Finding[] {
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

/** N2: what admission wrote on a claim is taken off, and never before its node has it. Lull itself parks no claim. */
export function wrongClaimParking(change: Changed, { objects }: Surroundings): Finding[] {
  const { object, was } = change;
  const { name } = object.metadata;
  const marks = wrongMarks(change, `claim ${name}`);
  if (!was || isMarked(was) === isMarked(object)) return marks;
  if (isMarked(object)) return [...marks, finding('N2', `Lull parks claim ${name}`)];
  const node = objects.get('Node', textAt(object.status, 'nodeName') ?? '');
  const isCopied = node?.metadata.labels?.['karpenter.sh/registered'] === 'true';
  return isCopied
    ? marks
    : [...marks, finding('N2', `Lull takes the marks of claim ${name} off before its node has them`)];
}

export function wrongPodParking(change: Changed, { commands, objects }: Surroundings): Finding[] {
  const { object, was } = change;
  const what = `pod ${keyOf(object)}`;
  if (!was) return [finding('K4', `Lull makes ${what}`)];
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
    (node && taintsOf(node).some(({ key }) => key === karpenters));
  const goes = isBegun || (command && commands.isIn(command, 'offered', 'taken'));
  return goes ? marks : [...marks, finding('N5', `Lull parks ${what}, whose node ${name} stays`)];
}

/** N6: only what is offered is nudged, and what was there before is kept. */
export function wrongNudge({ object, was }: Changed, { commands }: Surroundings): Finding[] {
  const [before, now] = [annotationsOf(was ?? object), annotationsOf(object)];
  if (!was || before[hash] === now[hash]) return [];
  const { name } = object.metadata;
  const isBack = before[hashBefore] === now[hash] && now[hashBefore] === undefined;
  if (isBack) return [];
  const command = commands.ofClaim(name);
  const isTime = command && commands.isIn(command, 'offered') && !['Empty', 'Drifted'].includes(command.reason);
  if (!isTime) return [finding('N6', `Lull changes the hash of claim ${name}, which it does not offer for it`)];
  return now[hashBefore] === before[hash] ? [] : [finding('N6', `Lull forgets what the hash of claim ${name} was`)];
}
