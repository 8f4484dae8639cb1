// The statuses of NodePools, windows, schedules and gates, computed from a round (J2, D8, O6). Nothing is sent here.
// Karpenter emits an event whenever a condition's status changes, Lull's included. So True and False express what seldom changes, and
// the message contains the rest. Karpenter's own Ready depends on its own conditions only.
import { defined } from '../cluster/defined.ts';
import type { Fault } from '../cluster/fault.ts';
import type { Pool } from '../cluster/model.ts';
import { compareText } from '../cluster/nodeView.ts';
import { faultOf } from '../cluster/pool.ts';
import type { Settings } from '../cluster/settings.ts';
import type { RoundWithFacts } from '../engine/changes/roundWithFacts.ts';
import { type TurnProgress, turnOf } from '../engine/changes/turnProgress.ts';
import { describeWithheld, withheldWhy } from '../engine/gates/poolGates.ts';
import { isGoverned } from '../engine/situation.ts';
import type { SlowClaim } from '../engine/slowClaims.ts';
import type { Allowance, DomainReport, PoolParking } from '../engine/verdict.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { sayTurn, turnField } from './turnStatus.ts';

export interface WantedStatus {
  readonly kind: 'NodePool' | 'MaintenanceWindow' | 'PodDisruptionSchedule' | 'HealthGate';
  readonly name: string;
  /** All of Lull's conditions: those that are not in the list any more are removed. */
  readonly conditions: readonly WantedCondition[];
  /** Fields beside the conditions, as they are written. A NodePool's need a CRD that defines them (N9). */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The writer adds since when it holds. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface StatusRound extends RoundWithFacts {
  readonly settings: Settings;
  /** Whether an admission policy parks new nodes at creation (N2). Absent = not known. */
  readonly bornParked?: boolean;
}

export const statusesOf = (seen: StatusRound): WantedStatus[] => [
  ...poolStatuses(seen),
  ...windowStatuses(seen),
  ...gateStatuses(seen),
];

/** Removes Lull's status from a pool that Lull no longer governs. */
const nothing = { conditions: [], fields: {} };

function poolStatuses(seen: StatusRound): WantedStatus[] {
  const pools = [...seen.facts.cluster.pools.values()].filter(({ provisioner }) => !provisioner);
  const warnings = Map.groupBy(
    seen.round.faults.filter(({ severity }) => severity === 'warning'),
    ({ object }) => object,
  );
  return pools
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => {
      const about = { kind: 'NodePool', name: pool.name } as const;
      return isGoverned(pool, seen.settings)
        ? { ...about, ...governed(pool, seen, warnings.get(`NodePool/${pool.name}`) ?? []) }
        : { ...about, ...nothing };
    });
}

function governed(
  pool: Pool,
  seen: StatusRound,
  warnings: readonly Fault[],
): Pick<WantedStatus, 'conditions' | 'fields'> {
  const { round, settings } = seen;
  const allowances = round.allowances.filter((it) => it.pool === pool.name);
  const fault = faultOf(pool, settings);
  const backoff = round.ledger.backoffs.find((it) => it.pool === pool.name && round.at < it.until)?.until;
  const slow = round.slowClaims?.filter((it) => it.pool === pool.name) ?? [];
  const turn = turnOf(pool, seen);
  const lull = defined({
    role: settings.role,
    allowances: allowances.map(({ pool: _, ...rest }) => withInstants(rest)),
    fault: fault && { path: fault.path, message: fault.message },
    backoffUntil: backoff === undefined ? undefined : formatInstant(backoff),
    slowClaims:
      slow.length === 0
        ? undefined
        : slow.slice(0, mostSlow).map(({ claim, node, message }) => defined({ claim, node, message })),
    turn: turn && turnField(turn),
  });
  return {
    conditions: [
      readiness(seen, {
        fault,
        backoff,
        slow,
        warnings,
        parking: round.parking?.find((it) => it.pool === pool.name),
      }),
      stopped(settings, fault) ??
        allowed(
          allowances,
          round.domains.filter((it) => it.pool === pool.name),
        ),
      ...(turn ? [turnCondition(turn)] : []),
    ],
    fields: { lull },
  };
}

