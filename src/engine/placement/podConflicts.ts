// Rules about other pods that keep a pod off a node (F6): ports, anti-affinity, spread, affinity, attached volumes.
import type { NodeRows } from './nodeRows.ts';
import type { Obstacle } from './placementRule.ts';
import type { ClassRule, NearCheck, RowId, SpreadCheck, Tables } from './tables.ts';
import type { Tallies } from './tallies.ts';

/** The counts that the checks read. */
interface Counted {
  readonly tables: Tables;
  readonly tallies: Tallies;
  readonly rows: NodeRows;
}

/** No rule about other pods applies: neither its own nor theirs. */
export const hasNoPodRules = ({ forbidden, spread, near, attached }: ClassRule): boolean =>
  forbidden.length === 0 && spread.length === 0 && near === undefined && attached.length === 0;

/** The first obstacle; undefined = none. */
export function conflictAt(row: RowId, rule: ClassRule, counted: Counted): Obstacle | undefined {
  const { tallies } = counted;
  const forbidding = forbiddingAt(row, rule, counted);
  if (forbidding) return forbidding;
  for (const check of rule.spread) if (isSkewed(check, row, counted)) return 'spread';
  if (rule.near && !isNear(rule.near, row, tallies)) return 'affinity';
  return rule.attached.length > 0 && !canAttach(rule.attached, row, counted) ? 'attachments' : undefined;
}

/** A pod that conflicts is counted once more in `forbidden` than in `excused`, every other pod equally often in both. */
function forbiddingAt(
  row: RowId,
  { forbidden, excused }: ClassRule,
  { tables, tallies }: Counted,
): Obstacle | undefined {
  // At most this many are excused on any node.
  let excusable = 0;
  for (const tally of excused) excusable += tallies.total(tally);
  let apart = 0;
  let last = -1;
  let count = 0;
  for (const tally of forbidden) {
    // Terms of a pod often share a tally.
    if (tally !== last) count = tallies.at(tally, row);
    last = tally;
    if (count <= 0) continue;
    const obstacle = tables.tallies[tally]?.obstacle ?? 'antiAffinity';
    if (obstacle !== 'antiAffinity') return obstacle;
    apart += count;
    if (apart > excusable) return obstacle;
  }
  if (apart === 0) return undefined;
  for (const tally of excused) if (tallies.total(tally) > 0) apart -= tallies.at(tally, row);
  return apart > 0 ? 'antiAffinity' : undefined;
}

/** A node without the topology key is not in any domain and takes no such pod. */
function isSkewed(check: SpreadCheck, row: RowId, { tables, tallies }: Counted): boolean {
  const { tally, maxSkew, minDomains, isZonal, self } = check;
  if (tallies.domainAt(tally, row) < 0) return true;
  const wanted = isZonal ? Math.max(minDomains, tables.zones) : minDomains;
  const least = tallies.domains(tally) < wanted ? 0 : tallies.least(tally);
  return tallies.at(tally, row) + self - least > maxSkew;
}

/** The first pod of a group whose affinity selects itself may go to any node with the key. */
function isNear({ tallies: sought, self }: NearCheck, row: RowId, tallies: Tallies): boolean {
  if (sought.some((tally) => tallies.domainAt(tally, row) < 0)) return false;
  const isFirst = self && sought.every((tally) => tallies.total(tally) === 0);
  return isFirst || sought.every((tally) => tallies.at(tally, row) > 0);
}

function canAttach(attached: ClassRule['attached'], row: RowId, counted: Counted): boolean {
  const { tables, tallies, rows } = counted;
  const { limits = {} } = rows.factsOf(row) ?? {};
  const more = attached.filter(({ volume }) => tallies.at(volume, row) === 0);
  return more.every(({ driver, used }) => {
    const limit = limits[tables.drivers[driver] ?? ''];
    const own = more.filter((it) => it.driver === driver).length;
    return limit === undefined || tallies.at(used, row) + own <= limit;
  });
}
