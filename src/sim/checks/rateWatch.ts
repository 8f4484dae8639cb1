// Checks that no more nodes of a pool begin than its rate limits allow (P1), with its own record of when nodes began.

import type { RateBudget } from '../../cluster/model.ts';
import type { Instant } from '../../time/instant.ts';
import { isTrue } from '../actors/rawObjects.ts';
import { type KubeObject, labelsOf } from '../kubeObject.ts';
import type { LedgerRecord } from '../ledgerRecord.ts';
import type { ObjectChange } from '../objects.ts';
import {
  type CheckFinding,
  finding,
  isForced,
  isInterrupted,
  type LedgerWrite,
  poolOf,
  type StartedNode,
  startsOf,
} from './ledgerWrite.ts';
import type { Host } from './raw.ts';
import { isBudgetActive, unitsOf } from './startLimits.ts';

/** The first instant at which a node was evicted from, deleted, or taken by Karpenter. */
interface Beginning {
  readonly pool: string | undefined;
  readonly node: string;
  readonly at: Instant;
  /** It was in the ledger then: Lull knows of it even if it disappears while Lull is away. */
  readonly isLulls: boolean;
}

export class RateWatch {
  /** By NodeClaim. */
  readonly #beginnings = new Map<string, Beginning>();

  followClaim({ type, object }: ObjectChange, ledger: LedgerRecord, at: Instant): void {
    const { name, deletionTimestamp } = object.metadata;
    const hasBegun = deletionTimestamp !== undefined || isTrue(object, 'DisruptionReason');
    if (!hasBegun || type === 'DELETED' || this.#beginnings.has(name)) return;
    const isLulls = [...ledger.commands.values()].some(
      ({ nodes, reason }) => reason !== 'Interrupted' && nodes.some(({ claim }) => claim === name),
    );
    this.#note(object, at, isLulls);
  }

  /** In drive a command begins with its first eviction. */
  followLedger({ commands }: LedgerRecord, claimOf: (name: string) => KubeObject | undefined): void {
    for (const { nodes, reason, evictedAt } of commands.values()) {
      if (evictedAt === undefined || reason === 'Interrupted') continue;
      for (const { claim } of nodes) {
        const object = claim === undefined || this.#beginnings.has(claim) ? undefined : claimOf(claim);
        if (object) this.#note(object, evictedAt, true);
      }
    }
  }

  /** A ledger that a person deletes or replaces is all that Lull knew of nodes that are gone. */
  forget(): void {
    this.#beginnings.clear();
  }

  #note(claim: KubeObject, at: Instant, isLulls: boolean): void {
    const pool = labelsOf(claim)['karpenter.sh/nodepool'];
    this.#beginnings.set(claim.metadata.name, { pool, node: String(claim.status?.nodeName ?? ''), at, isLulls });
  }

  check(written: LedgerWrite): CheckFinding[] {
    const chosen: StartedNode[] = [];
    return startsOf(written).flatMap((start) => {
      const wrong = isForced(start.reason, written.settings) ? [] : this.#beyond(start, chosen, written);
      if (start.reason !== 'Interrupted') chosen.push(start);
      return wrong;
    });
  }

  #beyond(start: StartedNode, chosen: readonly StartedNode[], written: LedgerWrite): CheckFinding[] {
    const { host, reason, at } = start;
    const pool = host.isCounted ? poolOf(start, written) : undefined;
    const counted = written.sight.hosts().filter((it) => it.pool === host.pool && it.isCounted).length;
    const binding = (pool?.rates ?? []).filter(
      (rate) => isBudgetActive(rate, at) && (!rate.reasons || [...rate.reasons].some((it) => it === reason)),
    );
    return binding.flatMap((rate) => {
      const others = chosen.filter((it) => it.host.pool === host.pool && it.host.isCounted).length;
      const used = this.#begun(start, rate, written) + this.#waiting(start, written) + others;
      const limit = unitsOf(rate.nodes, counted);
      if (used < limit) return [];
      const message = `${host.name} is started for ${reason}, where ${used} of ${limit} of ${host.pool} began in ${rate.per / 1000} s`;
      return [finding('P1', message)];
    });
  }

  #begun({ host, at }: StartedNode, { per }: RateBudget, { sight }: LedgerWrite): number {
    const isSeen = (seen: Host | undefined): boolean =>
      seen?.isLeaving === true && seen.isCounted && !isInterrupted(seen);
    return [...this.#beginnings.values()].filter(
      (it) => it.pool === host.pool && it.at > at - per && (it.isLulls || isSeen(sight.host(it.node))),
    ).length;
  }

  /** Nodes of commands that have not begun. */
  #waiting({ host }: StartedNode, { before, sight }: LedgerWrite): number {
    const commands = [...before.commands.values()].filter(
      ({ pool, reason }) => pool === host.pool && reason !== 'Interrupted',
    );
    return commands
      .flatMap(({ nodes }) => nodes)
      .filter(({ name, claim }) => sight.host(name)?.isCounted && !this.#beginnings.has(claim ?? '')).length;
  }
}
