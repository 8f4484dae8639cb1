// The replacement of a node in a what-if: a similar node from the pool's current template.
import { isMap, type Json, mapIn } from '../kinds/read/reader.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

/** No Kubernetes name contains this character, so there are no collisions. */
const mark = '~';

export const replacedName = (name: string): string => `${name}${mark}`;

interface ReplacedNode {
  readonly node: Json;
  readonly claim: Json | undefined;
  readonly pool: Json | undefined;
}

/** The new node and its claim. */
export function replaceNode({ node, claim, pool }: ReplacedNode, now: Instant): Json[] {
  const template = mapIn(mapIn(pool?.spec).template);
  const metadata = mapIn(template.metadata);
  const spec = mapIn(template.spec);
  const asked = { ...mapIn(metadata.labels), ...labelsFor(spec.requirements, mapIn(mapIn(node.metadata).labels)) };
  const fresh = (old: Json): Json => ({
    ...mapIn(old.metadata),
    name: replacedName(String(mapIn(old.metadata).name)),
    uid: replacedName(String(mapIn(old.metadata).uid)),
    creationTimestamp: formatInstant(now),
    deletionTimestamp: undefined,
    labels: { ...mapIn(mapIn(old.metadata).labels), ...asked },
    annotations: { ...mapIn(metadata.annotations) },
  });
  const { taints: _, unschedulable: __, ...kept } = mapIn(node.spec);
  const renewed: Json = {
    ...node,
    metadata: fresh(node),
    spec: { ...kept, ...(spec.taints ? { taints: spec.taints } : {}) },
    status: { ...mapIn(node.status), conditions: [isTrue('Ready', now)] },
  };
  if (!claim) return [renewed];
  const status = {
    ...mapIn(claim.status),
    nodeName: replacedName(String(mapIn(node.metadata).name)),
    conditions: ['Launched', 'Registered', 'Initialized'].map((type) => isTrue(type, now)),
    lastPodEventTime: formatInstant(now),
  };
  return [renewed, { ...claim, metadata: fresh(claim), spec: { ...mapIn(claim.spec), ...spec }, status }];
}

const isTrue = (type: string, now: Instant): Json => ({ type, status: 'True', lastTransitionTime: formatInstant(now) });

/** A label that violates a requirement gets the first allowed value. */
function labelsFor(requirements: unknown, labels: Json): Json {
  const wanted: [string, unknown][] = [];
  for (const it of Array.isArray(requirements) ? requirements : []) {
    if (!isMap(it) || it.operator !== 'In' || !Array.isArray(it.values) || it.values.length === 0) continue;
    const key = String(it.key);
    if (!it.values.includes(labels[key])) wanted.push([key, it.values[0]]);
  }
  return Object.fromEntries(wanted);
}
