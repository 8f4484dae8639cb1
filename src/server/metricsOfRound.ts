// Metrics of the last round. Metrics with the same meaning as Karpenter's have its names and labels.
import { budgetReasons } from '../cluster/reason.ts';
import { deferredPods, isDeferred, isShared } from '../engine/changes/holds.ts';
import type { RefusalCode } from '../engine/refusal.ts';
import type { CommandReport, PodReport, Verdict } from '../engine/verdict.ts';
import { second } from '../time/instant.ts';
import type { Labels } from './meter.ts';
import { capped, gaugeOfRound, type Metric, type OfRound, type Sample, tally } from './metric.ts';

export const roundMetrics: readonly Metric[] = [
  gaugeOfRound(
    'karpenter_nodepools_allowed_disruptions',
    'How many more nodes of a pool may be disrupted now for a reason; absent if there is no limit.',
    ['nodepool', 'reason'],
    ({ round: { allowances } }) =>
      allowances.flatMap(({ pool, reason, left }) =>
        left === undefined ? [] : [{ labels: upstream(pool, reason), value: left }],
      ),
  ),
  gaugeOfRound(
    'karpenter_nodepools_nodes_consuming_budgets',
    'How many nodes of a pool count against its budgets now.',
    ['nodepool', 'reason'],
    ({ round: { allowances } }) =>
      allowances.map(({ pool, reason, consumed }) => ({ labels: upstream(pool, reason), value: consumed })),
  ),
  gaugeOfRound(
    'karpenter_voluntary_disruption_eligible_nodes',
    'Nodes that would be disrupted for a reason if shared limits, such as budgets, allowed it.',
    ['reason'],
    ({ round: { verdicts } }) =>
      budgetReasons.map((reason) => ({
        labels: { reason: reason.toLowerCase() },
        value: verdicts.filter((it) => it.reason === reason && isEligible(it)).length,
      })),
  ),
  gaugeOfRound(
    'lull_wishes',
    'Nodes with a reason to be disrupted, by outcome: go, held or underway.',
    ['nodepool', 'reason', 'outcome'],
    ({ round: { verdicts } }) => tally(verdicts, ({ pool, reason, outcome }) => ({ nodepool: pool, reason, outcome })),
  ),
  gaugeOfRound(
    'lull_held_nodes',
    'Nodes that are held, by refusal code.',
    ['nodepool', 'code'],
    ({ round: { verdicts } }) => tally(heldOnce(verdicts), ({ pool, code }) => ({ nodepool: pool, code })),
  ),
  gaugeOfRound('lull_commands', 'Commands in progress, by step.', ['nodepool', 'reason', 'step'], (last) =>
    tally(begunCommands(last), ({ pool, reason, step }) => ({ nodepool: pool, reason, step })),
  ),
  gaugeOfRound(
    'lull_turn',
    'Domains of a sequential roll: 1 for each, with its state (turn, settling, waiting, done).',
    ['nodepool', 'topology_key', 'domain', 'state'],
    ({ round: { domains } }) =>
      domains.map(({ pool, topologyKey, domain = '', state }) => ({
        labels: { nodepool: pool, topology_key: topologyKey, domain, state },
        value: 1,
      })),
  ),
  gaugeOfRound('lull_window_open', 'Whether a window is open now.', ['kind', 'name'], ({ round: { windows } }) =>
    windows.map(({ kind, name, open }) => ({ labels: { kind, name }, value: Number(open) })),
  ),
  gaugeOfRound(
    'lull_window_holding',
    'How many nodes a MaintenanceWindow, or pods a PodDisruptionSchedule, holds now.',
    ['kind', 'name'],
    ({ round: { windows } }) => windows.map(({ kind, name, holding }) => ({ labels: { kind, name }, value: holding })),
  ),
  gaugeOfRound(
    'lull_health_gate_state',
    'HealthGates: 1 for each, with its state (open, closed, recovering, unknown).',
    ['name', 'state'],
    ({ round: { gates = [] } }) => gates.map(({ name, state }) => ({ labels: { name, state }, value: 1 })),
  ),
  gaugeOfRound(
    'lull_health_gate_holding',
    'How many nodes a HealthGate holds now.',
    ['name'],
    ({ round: { gates = [] } }) => gates.map(({ name, holding }) => ({ labels: { name }, value: holding })),
  ),
  gaugeOfRound(
    'lull_pods_protected',
    'Pods that their own schedule holds now; beyond 100 namespaces the smallest are counted as _other.',
    ['namespace'],
    ({ round: { pods } }) => byNamespace(pods.filter(isDeferred)),
  ),
  gaugeOfRound(
    'lull_evictions_deferred',
    'Pods of lull_pods_protected on nodes that are being drained now; beyond 100 namespaces the smallest are counted as _other.',
    ['namespace'],
    ({ round }) => byNamespace(deferredPods(round)),
  ),
  gaugeOfRound(
    'lull_nodes_to_park',
    "Nodes of a pool that must be parked (guide): all but those offered, taken, or protected by a user's annotation.",
    ['nodepool'],
    ({ round: { parking = [] } }) =>
      parking.map(({ pool, parked, unparked }) => ({ labels: { nodepool: pool }, value: parked + unparked })),
  ),
  gaugeOfRound(
    'lull_nodes_parked',
    'Nodes of lull_nodes_to_park that are parked.',
    ['nodepool'],
    ({ round: { parking = [] } }) => parking.map(({ pool, parked }) => ({ labels: { nodepool: pool }, value: parked })),
  ),
  gaugeOfRound(
    'lull_faults',
    'Faults in objects, by kind and severity.',
    ['kind', 'severity'],
    ({ round: { faults } }) =>
      tally(faults, ({ object, severity }) => ({ kind: object.split('/')[0] ?? '', severity })),
  ),
  gaugeOfRound('lull_round_timestamp_seconds', 'When the last round was decided.', [], ({ round: { at } }) => [
    { value: at / second },
  ]),
];

/** Karpenter's labels have reasons in lower case. */
const upstream = (pool: string, reason: string): Labels => ({ nodepool: pool, reason: reason.toLowerCase() });

const isEligible = ({ outcome, refusals }: Verdict): boolean =>
  outcome === 'go' || (outcome === 'held' && refusals.every(({ code }) => isShared(code)));

/** Counts a node once per code, even if it has several reasons. */
function heldOnce(verdicts: readonly Verdict[]): { readonly pool: string; readonly code: RefusalCode }[] {
  const seen = new Map<string, { readonly pool: string; readonly code: RefusalCode }>();
  for (const { node, pool, outcome, refusals } of verdicts) {
    if (outcome !== 'held') continue;
    for (const { code } of refusals) seen.set(`${code} ${node}`, { pool, code });
  }
  return [...seen.values()];
}

const byNamespace = (pods: readonly PodReport[]): Sample[] =>
  capped(
    tally(pods, ({ namespace }) => ({ namespace })),
    'namespace',
  );

/** Commands that are really in progress. In role observe Lull starts none: those in progress were started in another role (N1). */
export function begunCommands({ round: { commands, verdicts }, role }: OfRound): readonly CommandReport[] {
  if (role !== 'observe') return commands;
  const go = new Set(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
  return commands.filter(({ nodes }) => !nodes.some(({ name }) => go.has(name)));
}
