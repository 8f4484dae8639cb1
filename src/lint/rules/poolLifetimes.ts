// Lint rules about the lifetime of a pool's nodes: drift that waits (P7), expiry, repair, consolidation, and hours that never open (N7).
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { driftWaitOf } from '../../cluster/pool.ts';
import type { Reason } from '../../cluster/reason.ts';
import { limitQuery } from '../../engine/limits/poolBudgets.ts';
import { openByBudgets } from '../../engine/rules/openHours.ts';
import type { Situation } from '../../engine/situation.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { joinPath } from '../../kinds/text/path.ts';
import { any } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, type Duration, earliest, formatInstant, hour, type Instant, minute } from '../../time/instant.ts';
import { andList, someOf } from '../../time/lists.ts';
import { opensAt } from '../../time/window.ts';
import { reasonsOf } from '../facts/budgetText.ts';
import { actingSituation, expiriesOf, expiryHours, replacementRoom } from '../facts/expiry.ts';
import { everOpen, longestClosing, permittingHours, reasonsText } from '../facts/windows.ts';
import { writtenAt } from '../facts/writtenObjects.ts';
import { expireAfterPath, readPools, type WrittenPool, windowSetsOf } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule } from '../rule.ts';

export const poolLifetimesRules: readonly LintRule[] = [
  {
    name: 'consolidation-never', // A3
    severity: 'info',
    finds: 'A pool with a consolidationPolicy and consolidateAfter: Never.',
    why: 'Never switches consolidation off altogether, empty nodes included, whatever the policy says.',
    check: checkEach(readPools, ({ pool, object }, policy) => {
      const isNamed = (holder: string[]): boolean =>
        writtenAt(policy, object, ...holder, 'consolidationPolicy') !== undefined;
      const holder = [['spec', 'disruption'], ['spec']].find(isNamed);
      if (pool.consolidateAfter !== 'Never' || !holder) return undefined;
      return {
        path: `${holder.join('.')}.consolidationPolicy`,
        message: `consolidateAfter: Never switches consolidation off, so this policy has no effect: even empty nodes of ${pool.name} are kept.`,
        suggestion: 'Set consolidateAfter to a duration such as 30s, unless you want no consolidation.',
      };
    }),
  },
  {
    name: 'drift-after-expiry', // P7
    severity: 'warning',
    finds: 'A driftAfter that is as long as the lifetime of the nodes.',
    why: 'Nodes expire before driftAfter has passed, so no node is ever replaced for drift: they are replaced when they expire, on days that are not planned.',
    check: checkEach(readPools, ({ pool, path: budgetsPath }) => {
      const rule = driftWaitOf(pool);
      const lifetime = wishedLifetime(pool);
      if (!rule || lifetime === undefined || rule.wait < lifetime) return undefined;
      return {
        path: rule.budget ? `${budgetsPath}[${rule.budget.index}].driftAfter` : driftAfterPath,
        message: `Nodes of ${pool.name} are replaced for their age after ${formatDuration(lifetime)}, before they have been drifted for ${formatDuration(rule.wait)}: none is ever replaced for drift.`,
        suggestion: 'Use a driftAfter well below the lifetime of the nodes, such as 72h, or let them live longer.',
      };
    }),
  },
  {
    name: 'expiry-before-windows', // N7
    severity: 'warning',
    finds: 'Nodes that reach expireAfter before budgets and MaintenanceWindows next allow disruption for Expired.',
    why: 'Karpenter enforces expireAfter by the clock, regardless of budgets and windows. Such nodes are terminated outside the permitted hours, many at the same time if they were created together.',
    check: checkEach(enforcedPools, (written, policy) => {
      const message = describeNodes(written, actingSituation(policy)) ?? describeFutureNodes(written, policy);
      const suggestion = `Allow disruption of ${written.pool.name} for Expired more often, or make expireAfter longer.`;
      return message === undefined ? undefined : { message, suggestion };
    }),
  },
  {
    name: 'expiry-cannot-finish', // N7
    severity: 'warning',
    finds:
      'A pool whose nodes cannot all be replaced, at its limit and in its open hours, before they reach expireAfter.',
    why: 'Karpenter forcefully terminates the nodes that are left at the deadline, regardless of budgets and windows.',
    check: checkEach(enforcedPools, (written, policy) => {
      const short = shortfall(written, actingSituation(policy));
      const { name } = written.pool;
      if (!short) return undefined;
      return {
        message: `${short.due} nodes of ${name} expire by ${formatInstant(short.by)}, but at its limit and in its open hours only about ${short.room} of them can be replaced before. Karpenter terminates the others forcefully.`,
        suggestion: `Allow more nodes of ${name} at a time for Expired, allow disruption for longer hours, or replace nodes earlier (lull.dev/expire-after).`,
      };
    }),
  },
  {
    name: 'expiry-never-and-drift-frozen',
    severity: 'warning',
    finds: 'A pool with expireAfter: Never whose budgets or MaintenanceWindows never allow disruption for drift.',
    why: 'Neither age nor a new image replaces its nodes: they keep their original image, security holes included, until someone deletes them.',
    check: checkEach(readPools, (written, policy) => {
      const { pool } = written;
      // A Provisioner expires nothing unless it sets ttlSecondsUntilExpired.
      const expires = typeof pool.template.expireAfter === 'number' || typeof pool.expireEarlyAfter === 'number';
      if (expires || pool.provisioner) return undefined;
      const budgets = openByBudgets(pool, 'Drifted');
      const opens = (set: readonly MaintenanceWindow[]): boolean =>
        everOpen([budgets, ...permittingHours(set, 'Drifted')], policy.now);
      if (windowSetsOf(written, policy).some(opens)) return undefined;
      return {
        path: expireAfterPath(policy, written),
        message: `Nodes of ${pool.name} never expire, and its budgets and windows never allow disruption for Drifted: no new image ever reaches them.`,
        suggestion: 'Allow disruption for Drifted at some hour, such as one night a week, or set expireAfter.',
      };
    }),
  },
  {
    name: 'repair-after-short',
    severity: 'info',
    finds: 'A repairAfter below five minutes.',
    why: 'A node that reboots or loses its network for a moment is not Ready for a few minutes. Kubernetes itself waits five minutes before it evicts the pods.',
    check: checkEach(readPools, ({ pool }) => {
      const { repairAfter } = pool;
      if (typeof repairAfter !== 'number' || repairAfter >= least) return undefined;
      return {
        path: pool.provisioner ? 'spec.ttlAfterNotReady' : 'spec.disruption.repairAfter',
        message: `A node of ${pool.name} is replaced when it has not been Ready for ${formatDuration(repairAfter)}: a reboot or a short network outage is enough.`,
        suggestion: `Use at least ${formatDuration(least)}.`,
      };
    }),
  },
  {
    name: 'window-and-budgets-never-meet',
    severity: 'warning',
    finds: 'A pool whose budgets of 0 apply whenever the MaintenanceWindows on its nodes are open.',
    why: 'Budgets and windows must both permit disruption. Each is sensible by itself; together they never permit it.',
    check: checkEach(readPools, (facts, policy) => {
      const { windows, reasons } = closedFor(facts, policy);
      if (reasons.length === 0) return undefined;
      return {
        message: `The budgets of ${facts.pool.name} and the windows on its nodes (${andList([...windows].sort())}) are never open at the same time: nothing is ever disrupted for ${reasonsText(new Set(reasons))}.`,
        suggestion: 'Define the hours in one place: in the windows, or in budgets of 0.',
      };
    }),
  },
];

