// Which pools are to be looked at, with which nodes, and where do their budgets and lifetimes stand?
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { matchesAll, type TextMap } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isGoverned } from '../../engine/situation.ts';
import { steering } from '../../kinds/annotationName.ts';
import { joinPath } from '../../kinds/path.ts';
import type { Policy } from '../rule.ts';
import { valueAt, writtenAs } from './written.ts';

export interface PoolFacts {
  readonly pool: Pool;
  /** `NodePool/name`, or `Provisioner/name`. */
  readonly object: string;
  /** Its managed nodes, by name. */
  readonly nodes: readonly NodeView[];
}

/** The pools that Lull governs and could read, by name. One with a fault moves nothing (C8), and its fault is told. */
export function poolFacts({ cluster, settings }: Policy): PoolFacts[] {
  const nodes = Map.groupBy(
    cluster.nodes.filter(({ managed }) => managed),
    ({ poolName }) => poolName,
  );
  return [...cluster.pools.values()]
    .filter((pool) => !pool.fault && isGoverned(pool, settings))
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => ({
      pool,
      object: `${pool.provisioner ? 'Provisioner' : 'NodePool'}/${pool.name}`,
      nodes: nodes.get(pool.name) ?? [],
    }));
}

/** Where the list of budgets stands that Lull reads (C17). */
export const budgetsPath = ({ budgetsFrom }: Pool): string =>
  budgetsFrom === 'annotation' ? joinPath('metadata.annotations', steering.budgets) : 'spec.disruption.budgets';

/** Where a node's lifetime stands: in v1beta1 it was a field of `disruption`. */
export function expireAfterPath(policy: Policy, { object }: PoolFacts): string {
  const apiVersion = valueAt(writtenAs(policy, object)?.object, 'apiVersion');
  return apiVersion === 'karpenter.sh/v1beta1' ? 'spec.disruption.expireAfter' : 'spec.template.spec.expireAfter';
}

/** The sets of windows that hold over nodes of a pool; where it has none, over those it would make. */
export function windowSetsOf({ pool, nodes }: PoolFacts, { cluster }: Policy): (readonly MaintenanceWindow[])[] {
  if (nodes.length > 0) return [...new Set(nodes.map(({ windows }) => windows))];
  const labels: TextMap = { ...pool.template.labels, ...settled(pool), [label.pool]: pool.name };
  // What no node shows yet may be anything: a window that asks for it may or may not mean this pool.
  const known = ({ selector = [] }: MaintenanceWindow): boolean =>
    selector.every(({ key }) => labels[key] !== undefined) && matchesAll(selector, labels);
  return [sharedSet(cluster.windows.filter(known), cluster)];
}

/** The same windows in one and the same list: what was worked out for one pool holds for a thousand others. */
function sharedSet(set: readonly MaintenanceWindow[], cluster: Cluster): readonly MaintenanceWindow[] {
  const known = sets.get(cluster) ?? new Map<string, readonly MaintenanceWindow[]>();
  sets.set(cluster, known);
  const key = set.map(({ name }) => name).join(' ');
  const shared = known.get(key) ?? set;
  known.set(key, shared);
  return shared;
}

const sets = new WeakMap<Cluster, Map<string, readonly MaintenanceWindow[]>>();

/** Labels that the requirements leave no choice about. */
function settled({ template }: Pool): TextMap {
  const only = template.requirements.filter(({ operator, values }) => operator === 'In' && values.length === 1);
  return Object.fromEntries(only.map(({ key, values }) => [key, values[0] as string]));
}
