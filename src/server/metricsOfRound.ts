// What does the last round look like in numbers? Upstream's names, with its labels, where the meaning is the same.
import { budgetReasons } from '../cluster/reason.ts';
import type { RefusalCode } from '../engine/refusal.ts';
import type { PodReport, Round, Verdict } from '../engine/verdict.ts';
import { isDeferred } from '../runtime/noticesOfHolds.ts';
import { second } from '../time/instant.ts';
import { begunCommands } from './begun.ts';
import type { Figures, Metric, Sample } from './metric.ts';
import { isShared } from './shared.ts';
import { type Labels, tally } from './tallied.ts';

/** A figure of the last round; without one there is nothing to say. */
const gauge = (
  name: string,
  help: string,
  labels: readonly string[],
  of: (round: Round, role: Figures['role']) => Sample[],
): Metric => ({
  name,
  type: 'gauge',
  help,
  labels,
  samples: ({ round, role }: Figures) => (round ? of(round, role) : []),
});

export const roundMetrics: readonly Metric[] = [
  gauge(
    'karpenter_nodepools_allowed_disruptions',
    'How many more nodes of a pool may go now for a reason; absent where there is no limit.',
    ['nodepool', 'reason'],
    ({ allowances }) =>
      allowances.flatMap(({ pool, reason, left }) =>
        left === undefined ? [] : [{ labels: upstream(pool, reason), value: left }],
      ),
  ),
  gauge(
    'karpenter_nodepools_nodes_consuming_budgets',
    'How many nodes of a pool use up its budgets now.',
    ['nodepool', 'reason'],
    ({ allowances }) =>
      allowances.map(({ pool, reason, consumed }) => ({ labels: upstream(pool, reason), value: consumed })),
  ),
  gauge(
    'karpenter_voluntary_disruption_eligible_nodes',
    'Nodes that would go for a reason if only what they share with others let them.',
    ['reason'],
    ({ verdicts }) =>
      budgetReasons.map((reason) => ({
        labels: { reason: reason.toLowerCase() },
        value: verdicts.filter((it) => it.reason === reason && isEligible(it)).length,
      })),
  ),
  gauge(
    'lull_wishes',
    'Nodes with a reason to go, and what became of it: go, held or underway.',
    ['nodepool', 'reason', 'outcome'],
    ({ verdicts }) => tally(verdicts, ({ pool, reason, outcome }) => ({ nodepool: pool, reason, outcome })),
  ),
  gauge('lull_held_nodes', 'Nodes that are held, by what holds them.', ['nodepool', 'code'], ({ verdicts }) =>
    tally(heldOnce(verdicts), ({ pool, code }) => ({ nodepool: pool, code })),
  ),
  gauge('lull_commands', 'Commands under way, by how far they are.', ['nodepool', 'reason', 'step'], (round, role) =>
    tally(begunCommands(round, role), ({ pool, reason, step }) => ({ nodepool: pool, reason, step })),
  ),
  gauge(
    'lull_turn',
    'Where domains go one after another: 1 for each, with how far it is (turn, settling, waiting, done).',
    ['nodepool', 'topology_key', 'domain', 'state'],
    ({ domains }) =>
      domains.map(({ pool, topologyKey, domain = '', state }) => ({
        labels: { nodepool: pool, topology_key: topologyKey, domain, state },
        value: 1,
      })),
  ),
  gauge('lull_window_open', 'Whether a window is open now.', ['kind', 'name'], ({ windows }) =>
    windows.map(({ kind, name, open }) => ({ labels: { kind, name }, value: Number(open) })),
  ),
  gauge(
    'lull_window_holding',
    'How many nodes a MaintenanceWindow, or pods a PodDisruptionSchedule, holds back now.',
    ['kind', 'name'],
    ({ windows }) => windows.map(({ kind, name, holding }) => ({ labels: { kind, name }, value: holding })),
  ),
  gauge(
    'lull_pods_protected',
    'Pods that a schedule of theirs keeps where they are now; beyond 100 namespaces the smallest are counted as _other.',
    ['namespace'],
    ({ pods }) => byNamespace(pods.filter(isDeferred)),
  ),
  gauge(
    'lull_evictions_deferred',
    'Of those, pods on nodes that are being drained now; beyond 100 namespaces the smallest are counted as _other.',
    ['namespace'],
    (round) => byNamespace(draining(round)),
  ),
  gauge(
    'lull_nodes_to_park',
    'Nodes of a pool that must be parked (guide): all but those that are offered, taken, or kept by an annotation of a user.',
    ['nodepool'],
    ({ parking = [] }) =>
      parking.map(({ pool, parked, unparked }) => ({ labels: { nodepool: pool }, value: parked + unparked })),
  ),
  gauge('lull_nodes_parked', 'Of those, nodes that are parked.', ['nodepool'], ({ parking = [] }) =>
    parking.map(({ pool, parked }) => ({ labels: { nodepool: pool }, value: parked })),
  ),
  gauge('lull_faults', 'What is wrong with what people wrote.', ['kind', 'severity'], ({ faults }) =>
    tally(faults, ({ object, severity }) => ({ kind: object.split('/')[0] ?? '', severity })),
  ),
  gauge('lull_round_timestamp_seconds', 'When the last round was decided.', [], ({ at }) => [{ value: at / second }]),
];

/** Karpenter writes reasons in small letters. */
const upstream = (pool: string, reason: string): Labels => ({ nodepool: pool, reason: reason.toLowerCase() });

const isEligible = ({ outcome, refusals }: Verdict): boolean =>
  outcome === 'go' || (outcome === 'held' && refusals.every(({ code }) => isShared(code)));

/** A node counts once for a code, whatever its reasons to go. */
function heldOnce(verdicts: readonly Verdict[]): { readonly pool: string; readonly code: RefusalCode }[] {
  const seen = new Map<string, { readonly pool: string; readonly code: RefusalCode }>();
  for (const { node, pool, outcome, refusals } of verdicts) {
    if (outcome !== 'held') continue;
    for (const { code } of refusals) seen.set(`${code} ${node}`, { pool, code });
  }
  return [...seen.values()];
}

function draining({ commands, pods }: Round): PodReport[] {
  const waiting = commands.filter(({ waitingFor = [] }) => waitingFor.length > 0);
  const nodes = new Set(waiting.flatMap((command) => command.nodes.map(({ name }) => name)));
  return pods.filter((pod) => nodes.has(pod.node) && isDeferred(pod));
}

/** A label must not have as many values as people please to make. */
const mostNamespaces = 100;

function byNamespace(pods: readonly PodReport[]): Sample[] {
  const all = tally(pods, ({ namespace }) => ({ namespace })).sort((a, b) => b.value - a.value);
  const rest = all.slice(mostNamespaces).reduce((sum, { value }) => sum + value, 0);
  const kept = all.slice(0, mostNamespaces);
  return rest > 0 ? [...kept, { labels: { namespace: '_other' }, value: rest }] : kept;
}