const roles: Readonly<Record<Settings['role'], string>> = {
  observe: 'Lull observes and reports; Karpenter decides by itself.',
  guide: 'Lull decides which nodes may be disrupted; Karpenter disrupts them.',
  drive: 'Lull decides which nodes may be disrupted, and disrupts them itself.',
};

/** As many as the CRD allows. */
const mostSlow = 10;

/** What protects nodes that Karpenter creates while Lull is not running. */
function sayNewNodes({ settings, bornParked }: StatusRound): string {
  if (settings.role !== 'guide' || bornParked === undefined) return '';
  return bornParked
    ? ' New nodes are parked at creation.'
    : ' Nodes created while Lull is not running are not parked: only spec.disruption.budgets limits Karpenter then.';
}

function saySlow(slow: readonly SlowClaim[]): string {
  const claims = slow.slice(0, mostSlow).map((it) => ` ${it.message}.`);
  const more = slow.length > mostSlow ? ` And ${slow.length - mostSlow} more.` : '';
  return `${claims.join('')}${more}`;
}

interface Trouble {
  readonly fault: Fault | undefined;
  readonly backoff: Instant | undefined;
  readonly slow: readonly SlowClaim[];
  readonly parking: PoolParking | undefined;
  /** Settings that are ignored as written (K4). */
  readonly warnings: readonly Fault[];
}

function readiness(seen: StatusRound, { fault, backoff, slow, warnings, parking }: Trouble): WantedCondition {
  const type = 'LullReady';
  const { settings } = seen;
  const { role } = settings;
  const withheld = withheldWhy(settings);
  if (withheld !== undefined) {
    const message = `${describeWithheld(withheld)} Every governed node stays parked.`;
    return { type, status: 'False', reason: 'OffersWithheld', message };
  }
  if (fault)
    return {
      type,
      status: 'False',
      reason: 'PoolFault',
      message: `No node of this pool may be disrupted. ${sayFault(fault)}`,
    };
  // A node that was just created is parked in a moment: reporting it would only make the condition flap.
  if (parking && parking.late > 0) {
    const all = parking.parked + parking.unparked;
    const message = `Parked ${parking.parked} of ${all} nodes. Karpenter may disrupt the others by its own budgets until they are parked.`;
    return { type, status: 'False', reason: 'Parking', message };
  }
  if (backoff !== undefined) {
    const message = `Replacements kept failing. Lull tries again at ${formatInstant(backoff)}.`;
    return { type, status: 'False', reason: 'BackingOff', message };
  }
  if (slow.length > 0 && role === 'guide') {
    const message = `No more nodes of this pool are offered until this changes.${saySlow(slow)}`;
    return { type, status: 'False', reason: 'ReplacementSlow', message };
  }
  const [first = '', ...rest] = role;
  return {
    type,
    status: 'True',
    reason: `${first.toUpperCase()}${rest.join('')}`,
    message: `${roles[role]}${sayNewNodes(seen)}${saySlow(slow)}${sayWarnings(warnings)}`,
  };
}

/** The first warning, and how many more there are. */
function sayWarnings([first, ...more]: readonly Fault[]): string {
  if (!first) return '';
  return ` Warning: ${sayFault(first)}${more.length > 0 ? ` (${more.length} more)` : ''}`;
}

/** What stops the whole pool, whatever its budgets allow. */
function stopped(settings: Settings, fault: Fault | undefined): WantedCondition | undefined {
  const base = { type: 'LullDisruptionAllowed', status: 'False' } as const;
  if (fault) return { ...base, reason: 'PoolFault', message: 'No node may be disrupted until the fault is fixed.' };
  const withheld = withheldWhy(settings);
  return withheld === undefined
    ? undefined
    : { ...base, reason: 'OffersWithheld', message: describeWithheld(withheld) };
}