const driftAfterPath = joinPath('metadata.annotations', steering.driftAfter);

/** The age at which nodes are replaced at the latest; undefined = never. */
function wishedLifetime({ template, expireEarlyAfter }: Pool): Duration | undefined {
  const ages = [template.expireAfter, expireEarlyAfter].filter((age) => typeof age === 'number');
  return ages.length > 0 ? asDuration(Math.min(...ages)) : undefined;
}

/** Pools whose expiry Karpenter enforces by the clock; it never did so for Provisioners. */
function enforcedPools(policy: LintPolicy): WrittenPool[] {
  const isEnforced = ({ pool }: WrittenPool): boolean => !pool.provisioner && !pool.deleting;
  const pools = policy.settings.expiration === 'graceful' ? readPools(policy).filter(isEnforced) : [];
  return pools.map((written) => ({ ...written, path: expireAfterPath(policy, written) }));
}

/** About nodes that exist. */
function describeNodes(written: WrittenPool, situation: Situation): string | undefined {
  const { pool } = written;
  const hours = expiryHours(pool);
  const late = expiriesOf(written, situation).flatMap(({ view, from, deadline }) => {
    const opens = opensAt(hours(view.windows), from);
    return opens !== undefined && opens < deadline ? [] : [{ name: view.node.name, opens, deadline }];
  });
  const [first] = late;
  if (!first) return undefined;
  const at = formatInstant(first.deadline);
  const many = `${late.length} nodes of ${pool.name} when they expire (${someOf(late.map((it) => it.name))}), the first at ${at}`;
  const who = late.length > 1 ? many : `node ${first.name} of ${pool.name} when it expires at ${at}`;
  const opens = first.opens === undefined ? 'never open' : `do not open before ${formatInstant(first.opens)}`;
  return `Karpenter will forcefully terminate ${who}: for Expired, budgets and windows ${opens}.`;
}

