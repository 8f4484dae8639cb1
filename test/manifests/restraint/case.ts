// One case of restraint: a request to one object, and the duties in which the API server lets it through (N12).
export type Duty = 'observe' | 'guide' | 'drive' | 'release';
export type Plain = Readonly<Record<string, unknown>>;

export interface Case {
  readonly it: string;
  readonly kind:
    | 'Node'
    | 'Pod'
    | 'NodeClaim'
    | 'NodePool'
    | 'MaintenanceWindow'
    | 'PodDisruptionSchedule'
    | 'HealthGate'
    | 'DisruptionLedger'
    | 'Lease'
    | 'Event'
    | 'Deployment';
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subresource?: 'status' | 'eviction' | 'scale';
  /** Applied to the specimen of the kind as a merge patch: null removes a field. */
  readonly before?: Plain;
  /** A merge patch: null removes a field. */
  readonly change?: Plain;
  /** A claim as Lull creates it for this pool of the surroundings. */
  readonly of?: 'case-pool';
  /** A name other than the default. */
  readonly name?: string;
  /** Sent with the token of the pod itself. */
  readonly isOwnPod?: true;
  /** For a deletion or an eviction. Absent = the default of the kind: 1 for the deletion of a pod, otherwise none. */
  readonly graceSeconds?: number;
  /** The duties in which it is allowed; none = never. */
  readonly duties: readonly Duty[];
}

export const acting: readonly Duty[] = ['guide', 'drive'];
export const always: readonly Duty[] = ['observe', 'guide', 'drive'];
export const everyone: readonly Duty[] = [...always, 'release'];
export const never: readonly Duty[] = [];

export const annotated = (annotations: Plain): Plain => ({ metadata: { annotations } });
export const noon = '2026-11-15T12:00:00Z';

export const [kept, marker, keptBefore] = [
  'karpenter.sh/do-not-disrupt',
  'lull.dev/parked',
  'lull.dev/do-not-disrupt-before',
] as const;
export const parked = { [kept]: 'true', [marker]: noon };
export const unparked = { [kept]: null, [marker]: null };

export const updates = (kind: Case['kind'], cases: readonly Omit<Case, 'kind' | 'operation'>[]): readonly Case[] =>
  cases.map((it) => ({ kind, operation: 'UPDATE', ...it }));
