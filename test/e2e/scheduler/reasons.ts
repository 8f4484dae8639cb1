// Why the scheduler leaves a pod pending: its message counts nodes by reason; here the reasons get the names used in this repository.

export const reasons = [
  'cordon',
  'room',
  'taint',
  'selector',
  'spread',
  'affinity',
  'antiAffinity',
  'port',
  'volume',
  'attachments',
] as const;

export type Reason = (typeof reasons)[number];

/** The messages of kube-scheduler 1.36, in the order of its plugins; the first that rejects a node counts. */
const words: readonly (readonly [RegExp, Reason])[] = [
  [/^node\(s\) were unschedulable/, 'cordon'],
  [/^node\(s\) had untolerated taint/, 'taint'],
  [/^node\(s\) didn't match (Pod's node affinity|the requested node name)/, 'selector'],
  [/^node\(s\) didn't have free ports/, 'port'],
  [/^(Insufficient |Too many pods)/, 'room'],
  [/^node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod/, 'volume'],
  [/^node\(s\) exceed max volume count/, 'attachments'],
  [/^node\(s\) (didn't match PersistentVolume's node affinity|had volume node affinity conflict)/, 'volume'],
  [/^node\(s\) (had no available volume zone|didn't find available persistent volumes)/, 'volume'],
  [/^node\(s\) didn't match pod topology spread constraints/, 'spread'],
  [/^node\(s\) didn't match pod affinity rules/, 'affinity'],
  [/^node\(s\) didn't (match pod anti-affinity|satisfy existing pods anti-affinity)/, 'antiAffinity'],
];

/** For pods rejected before the nodes are filtered: `unbound immediate PersistentVolumeClaims`, `persistentvolumeclaim "x" not found`; a node by its name. */
const beforehands: readonly (readonly [RegExp, Reason])[] = [
  [/persistentvolume/i, 'volume'],
  [/didn't satisfy plugin\(s\) \[NodeAffinity\]/, 'selector'],
];

export interface Told {
  readonly nodes: number;
  /** How many nodes fail for each reason: a node that lacks several resources counts for each. Empty if no node was filtered. */
  readonly counts: ReadonlyMap<Reason, number>;
  /** It was decided before most nodes were filtered. */
  readonly beforehand?: Reason;
}

export function namesIn(message: string): readonly Reason[] {
  const told = reasonsIn(message);
  return [...(told?.counts.keys() ?? []), ...(told?.beforehand ? [told.beforehand] : [])];
}

/** Undefined if the message does not count nodes; throws if it contains unknown reasons. */
export function reasonsIn(message: string): Told | undefined {
  const [, nodes, list] =
    /^0\/(\d+) nodes are available: (.*?)\.( no new claims| preemption| not found|$)/.exec(message) ?? [];
  if (nodes === undefined || list === undefined) return undefined;
  const counts = new Map<Reason, number>();
  for (const part of list.split(', ')) {
    const [, count, why] = /^(\d+) (.*)$/.exec(part) ?? [];
    const found = words.find(([word]) => why !== undefined && word.test(why));
    const before = found ? undefined : beforehands.find(([word]) => word.test(part));
    if (before) return { nodes: Number(nodes), counts: new Map(), beforehand: before[1] };
    if (!found) throw new Error(`Unknown reason "${part}" of the scheduler in: ${message}`);
    counts.set(found[1], (counts.get(found[1]) ?? 0) + Number(count));
  }
  return { nodes: Number(nodes), counts };
}
