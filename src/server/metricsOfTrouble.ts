// Metrics for problems that need a user, which the alerts in deploy/monitoring use.
import { compareText } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { isShared } from '../engine/changes/holds.ts';
import { lacksSafetyNet } from '../engine/rules/safetyNet.ts';
import type { Allowance, CommandReport, Round, Verdict } from '../engine/verdict.ts';
import { assumedReplacementTime, hardExpiry } from '../engine/wishes/expired.ts';
import { type Instant, second } from '../time/instant.ts';
import { capped, gaugeOfRound, type Metric, type Sample, tally } from './metric.ts';
import { begunCommands } from './metricsOfRound.ts';

export const troubleMetrics: readonly Metric[] = [
  gaugeOfRound(
    'lull_held_without_end',
    'Nodes that must be disrupted eventually (Drifted, Expired, Unhealthy, Rebalance) and are held until someone acts: neither time nor the disruption of other nodes lifts it.',
    ['nodepool', 'reason'],
    ({ round }) => tally(round.verdicts.filter(isEndless), ({ pool, reason }) => ({ nodepool: pool, reason })),
  ),
  gaugeOfRound(
    'lull_domain_unwell',
    'How many checks of a domain whose nodes are replaced are not healthy yet, so that the turn does not pass (C13).',
    ['nodepool', 'topology_key', 'domain'],
    ({ round }) =>
      round.domains.flatMap(({ pool, topologyKey, domain = '', unwell = [] }) =>
        unwell.length === 0
          ? []
          : [{ labels: { nodepool: pool, topology_key: topologyKey, domain }, value: unwell.length }],
      ),
  ),
  gaugeOfRound(
    'lull_objects_at_fault',
    'Errors in a pool, window or schedule, each of which holds everything the object covers; beyond 100 objects those with the fewest are counted as _other.',
    ['kind', 'name'],
    ({ round }) => atFault(round),
  ),
  gaugeOfRound(
    'lull_command_progress_timestamp_seconds',
    'When the command that has been in a step longest entered it, or its drain last made progress; commands that wait for a pod’s schedule do not count.',
    ['nodepool', 'step'],
    (last) => oldest(begunCommands(last).filter((it) => !waitsForSchedule(it, last.round.at))),
  ),
  gaugeOfRound(
    'lull_expiry_overtaken_nodes',
    'Held expired nodes that reach their hard expiry before the pool can replace them at its current limit (N7). An estimate at five minutes per node, not a simulation.',
    ['nodepool'],
    ({ round, role, cluster }) =>
      cluster ? [...overtaken(round, cluster, role)].map(([nodepool, value]) => ({ labels: { nodepool }, value })) : [],
  ),
  gaugeOfRound(
    'lull_replacements_slow',
    'NodeClaims of a pool that are not Initialized within `replacementSlow` of their creation; in guide Lull offers nothing more in the pool meanwhile (F7).',
    ['nodepool'],
    ({ round }) => tally(round.slowClaims ?? [], ({ pool }) => ({ nodepool: pool })),
  ),
  gaugeOfRound(
    'lull_pool_fields_lost',
    'Pools whose spec has lost the fields that only the patched CRD stores, so that Lull uses its copy (N9).',
    ['nodepool'],
    ({ cluster }) =>
      [...(cluster?.pools.values() ?? [])]
        .filter(({ mirror }) => mirror?.usesCopy)
        .sort((a, b) => compareText(a.name, b.name))
        .map(({ name }) => ({ labels: { nodepool: name }, value: 1 })),
  ),
  gaugeOfRound(
    'lull_pool_without_safety_net',
    "Pools in role guide for which Karpenter's own budgets have no limit at some time or for some reason, so that only Lull limits them (C17).",
    ['nodepool'],
    ({ round, role, cluster }) => (role === 'guide' && cluster ? withoutNet(round, cluster) : []),
  ),
];

function withoutNet({ at, allowances }: Round, { pools }: Cluster): Sample[] {
  const governed = [...new Set(allowances.map(({ pool }) => pool))].sort(compareText);
  return governed.flatMap((nodepool) => {
    const pool = pools.get(nodepool);
    return pool && lacksSafetyNet(pool, at) ? [{ labels: { nodepool }, value: 1 }] : [];
  });
}

/** Reasons that only save money: a node held from them needs no action. */
const saving: readonly Reason[] = ['Empty', 'Underutilized'];

