// The value of a consolidation: savings per hour and pods moved, computed from a case's own objects, independently of the code
// that decided.
import type { PlainObject } from './objects.ts';
import type { SmallCluster } from './smallCluster.ts';

export interface Worth {
  readonly savings: number;
  readonly podsMoved: number;
}

/** Nodes that are removed together, and their replacements. */
export interface Trade {
  readonly nodes: readonly string[];
  readonly replacements: readonly Wanted[];
}

/** A new node may be any of these; absent = any type. */
export interface Wanted {
  readonly instanceTypes: readonly string[];
  readonly capacityTypes?: readonly string[];
  readonly zones?: readonly string[];
}

interface Type {
  readonly name: string;
  readonly offerings: readonly Offering[];
}

interface Offering {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly available: boolean;
}

export function worthOf(cluster: SmallCluster, trades: readonly Trade[]): Worth {
  let savings = 0;
  let podsMoved = 0;
  for (const { nodes, replacements } of trades) {
    for (const name of nodes) {
      savings += priceOf(cluster, name);
      podsMoved += cluster.pods.filter((pod) => pod.spec?.nodeName === name && isMoved(pod)).length;
    }
    for (const wanted of replacements) savings -= launchPrice(cluster, wanted);
  }
  return { savings, podsMoved };
}

/** The cheapest of its possible types: the launch takes that one. */
function launchPrice({ instanceTypes }: SmallCluster, wanted: Wanted): number {
  const isAsked = (list: readonly string[] | undefined, value: string): boolean =>
    !list?.length || list.includes(value);
  const prices = (instanceTypes as readonly Type[])
    .filter(({ name }) => wanted.instanceTypes.includes(name))
    .flatMap(({ offerings }) => offerings)
    .filter(({ available, zone, capacityType }) => {
      return available && isAsked(wanted.zones, zone) && isAsked(wanted.capacityTypes, capacityType);
    })
    .map(({ price }) => price);
  return Math.min(...prices);
}

/** What a node costs, whether or not it is still available; 0 if unknown. */
function priceOf({ nodes, instanceTypes }: SmallCluster, name: string): number {
  const { labels = {} } = nodes.find(({ metadata }) => metadata.name === name)?.metadata ?? {};
  const type = (instanceTypes as readonly Type[]).find((it) => it.name === labels['node.kubernetes.io/instance-type']);
  const offering = type?.offerings.find(
    ({ zone, capacityType }) =>
      zone === labels['topology.kubernetes.io/zone'] && capacityType === labels['karpenter.sh/capacity-type'],
  );
  return offering?.price ?? 0;
}

/** Pods that are created again elsewhere: not completed ones, and not those of a DaemonSet or of the node itself. */
function isMoved({ metadata, status }: PlainObject): boolean {
  const owners = (metadata.ownerReferences ?? []) as readonly { readonly kind: string }[];
  const phase = (status as { readonly phase?: string } | undefined)?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return false;
  if (metadata.deletionTimestamp !== undefined) return owners.some(({ kind }) => kind === 'StatefulSet');
  return !owners.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}
