// J2: what may go in each pool, by which budget and until when; what is wrong with it (C8); and whose turn it is (C12, C13)?
// Karpenter tells an event whenever the status of a condition changes, be it Lull's: so True and False say what seldom changes,
// and the message says the rest. Karpenter's own Ready is made of its own conditions alone.
import type { Fault } from '../cluster/fault.ts';
import type { Pool } from '../cluster/model.ts';
import { compareText } from '../cluster/nodeView.ts';
import type { Settings } from '../cluster/settings.ts';
import { sayWithheld, withheldWhy } from '../engine/gates/offersWithheld.ts';
import { faultOf } from '../engine/gates/poolState.ts';
import type { PoolParking } from '../engine/report/parking.ts';
import { isGoverned } from '../engine/situation.ts';
import type { SlowClaim } from '../engine/slowClaims.ts';
import type { Allowance, DomainReport } from '../engine/verdict.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { turnCondition, turnField, turnOf } from './statusesOfTurns.ts';
import { sayFault } from './statusesOfWindows.ts';
import type { Told, WantedCondition, WantedStatus } from './wantedStatus.ts';

/** What is taken away again of a pool that Lull does not govern any more. */
const nothing = { conditions: [], fields: {} };

export function poolStatuses(told: Told): WantedStatus[] {
  const pools = [...told.facts.cluster.pools.values()].filter(({ provisioner }) => !provisioner);
  const warnings = Map.groupBy(
    told.round.faults.filter(({ severity }) => severity === 'warning'),
    ({ object }) => object,
  );
  return pools
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => {
      const about = { kind: 'NodePool', name: pool.name } as const;
      return isGoverned(pool, told.settings)
        ? { ...about, ...governed(pool, told, warnings.get(`NodePool/${pool.name}`) ?? []) }
        : { ...about, ...nothing };
    });
}