/** Whether the node is held until someone acts. */
function isEndless(verdict: Verdict): boolean {
  const { reason, outcome, possibleAt, refusals } = verdict;
  if (outcome !== 'held' || saving.includes(reason) || isLeaving(verdict)) return false;
  if (possibleAt === 'never') return true;
  const isOwn = refusals.some(({ code, liftsAt }) => liftsAt === undefined && !isShared(code));
  return isOwn || refusals.every(({ liftsAt }) => liftsAt === undefined);
}

/** Kinds whose errors hold nodes. Pod annotations are left out: they belong to the pod's owner, and there may be thousands. */
const steeringKinds: readonly string[] = [
  'NodePool',
  'Provisioner',
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'HealthGate',
];

function atFault({ faults }: Round): Sample[] {
  const wrong = faults.filter(
    ({ object, severity }) => severity === 'error' && steeringKinds.includes(object.split('/')[0] ?? ''),
  );
  const all = tally(wrong, ({ object }) => {
    const [kind = '', ...name] = object.split('/');
    return { kind, name: name.join('/') };
  });
  return capped(all, 'name');
}

/** A drain that waits for a pod's schedule continues by itself (E4). */
const waitsForSchedule = ({ waitingFor = [] }: CommandReport, now: Instant): boolean =>
  waitingFor.some(({ liftsAt }) => liftsAt !== undefined && liftsAt > now);

function oldest(commands: readonly CommandReport[]): Sample[] {
  const groups = Map.groupBy(commands, ({ pool, step }) => `${pool} ${step}`);
  return [...groups.values()].map((them) => ({
    labels: { nodepool: them[0]?.pool ?? '', step: them[0]?.step ?? '' },
    value: Math.min(...them.map(({ stepAt, drain }) => Math.max(stepAt, drain?.progressAt ?? stepAt))) / second,
  }));
}

/** The node is being disrupted for another reason. */
const isLeaving = ({ refusals }: Verdict): boolean => refusals.some(({ code }) => code === 'AlreadyUnderway');

interface ExpiringNode {
  readonly verdict: Verdict;
  /** When Karpenter deletes it in any case. */
  readonly deadline: number;
}

/**
 * How many held expired nodes of each pool reach their hard expiry too early. Assumes a fixed time per replacement and the best possible
 * order, so the real number may be higher, but hardly lower.
 */
export function overtaken(round: Round, cluster: Cluster, role: Settings['role'] | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  // In role observe nodes have no wish before the deadline itself.
  if (role === 'observe') return counts;
  const held = round.verdicts.filter(
    (verdict) => verdict.reason === 'Expired' && verdict.outcome === 'held' && !isLeaving(verdict),
  );
  for (const [pool, verdicts] of Map.groupBy(held, (it) => it.pool)) {
    const allowance = round.allowances.find((it) => it.pool === pool && it.reason === 'Expired');
    const late = tooLate(expiringOf(verdicts, cluster), round.at, allowance);
    if (late > 0) counts.set(pool, late);
  }
  return counts;
}

function expiringOf(verdicts: readonly Verdict[], cluster: Cluster): ExpiringNode[] {
  return verdicts
    .flatMap((verdict) => {
      const view = cluster.node(verdict.node);
      const deadline = view && hardExpiry(view, cluster.pools.get(verdict.pool));
      return deadline === undefined ? [] : [{ verdict, deadline }];
    })
    .sort((a, b) => a.deadline - b.deadline);
}

/** With a limit of zero, nodes are replaced one by one from the next change of the limit, if there is one. */
function tooLate(expiring: readonly ExpiringNode[], now: number, allowance: Allowance | undefined): number {
  const { limit = expiring.length, nextChange } = allowance ?? {};
  const opensAt = limit > 0 ? now : (nextChange ?? Number.POSITIVE_INFINITY);
  const atATime = Math.max(limit, 1);
  let gone = 0;
  let late = 0;
  for (const { verdict, deadline } of expiring) {
    const turn = opensAt + Math.floor(gone / atATime) * assumedReplacementTime;
    // A node that is too late does not use up the limit.
    if (Math.max(turn, freeAt(verdict, now)) + assumedReplacementTime > deadline) late++;
    else gone++;
  }
  return late;
}

/** When a node's own refusals lift. Shared limits lift as other nodes finish, which the caller counts. */
const freeAt = ({ refusals }: Verdict, now: number): number =>
  Math.max(now, ...refusals.map(({ code, liftsAt }) => liftsAt ?? (isShared(code) ? now : Number.POSITIVE_INFINITY)));
