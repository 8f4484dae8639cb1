// Pool limits for replacements (F5): leaving nodes free capacity, planned replacements use it.
import type { Pool } from '../../cluster/model.ts';
import { add, type NodeView, subtract } from '../../cluster/nodeView.ts';
import { formatAmount, type Resources } from '../../cluster/quantity.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Situation } from '../situation.ts';
import type { NodeShape } from './nodeShapes.ts';

export class PoolCapacity {
  readonly #situation: Situation;
  readonly #usage = new Map<string, Record<string, number>>();

  constructor(situation: Situation) {
    this.#situation = situation;
  }

  /** A message naming the limit that would be exceeded; undefined = within the limits. */
  refuse(pool: Pool, leaving: readonly NodeView[], shapes: readonly NodeShape[]): string | undefined {
    if (Object.keys(pool.limits).length === 0) return undefined;
    const usage = this.#after(pool, leaving, shapes);
    for (const name of Object.keys(pool.limits).sort()) {
      const [used = 0, limit = used] = [usage[name], pool.limits[name]];
      if (used > limit)
        return `the pool's limit of ${formatAmount(name, limit)} would be exceeded (${formatAmount(name, used)})`;
    }
    return undefined;
  }

  keep(pool: Pool, leaving: readonly NodeView[], shapes: readonly NodeShape[]): void {
    this.#usage.set(pool.name, this.#after(pool, leaving, shapes));
  }

  #after(pool: Pool, leaving: readonly NodeView[], shapes: readonly NodeShape[]): Record<string, number> {
    const usage = { ...this.#usageOf(pool) };
    for (const { allocatable } of shapes) add(usage, asNode(allocatable));
    // A static pool counts leaving nodes too: Karpenter never exceeds its number of nodes, not even briefly.
    if (pool.replicas !== undefined) return usage;
    for (const { poolName, node } of leaving) if (poolName === pool.name) subtract(usage, asNode(node.allocatable));
    return usage;
  }

  #usageOf(pool: Pool): Record<string, number> {
    const known = this.#usage.get(pool.name);
    if (known) return known;
    const usage: Record<string, number> = {};
    const { tallies, inFlight, ledger, settings } = this.#situation;
    for (const { node } of tallies.get(pool.name)?.nodes ?? []) {
      if (pool.replicas !== undefined || !inFlight.has(node.name)) add(usage, asNode(node.allocatable));
    }
    const arrived = new Set(tallies.get(pool.name)?.nodes.map(({ claim }) => claim?.name));
    for (const command of ledger.commands) {
      for (const { name, pool: owner, instanceType } of command.replacements) {
        if (owner === pool.name && !arrived.has(name)) add(usage, asNode(sizeOf(instanceType, settings)));
      }
    }
    this.#usage.set(pool.name, usage);
    return usage;
  }
}

/** The size of a replacement that has not joined yet, if the catalogue has its type. */
const sizeOf = (instanceType: string | undefined, { catalogue }: Settings): Resources =>
  catalogue.find(({ name }) => name === instanceType)?.allocatable ?? {};

const asNode = (allocatable: Resources): Resources => ({ ...allocatable, nodes: 1 });