/** About future nodes: created at a bad moment, the whole time in which they should be replaced is closed. */
function describeFutureNodes(facts: WrittenPool, policy: LintPolicy): string | undefined {
  const { pool } = facts;
  const lifetime = pool.template.expireAfter;
  if (typeof lifetime !== 'number') return undefined;
  const lead = longestLead(pool, lifetime, policy);
  const hours = expiryHours(pool);
  const closed = Math.max(...windowSetsOf(facts, policy).map((set) => longestClosing(hours(set), policy.now)));
  if (closed < lead) return undefined;
  const length = closed === Infinity ? 'permanently' : `for up to ${formatHours(closed)} at a time`;
  return `Nodes of ${pool.name} live for ${formatDuration(lifetime)} and can be replaced for their age at most ${formatHours(lead)} before that ends, but budgets and windows are closed for Expired ${length}. Karpenter forcefully terminates nodes that expire while they are closed.`;
}

/** The lead is at most this share of the lifetime (N7). */
const mostShare = 0.5;

/** How long before its deadline a node may be disrupted for its age, at most. */
function longestLead({ expireEarlyAfter: early }: Pool, lifetime: Duration, { settings }: LintPolicy): Duration {
  if (typeof early === 'number' && early < lifetime) return asDuration(lifetime - early);
  const most = lifetime * mostShare;
  return asDuration(settings.expireLead === 'auto' ? most : Math.min(settings.expireLead, most));
}

const formatHours = (elapsed: number): string => formatDuration(asDuration(Math.round(elapsed / hour) * hour));

interface Shortfall {
  readonly due: number;
  readonly room: number;
  readonly by: Instant;
}

/** The first deadline by which more nodes are due than can be replaced. If none can be, expiry-before-windows reports that. */
function shortfall(facts: WrittenPool, situation: Situation): Shortfall | undefined {
  const tally = situation.tallies.get(facts.pool.name);
  const expiries = expiriesOf(facts, situation);
  const from = expiries.map((expiry) => expiry.from).reduce<Instant | undefined>(earliest, undefined);
  if (!tally || from === undefined) return undefined;
  const hoursOver = expiryHours(facts.pool);
  const sets = [...new Set(expiries.map(({ view }) => view.windows))];
  const plan = {
    query: limitQuery(tally, 'Expired', situation),
    hours: any(sets.map(hoursOver)),
    windows: sets.flat(),
    nodes: situation.cluster.nodes.filter(({ managed }) => managed),
  };
  let room = 0;
  let at = from;
  // The number of nodes due by each deadline, earlier deadlines included.
  for (const [deadline, due] of new Map(expiries.map((expiry, index) => [expiry.deadline, index + 1]))) {
    room += replacementRoom(plan, at, deadline);
    at = deadline;
    if (room < due) return room === 0 ? undefined : { due, room, by: deadline };
  }
  return undefined;
}

/** A reboot, or a kubelet that restarts, takes a few minutes; Kubernetes itself waits five before it evicts. */
const least = asDuration(5 * minute);

/** The reasons for which budgets and windows each open but never together, and the windows involved. */
function closedFor(
  facts: WrittenPool,
  policy: LintPolicy,
): { windows: ReadonlySet<string>; reasons: readonly Reason[] } {
  const windows = new Set<string>();
  const reasons = reasonsOf(facts.pool, policy.settings).filter((reason) => {
    const budgets = openByBudgets(facts.pool, reason);
    if (!everOpen([budgets], policy.now)) return false;
    const never = windowSetsOf(facts, policy).filter((set) => {
      const hours = permittingHours(set, reason);
      return everOpen(hours, policy.now) && !everOpen([budgets, ...hours], policy.now);
    });
    for (const window of never.flat()) if (window.reasons.has(reason)) windows.add(window.name);
    return never.length > 0;
  });
  return { windows, reasons };
}
