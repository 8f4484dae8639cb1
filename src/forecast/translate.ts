// Translates objects of another cluster for the simulator: Karpenter's hashes, half-born nodes, missing finalizers, unreadable budgets.
import { annotation, label } from '../cluster/names.ts';
import { steering } from '../kinds/annotationName.ts';
import { beyondKarpenter } from '../kinds/karpenterBudget.ts';
import type { Json } from '../kinds/reader.ts';
import { terminationFinalizer } from '../sim/actors/cloud/claimObject.ts';
import { hashesOf } from '../sim/actors/karpenter/poolHash.ts';
import type { Node, Pool } from '../sim/actors/manifest.ts';
import { conditionOf } from '../sim/actors/status.ts';
import { dropTaints, taintsOf } from '../sim/actors/taints.ts';
import type { KubeObject } from '../sim/kubeObject.ts';

/** As the box would have written it. */
export function asHere(objects: readonly KubeObject[]): KubeObject[] {
  const pools = new Map(objects.filter(({ kind }) => kind === 'NodePool').map((it) => [it.metadata.name, it as Pool]));
  return objects.filter(isBorn).map((object) => {
    if (object.kind === 'NodePool') return withHash(object, hashOf(object), object as Pool);
    const poolName = object.metadata.labels?.[label.pool];
    if (poolName === undefined || (object.kind !== 'NodeClaim' && object.kind !== 'Node')) return object;
    const pool = pools.get(poolName);
    if (object.kind === 'Node') return finalized(withoutStarting(object as Node));
    return finalized(pool ? withHash(object, hashOf(pool), pool) : object);
  });
}

/**
 * A pool of an observed cluster as guide mode wants it: budgets that Karpenter cannot read move to the annotation (C17). Guide mode would
 * only report them as a fault; `decide` shows Lull's own reading of such a pool in observe mode (N4), and so does its forecast.
 */
export function asGuided(object: KubeObject): KubeObject {
  const spec = object.spec as Json | undefined;
  const disruption = spec?.disruption as Json | undefined;
  const annotations = object.metadata.annotations ?? {};
  const list = disruption?.budgets;
  if (object.kind !== 'NodePool' || annotations[steering.budgets] !== undefined || !beyondKarpenter(list))
    return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [steering.budgets]: JSON.stringify(list) } },
    spec: { ...spec, disruption: { ...disruption, budgets: [] } },
  };
}

const hashOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[annotation.poolHash];

/** Who was made from the pool as it is has its hash, here too; who was not has another, here too. */
function withHash(object: KubeObject, current: string | undefined, pool: Pool): KubeObject {
  if (current === undefined || hashOf(object) !== current) return object;
  const annotations = { ...object.metadata.annotations, ...hashesOf(pool) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Else it would be gone the moment it is deleted, with its pods and its machine still there. */
function finalized(object: KubeObject): KubeObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(terminationFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, terminationFinalizer] } };
}

const unregistered = 'karpenter.sh/unregistered';
const notReady = 'node.kubernetes.io/not-ready';

/** A machine that Karpenter does not know yet joins here once more, by its claim. */
const isBorn = (object: KubeObject): boolean =>
  object.kind !== 'Node' || !taintsOf(object as Node).some(({ key }) => key === unregistered);

/** What is taken off a node when it gets ready is not taken off one that is. */
const withoutStarting = (node: Node): KubeObject =>
  conditionOf(node, 'Ready')?.status === 'True' ? dropTaints(node, ({ key }) => key === notReady) : node;
