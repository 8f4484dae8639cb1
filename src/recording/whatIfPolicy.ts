// A replacement policy for a recording: which kinds are policy, and the recorded cluster with the policy applied.
import { ClusterStore } from '../cluster/store.ts';
import { type Json, mapIn } from '../kinds/read/reader.ts';
import { type GoneObject, goneOf, keyOf } from './recordingLine.ts';
import { put, remove } from './replay.ts';

/** The kinds that are policy. */
const kinds: ReadonlySet<unknown> = new Set([
  'NodePool',
  'MaintenanceWindow',
  'HealthGate',
  'PodDisruptionSchedule',
  'PodDisruptionBudget',
]);

export const isPolicy = ({ kind }: Json): boolean => kinds.has(kind);

export class WhatIfPolicy {
  readonly #objects: ReadonlyMap<string, Json>;

  constructor(objects: readonly Json[]) {
    this.#objects = new Map(objects.map((object) => [keyOf(goneOf(object)), object]));
  }

  get objects(): Iterable<Json> {
    return this.#objects.values();
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  /** The recorded object with this policy applied. */
  over(recorded: Json): Json {
    const mine = this.#objects.get(keyOf(goneOf(recorded)));
    if (!mine) return recorded;
    if (mine.kind === 'NodePool') return mergePool(recorded, mine);
    // The status of a PDB or gate is observed; only its spec is policy.
    return mine.kind === 'PodDisruptionBudget' || mine.kind === 'HealthGate'
      ? { ...mine, status: recorded.status }
      : mine;
  }
}

/** Takes only a pool's disruption section and annotations: another template would be another cluster. */
function mergePool(recorded: Json, mine: Json): Json {
  const [was, spec] = [mapIn(recorded.spec), mapIn(mine.spec)];
  const annotations = mapIn(mine.metadata).annotations;
  const disruption = spec.disruption === undefined ? {} : { disruption: spec.disruption };
  const metadata = annotations === undefined ? {} : { annotations };
  return { ...recorded, metadata: { ...mapIn(recorded.metadata), ...metadata }, spec: { ...was, ...disruption } };
}

/** The recorded cluster with a policy applied. */
export class PolicyCluster {
  cluster = new ClusterStore();
  readonly #policy: WhatIfPolicy;

  constructor(policy: WhatIfPolicy) {
    this.#policy = policy;
  }

  keyframe(): void {
    this.cluster = new ClusterStore();
    for (const object of this.#policy.objects) put(this.cluster, object);
  }

  put(recorded: Json): void {
    put(this.cluster, this.#policy.over(recorded));
  }

  gone(which: GoneObject): void {
    if (!this.#policy.has(keyOf(which))) remove(this.cluster, which);
  }
}