/** Based on the limits, not on what is left of them, which changes with every node. */
function allowed(allowances: readonly Allowance[], domains: readonly DomainReport[]): WantedCondition {
  const type = 'LullDisruptionAllowed';
  const message = [...sayAllowances(allowances), ...sayDomains(domains)].join(' ');
  return allowances.every(({ limit }) => limit === 0)
    ? { type, status: 'False', reason: 'Frozen', message }
    : { type, status: 'True', reason: 'WithinBudgets', message };
}

/** Reasons with the same allowance are listed together. */
function sayAllowances(allowances: readonly Allowance[]): string[] {
  const groups = Map.groupBy(allowances, sayAllowance);
  return [...groups].map(([words, them]) => `${them.map(({ reason }) => reason).join(', ')}: ${words}.`);
}

/** Each domain limits drift as well (C9). */
function sayDomains(domains: readonly DomainReport[]): string[] {
  const byKey = Map.groupBy(domains, ({ topologyKey }) => topologyKey);
  return [...byKey].map(([key, them]) => {
    const each = them.map(({ domain = 'none', left, limit }) => `${domain} ${left} of ${limit}`);
    const more = each.length > mostDomains ? [`and ${each.length - mostDomains} more`] : [];
    return `Drifted per ${key.split('/').at(-1)}: ${[...each.slice(0, mostDomains), ...more].join(', ')}.`;
  });
}

/** Enough for zones; of racks only the first are shown. */
const mostDomains = 10;

function sayAllowance({ limit, consumed, left, budget, nextChange }: Allowance): string {
  const until = nextChange === undefined ? '' : `, until ${formatInstant(nextChange)}`;
  if (limit === undefined) return `no limit${until}`;
  const by = budget === undefined ? '' : ` (budgets[${budget}])`;
  const used = consumed > 0 ? `, ${consumed} in use` : '';
  if (limit === 0) return `no node may be disrupted now${by}${until}`;
  return `${left ?? 0} of ${limit} nodes may be disrupted now${by}${used}${until}`;
}

const turnCondition = (turn: TurnProgress): WantedCondition => ({
  type: 'LullTurn',
  status: turn.state === 'SettleStuck' ? 'False' : 'True',
  reason: turn.state,
  message: sayTurn(turn),
});

/** What each window does right now (D8). */
const windowStatuses = ({ round, facts: { cluster } }: StatusRound): WantedStatus[] =>
  round.windows.map(({ kind, name, open, nextChange, selected, holding }) => {
    const all: readonly { readonly name: string; readonly fault?: Fault }[] =
      kind === 'MaintenanceWindow' ? cluster.windows : cluster.podSchedules;
    const fault = all.find((it) => it.name === name)?.fault;
    const fields = withInstants({ open, nextChange, selected, holding });
    return { kind, name, conditions: [windowReadiness(fault)], fields };
  });

/** What each gate holds (O6). The result of its check is written where it is asked. */
const gateStatuses = ({ round, facts: { cluster } }: StatusRound): WantedStatus[] =>
  (round.gates ?? []).map(({ name, selected, holding }) => {
    const fault = cluster.gates.find((it) => it.name === name)?.fault;
    return { kind: 'HealthGate', name, conditions: [windowReadiness(fault)], fields: { selected, holding } };
  });

const windowReadiness = (fault: Fault | undefined): WantedCondition =>
  fault
    ? {
        type: 'Ready',
        status: 'False',
        reason: 'Fault',
        message: `Until this is fixed, everything it may select is held. ${sayFault(fault)}`,
      }
    : { type: 'Ready', status: 'True', reason: 'InForce', message: 'Valid and in force.' };

const sayFault = ({ path, message }: Fault): string => `${path}: ${message}`;

/** As written: without undefined fields, and with the instant as text. */
const withInstants = <Fields extends { readonly nextChange?: Instant | undefined }>(fields: Fields) =>
  defined({ ...fields, nextChange: fields.nextChange === undefined ? undefined : formatInstant(fields.nextChange) });
