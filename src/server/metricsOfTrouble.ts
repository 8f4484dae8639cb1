// What needs a person, in numbers? What the alerts in deploy/monitoring are made of.
import { compareText } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Cluster } from '../cluster/store.ts';
import { lacksSafetyNet } from '../engine/limits/safetyNet.ts';
import type { CommandReport, Round, Verdict } from '../engine/verdict.ts';
import { type Instant, second } from '../time/instant.ts';
import { begunCommands } from './begun.ts';
import type { Figures, Metric, Sample } from './metric.ts';
import { overtaken } from './overtaken.ts';
import { isLeaving, isShared } from './shared.ts';
import { tally } from './tallied.ts';

interface Seen {
  readonly round: Round;
  readonly role: Figures['role'];
  readonly cluster: Cluster | undefined;
}

const gauge = (
  [name, help]: readonly [name: string, help: string],
  labels: readonly string[],
  of: (seen: Seen) => Sample[],
): Metric => ({
  name,
  type: 'gauge',
  help,
  labels,
  samples: ({ round, role, cluster }: Figures) => (round ? of({ round, role, cluster }) : []),
});

export const troubleMetrics: readonly Metric[] = [
  gauge(
    [
      'lull_held_without_end',
      'Nodes that must go some day (Drifted, Expired, Unhealthy, Rebalance) and are held by something that neither time nor the going of others lifts.',
    ],
    ['nodepool', 'reason'],
    ({ round }) => tally(round.verdicts.filter(isEndless), ({ pool, reason }) => ({ nodepool: pool, reason })),
  ),
  gauge(
    [
      'lull_domain_unwell',
      'Of a domain that has had its turn: how many things are not well yet, so that the roll waits (C13).',
    ],
    ['nodepool', 'topology_key', 'domain'],
    ({ round }) =>
      round.domains.flatMap(({ pool, topologyKey, domain = '', unwell = [] }) =>
        unwell.length === 0
          ? []
          : [{ labels: { nodepool: pool, topology_key: topologyKey, domain }, value: unwell.length }],
      ),
  ),
  gauge(
    [
      'lull_objects_at_fault',
      'Errors in a pool, window or schedule, each of which holds what it is about; beyond 100 objects those with the fewest are counted as _other.',
    ],
    ['kind', 'name'],
    ({ round }) => atFault(round),
  ),
  gauge(
    [
      'lull_command_progress_timestamp_seconds',
      'When the command that has waited longest in a step entered it, or its drain last got on; those that wait for a pod’s hour are left out.',
    ],
    ['nodepool', 'step'],
    ({ round, role }) => oldest(begunCommands(round, role).filter((it) => !waitsForAnHour(it, round.at))),
  ),
  gauge(
    [
      'lull_expiry_overtaken_nodes',
      'Nodes held back from going for their age that their hard expiry will reach before the pool could have replaced them at its present limit (N7); no simulation, an estimate of five minutes a node.',
    ],
    ['nodepool'],
    ({ round, role, cluster }) =>
      cluster ? [...overtaken(round, cluster, role)].map(([nodepool, value]) => ({ labels: { nodepool }, value })) : [],
  ),
  gauge(
    [
      'lull_replacements_slow',
      'NodeClaims of a pool that are not Initialized within `replacementSlow` of their creation; in guide nothing more is offered there meanwhile (F7).',
    ],
    ['nodepool'],
    ({ round }) => tally(round.slowClaims ?? [], ({ pool }) => ({ nodepool: pool })),
  ),
  gauge(
    [
      'lull_pool_fields_lost',
      'Pools whose spec has lost the fields that only a patched CRD keeps, so that Lull goes on from its copy (N9).',
    ],
    ['nodepool'],
    ({ cluster }) =>
      [...(cluster?.pools.values() ?? [])]
        .filter(({ mirror }) => mirror?.stands)
        .sort((a, b) => compareText(a.name, b.name))
        .map(({ name }) => ({ labels: { nodepool: name }, value: 1 })),
  ),
  gauge(
    [
      'lull_pool_without_safety_net',
      "In the role guide: governed pools for which Karpenter's own budgets have no limit, at some hour or for some reason, so that only Lull limits them (C17).",
    ],
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

/** Who stays for want of a better place costs money, and troubles nobody. */
const saving: readonly Reason[] = ['Empty', 'Underutilized'];

/** Somebody must do something: by itself it does not go. */
function isEndless({ reason, outcome, possibleAt, refusals }: Verdict): boolean {
  if (outcome !== 'held' || saving.includes(reason) || isLeaving(refusals)) return false;
  if (possibleAt === 'never') return true;
  const isOwn = refusals.some(({ code, liftsAt }) => liftsAt === undefined && !isShared(code));
  return isOwn || refusals.every(({ liftsAt }) => liftsAt === undefined);
}

/** What holds nodes by being wrong. A pod's own schedule is its owner's business, and there may be thousands. */
const steeringKinds: readonly string[] = ['NodePool', 'Provisioner', 'MaintenanceWindow', 'PodDisruptionSchedule'];
/** A label must not have as many values as people please to make. */
const mostObjects = 100;

function atFault({ faults }: Round): Sample[] {
  const wrong = faults.filter(
    ({ object, severity }) => severity === 'error' && steeringKinds.includes(object.split('/')[0] ?? ''),
  );
  const all = tally(wrong, ({ object }) => {
    const [kind = '', ...name] = object.split('/');
    return { kind, name: name.join('/') };
  }).sort((a, b) => b.value - a.value);
  const rest = Map.groupBy(all.slice(mostObjects), ({ labels }) => labels?.kind ?? '');
  const others = [...rest].map(([kind, them]) => ({
    labels: { kind, name: '_other' },
    value: them.reduce((sum, { value }) => sum + value, 0),
  }));
  return [...all.slice(0, mostObjects), ...others];
}

/** E4: a drain that waits for a pod's window goes on by itself. */
const waitsForAnHour = ({ waitingFor = [] }: CommandReport, now: Instant): boolean =>
  waitingFor.some(({ liftsAt }) => liftsAt !== undefined && liftsAt > now);

function oldest(commands: readonly CommandReport[]): Sample[] {
  const groups = Map.groupBy(commands, ({ pool, step }) => JSON.stringify({ nodepool: pool, step }));
  return [...groups].map(([key, them]) => ({
    labels: JSON.parse(key) as Readonly<Record<string, string>>,
    value: Math.min(...them.map(({ stepAt, drain }) => Math.max(stepAt, drain?.progressAt ?? stepAt))) / second,
  }));
}
