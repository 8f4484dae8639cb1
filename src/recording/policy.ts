// Which objects make up a policy, and what becomes of a recorded one when another is put in its place?
import { isMap, type Json } from '../kinds/reader.ts';
import { goneOf, keyOf } from './observed.ts';

/** What decides, as opposed to what is decided about. */
const kinds: ReadonlySet<unknown> = new Set([
  'NodePool',
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'PodDisruptionBudget',
]);

export const isPolicy = ({ kind }: Json): boolean => kinds.has(kind);

export class Policy {
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

  /** The recorded object as this policy has it. */
  over(recorded: Json): Json {
    const mine = this.#objects.get(keyOf(goneOf(recorded)));
    if (!mine) return recorded;
    if (mine.kind === 'NodePool') return poolOver(recorded, mine);
    // Whether a PDB is spent was seen in the cluster; what it asks for is policy.
    return mine.kind === 'PodDisruptionBudget' ? { ...mine, status: recorded.status } : mine;
  }
}

/** Of a pool the disruption and the annotations: another template would be another cluster. */
function poolOver(recorded: Json, mine: Json): Json {
  const [was, spec] = [mapOf(recorded.spec), mapOf(mine.spec)];
  const annotations = mapOf(mine.metadata).annotations;
  const disruption = spec.disruption === undefined ? {} : { disruption: spec.disruption };
  const metadata = annotations === undefined ? {} : { annotations };
  return { ...recorded, metadata: { ...mapOf(recorded.metadata), ...metadata }, spec: { ...was, ...disruption } };
}

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});