function governed(pool: Pool, told: Told, warnings: readonly Fault[]): Pick<WantedStatus, 'conditions' | 'fields'> {
  const { round, settings } = told;
  const allowances = round.allowances.filter((it) => it.pool === pool.name);
  const fault = faultOf(pool, settings);
  const backoff = round.ledger.backoffs.find((it) => it.pool === pool.name && round.at < it.until)?.until;
  const slow = round.slowClaims?.filter((it) => it.pool === pool.name) ?? [];
  const turn = turnOf(pool, told);
  const lull = {
    role: settings.role,
    allowances: allowances.map(allowanceField),
    ...(fault && { fault: { path: fault.path, message: fault.message } }),
    ...(backoff !== undefined && { backoffUntil: formatInstant(backoff) }),
    ...(slow.length > 0 && { slowClaims: slow.slice(0, mostSlow).map(slowField) }),
    ...(turn && { turn: turnField(turn) }),
  };
  return {
    conditions: [
      readiness(told, {
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
  observe: 'Lull looks on and reports; Karpenter decides by itself.',
  guide: 'Lull says which nodes may go, and Karpenter takes them.',
  drive: 'Lull takes nodes away by its own hands.',
};

/** As many as the definition keeps. */
const mostSlow = 10;

const slowField = ({ claim, node, message }: SlowClaim): unknown => ({ claim, ...(node && { node }), message });

/** What protects nodes that Karpenter creates while no Lull runs. */
function sayNewNodes({ settings, bornParked }: Told): string {
  if (settings.role !== 'guide' || bornParked === undefined) return '';
  return bornParked
    ? ' New nodes are parked from birth.'
    : ' Nodes created while Lull is away are not parked: spec.disruption.budgets alone limits Karpenter then.';
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
  /** What is ignored as it is written (K4). */
  readonly warnings: readonly Fault[];
}

function readiness(told: Told, { fault, backoff, slow, warnings, parking }: Trouble): WantedCondition {
  const type = 'LullReady';
  const { settings } = told;
  const { role } = settings;
  const withheld = withheldWhy(settings);
  if (withheld !== undefined) {
    const message = `${sayWithheld(withheld)} Every governed node stays parked.`;
    return { type, status: 'False', reason: 'OffersWithheld', message };
  }
  if (fault)
    return { type, status: 'False', reason: 'PoolFault', message: `No node of it is moved. ${sayFault(fault)}` };
  // A node that has just been born is parked in a moment: that would only make the condition change to and fro.
  if (parking && parking.late > 0) {
    const all = parking.parked + parking.unparked;
    const message = `Parked ${parking.parked} of ${all} nodes. Until all are parked, Karpenter may take the others by its own budgets.`;
    return { type, status: 'False', reason: 'Parking', message };
  }
  if (backoff !== undefined) {
    const message = `Replacements kept failing. It is tried again at ${formatInstant(backoff)}.`;
    return { type, status: 'False', reason: 'BackingOff', message };
  }
  if (slow.length > 0 && role === 'guide') {
    const message = `Nothing more is offered here until this has changed.${saySlow(slow)}`;
    return { type, status: 'False', reason: 'ReplacementSlow', message };
  }
  const [first = '', ...rest] = role;
  return {
    type,
    status: 'True',
    reason: `${first.toUpperCase()}${rest.join('')}`,
    message: `${roles[role]}${sayNewNodes(told)}${saySlow(slow)}${sayWarnings(warnings)}`,
  };
}

/** The first, and how many more there are. */
function sayWarnings([first, ...more]: readonly Fault[]): string {
  if (!first) return '';
  return ` Warning: ${sayFault(first)}${more.length > 0 ? ` (${more.length} more)` : ''}`;
}

/** What stops the whole pool, whatever its budgets allow. */
function stopped(settings: Settings, fault: Fault | undefined): WantedCondition | undefined {
  const base = { type: 'LullDisruptionAllowed', status: 'False' } as const;
  if (fault) return { ...base, reason: 'PoolFault', message: 'Nothing may go until the fault is mended.' };
  const withheld = withheldWhy(settings);
  return withheld === undefined ? undefined : { ...base, reason: 'OffersWithheld', message: sayWithheld(withheld) };
}

/** By the limits, not by what is left of them: that changes with every node. */
function allowed(allowances: readonly Allowance[], domains: readonly DomainReport[]): WantedCondition {
  const type = 'LullDisruptionAllowed';
  const message = [...sayAllowances(allowances), ...sayDomains(domains)].join(' ');
  return allowances.every(({ limit }) => limit === 0)
    ? { type, status: 'False', reason: 'Frozen', message }
    : { type, status: 'True', reason: 'WithinBudgets', message };
}

/** Reasons of which the same is to be said are named together. */
function sayAllowances(allowances: readonly Allowance[]): string[] {
  const groups = Map.groupBy(allowances, sayAllowance);
  return [...groups].map(([words, them]) => `${them.map(({ reason }) => reason).join(', ')}: ${words}.`);
}

/** C9: drift is bound by each domain as well. */
function sayDomains(domains: readonly DomainReport[]): string[] {
  const byKey = Map.groupBy(domains, ({ topologyKey }) => topologyKey);
  return [...byKey].map(([key, them]) => {
    const each = them.map(({ domain = 'none', left, limit }) => `${domain} ${left} of ${limit}`);
    const more = each.length > mostDomains ? [`and ${each.length - mostDomains} more`] : [];
    return `Drifted in each ${key.split('/').at(-1)}: ${[...each.slice(0, mostDomains), ...more].join(', ')}.`;
  });
}

/** As many as zones anywhere; of racks the first. */
const mostDomains = 10;

function sayAllowance({ limit, consumed, left, budget, nextChange }: Allowance): string {
  const until = nextChange === undefined ? '' : `, until ${formatInstant(nextChange)}`;
  if (limit === undefined) return `no limit${until}`;
  const by = budget === undefined ? '' : ` by budget ${budget}`;
  const used = consumed > 0 ? `, in use: ${consumed}` : '';
  if (limit === 0) return `none may go now${by}${until}`;
  return `${left ?? 0} of ${limit} may go now${by}${used}${until}`;
}

const allowanceField = ({ pool: _, nextChange, ...rest }: Allowance): unknown => ({
  ...rest,
  ...(nextChange !== undefined && { nextChange: formatInstant(nextChange) }),
});
