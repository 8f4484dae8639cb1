// Compares refusals of rounds at two instants by code and owner, not by message.
import type { Refusal, RefusalCode } from '../../src/engine/refusal.ts';
import type { RateReport, Round, Verdict } from '../../src/engine/verdict.ts';
import { readBudgets } from './oracle/budgets.ts';
import { isConsumed, type Seen } from './oracle/cluster.ts';

export const sameWish = ({ node, reason }: Verdict, { verdicts }: Round): Verdict | undefined =>
  verdicts.find((it) => it.node === node && it.reason === reason);

/** The other wishes of a node that is disrupted for one reason are not evaluated. */
export const isTaken = (verdict: Verdict | undefined): boolean =>
  verdict?.refusals.some(({ code }) => code === 'AlreadyUnderway') ?? false;

/** Which of a pool's budgets is the lowest may change; the topology by which they count may not. */
export const isSame = (one: Refusal, other: Refusal, seen: Seen): boolean => ruleOf(one, seen) === ruleOf(other, seen);

/** N4: what holds a wish that Karpenter would try first is reported with this one too. */
const detour = /Karpenter would disrupt it for (\w+) first/g;

function ruleOf({ code, message, owner }: Refusal, { pools }: Seen): string {
  const path = [...message.matchAll(detour)].map(([, reason]) => reason);
  const pool = owner?.kind === 'NodePool' ? pools.find(({ metadata }) => metadata.name === owner.name) : undefined;
  const key = pool && readBudgets(pool)?.[owner?.index ?? -1]?.topologyKey;
  // Each of several rates refuses by itself.
  const index = code === 'RateSpent' ? owner?.index : undefined;
  return [code, ...path, owner?.kind, owner?.namespace, owner?.name, key, index].join(' ');
}

export const sharedCodes: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'RateSpent',
] as const);

/** A wish that lost a unit to another in that round was not refused by the limit itself: there was one at the start of the round. */
export function beganWithRoom(
  { code, owner, message }: Refusal,
  { node, reason }: Verdict,
  round: Round,
  seen: Seen,
): boolean {
  const host = seen.hosts.get(node);
  if (!host || !sharedCodes.has(code)) return false;
  if (code === 'RateSpent') {
    const isIts = (it: RateReport): boolean => JSON.stringify(it.owner) === JSON.stringify(owner);
    return (round.rates ?? []).filter(isIts).every(({ left }) => left > 0);
  }
  const asked = [...message.matchAll(detour)].at(-1)?.[1] ?? reason;
  const labels = host.node.metadata.labels ?? {};
  const mine =
    code === 'BudgetSpent'
      ? round.allowances.filter((it) => it.pool === owner?.name && it.reason === asked)
      : round.domains.filter((it) => it.pool === owner?.name && labels[it.topologyKey] === it.domain);
  // C7: a node that uses a unit already needs no further one.
  const own = isConsumed(host, asked, seen) ? 1 : 0;
  return mine.every(({ limit = Infinity, consumed }) => limit >= Math.max(consumed + 1 - own, 1));
}

export const say = ({ node, reason }: Verdict, { code, message }: Refusal): string =>
  `${code} on ${node} for ${reason} (${message})`;
