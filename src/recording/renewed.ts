// What stands in a node's place after it was replaced in a what-if? One like it, as its pool asks for it today.
import { isMap, type Json } from '../kinds/reader.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

/** No Kubernetes name has this in it, so that none is taken. */
const mark = '~';

export const renewedName = (name: string): string => `${name}${mark}`;

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});

interface Old {
  readonly node: Json;
  readonly claim: Json | undefined;
  readonly pool: Json | undefined;
}

/** The node and its claim, new from now on. */
export function renew({ node, claim, pool }: Old, now: Instant): Json[] {
  const template = mapOf(mapOf(pool?.spec).template);
  const metadata = mapOf(template.metadata);
  const spec = mapOf(template.spec);
  const asked = { ...mapOf(metadata.labels), ...labelsFor(spec.requirements, mapOf(mapOf(node.metadata).labels)) };
  const fresh = (old: Json): Json => ({
    ...mapOf(old.metadata),
    name: renewedName(String(mapOf(old.metadata).name)),
    uid: renewedName(String(mapOf(old.metadata).uid)),
    creationTimestamp: formatInstant(now),
    deletionTimestamp: undefined,
    labels: { ...mapOf(mapOf(old.metadata).labels), ...asked },
    annotations: { ...mapOf(metadata.annotations) },
  });
  const { taints: _, unschedulable: __, ...kept } = mapOf(node.spec);
  const renewed: Json = {
    ...node,
    metadata: fresh(node),
    spec: { ...kept, ...(spec.taints ? { taints: spec.taints } : {}) },
    status: { ...mapOf(node.status), conditions: [isTrue('Ready', now)] },
  };
  if (!claim) return [renewed];
  const status = {
    ...mapOf(claim.status),
    nodeName: renewedName(String(mapOf(node.metadata).name)),
    conditions: ['Launched', 'Registered', 'Initialized'].map((type) => isTrue(type, now)),
    lastPodEventTime: formatInstant(now),
  };
  return [renewed, { ...claim, metadata: fresh(claim), spec: { ...mapOf(claim.spec), ...spec }, status }];
}

const isTrue = (type: string, now: Instant): Json => ({ type, status: 'True', lastTransitionTime: formatInstant(now) });

/** Where a node's label is not among those asked for, it gets the first of them. */
function labelsFor(requirements: unknown, labels: Json): Json {
  const wanted: [string, unknown][] = [];
  for (const it of Array.isArray(requirements) ? requirements : []) {
    if (!isMap(it) || it.operator !== 'In' || !Array.isArray(it.values) || it.values.length === 0) continue;
    const key = String(it.key);
    if (!it.values.includes(labels[key])) wanted.push([key, it.values[0]]);
  }
  return Object.fromEntries(wanted);
}
