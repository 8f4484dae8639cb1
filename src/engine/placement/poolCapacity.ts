// Would a replacement go beyond its pool's limits (F5)? What leaves makes room; what is planned already takes it.
import type { Pool } from '../../cluster/model.ts';
import { add, type NodeView, subtract } from '../../cluster/nodeView.ts';
import { formatAmount, type Resources } from '../../cluster/quantity.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Situation } from '../situation.ts';
import type { Shape } from './shapes.ts';

export class PoolCapacity {
  readonly #situation: Situation;
  readonly #usage = new Map<string, Record<string, number>>();

  constructor(situation: Situation) {
    this.#situation = situation;
  }

  /** A sentence naming the limit that would be broken; undefined = there is room. */
  refuse(pool: Pool, leaving: readonly NodeView[], shapes: readonly Shape[]): string | undefined {
    if (Object.keys(pool.limits).length === 0) return undefined;
    const usage = this.#after(pool, leaving, shapes);
    for (const name of Object.keys(pool.limits).sort()) {
      const [used, limit] = [usage[name] ?? 0, pool.limits[name] as number];
      if (used > limit)
        return `the pool's limit of ${formatAmount(name, limit)} would be exceeded (${formatAmount(name, used)})`;
    }
    return undefined;
  }

  keep(pool: Pool, leaving: readonly NodeView[], shapes: readonly Shape[]): void {
    this.#usage.set(pool.name, this.#after(pool, leaving, shapes));
  }

  #after(pool: Pool, leaving: readonly NodeView[], shapes: readonly Shape[]): Record<string, number> {
    const usage = { ...this.#usageOf(pool) };
    for (const { allocatable } of shapes) add(usage, asNode(allocatable));
    // A static pool counts every node there is: Karpenter makes none beyond the number, not even for a moment.
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

/** What a replacement that is not there yet will bring, as far as the catalogue says. */
const sizeOf = (instanceType: string | undefined, { catalogue }: Settings): Resources =>
  catalogue.find(({ name }) => name === instanceType)?.allocatable ?? {};

const asNode = (allocatable: Resources): Resources => ({ ...allocatable, nodes: 1 });
