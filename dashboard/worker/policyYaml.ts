// The policy of a cluster as YAML: pools, windows and schedules without the fields that the cluster adds.
import type { Json } from '../../src/kinds/read/reader.ts';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';

export const policyKinds = ['NodePool', 'MaintenanceWindow', 'PodDisruptionSchedule'] as const;

export const isPolicy = ({ kind }: Json): boolean => (policyKinds as readonly unknown[]).includes(kind);

const mapOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

export const nameOf = ({ metadata }: Json): string => String(mapOf(metadata).name ?? '');
export const keyOf = (object: Json): string => `${String(object.kind)}/${nameOf(object)}`;

/** Annotations that tools write for themselves. */
const noise = /^(kubectl\.kubernetes\.io\/last-applied-configuration|lull\.dev\/budgets-seen)$/;

export function asWritten({ apiVersion, kind, metadata, spec }: Json): Json {
  const { name, annotations, labels } = mapOf(metadata);
  const own = Object.fromEntries(Object.entries(mapOf(annotations)).filter(([key]) => !noise.test(key)));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(Object.keys(own).length > 0 && { annotations: own }),
      ...(Object.keys(mapOf(labels)).length > 0 && { labels }),
    },
    spec: spec ?? {},
  };
}

export function policyYaml(objects: readonly Json[]): string {
  const rank = (object: Json): number => policyKinds.indexOf(object.kind as (typeof policyKinds)[number]);
  const sorted = objects.filter(isPolicy).sort((a, b) => rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return sorted
    .map((object) => writeYaml(asWritten(object)).trimEnd())
    .join('\n---\n')
    .concat('\n');
}

/** The edited object with the fields that the cluster has added: uid, age and status. */
export function over(original: Json | undefined, edited: Json): Json {
  if (!original) return edited;
  const [was, is] = [mapOf(original.metadata), mapOf(edited.metadata)];
  const kept = Object.entries(mapOf(was.annotations)).filter(([key]) => noise.test(key));
  const annotations = { ...Object.fromEntries(kept), ...mapOf(is.annotations) };
  return { ...original, ...edited, metadata: { ...was, ...is, annotations, labels: mapOf(is.labels) } };
}
