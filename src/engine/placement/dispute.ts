// Do those who run somewhere keep a pod off a node (F6)? Ports, anti-affinity both ways, spread, affinity, and volumes that are attached.
import type { Row } from './board.ts';
import type { Obstacle } from './obstacle.ts';
import type { ClassRule, NearCheck, RowFacts, SpreadCheck, Tables } from './tables.ts';
import type { Tallies } from './tallies.ts';

interface Ground {
  readonly tables: Tables;
  readonly tallies: Tallies;
  factsOf(row: Row): RowFacts;
}

/** It asks nothing of anybody, and nobody of it. */
export const isPeaceful = ({ forbidden, spread, near, attached }: ClassRule): boolean =>
  forbidden.length === 0 && spread.length === 0 && near === undefined && attached.length === 0;

/** The first thing that does; undefined = nobody does. */
export function disputeAt(row: Row, rule: ClassRule, ground: Ground): Obstacle | undefined {
  const { tallies } = ground;
  const forbidding = forbiddingAt(row, rule, ground);
  if (forbidding) return forbidding;
  for (const check of rule.spread) if (isSkewed(check, row, tallies)) return 'spread';
  if (rule.near && !isNear(rule.near, row, tallies)) return 'affinity';
  return rule.attached.length > 0 && !canAttach(rule.attached, row, ground) ? 'attachments' : undefined;
}

/** Every pod that forbids it is counted once more in `forbidden` than in `excused`, every other one as often in both. */
function forbiddingAt(row: Row, { forbidden, excused }: ClassRule, { tables, tallies }: Ground): Obstacle | undefined {
  // No more than this can be excused anywhere.
  let excusable = 0;
  for (const tally of excused) excusable += tallies.total(tally);
  let apart = 0;
  let last = -1;
  let count = 0;
  for (const tally of forbidden) {
    // Terms of one pod often share a tally.
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

/** A node without the key is no domain, and takes none of them. */
function isSkewed({ tally, maxSkew, minDomains, self }: SpreadCheck, row: Row, tallies: Tallies): boolean {
  if (tallies.domainAt(tally, row) < 0) return true;
  const least = tallies.domains(tally) < minDomains ? 0 : tallies.least(tally);
  return tallies.at(tally, row) + self - least > maxSkew;
}

/** The first of a group that looks for its own kind may go anywhere with the key. */
function isNear({ tallies: sought, self }: NearCheck, row: Row, tallies: Tallies): boolean {
  if (sought.some((tally) => tallies.domainAt(tally, row) < 0)) return false;
  const isFirst = self && sought.every((tally) => tallies.total(tally) === 0);
  return isFirst || sought.every((tally) => tallies.at(tally, row) > 0);
}

function canAttach(attached: ClassRule['attached'], row: Row, ground: Ground): boolean {
  const { tables, tallies } = ground;
  const { limits } = ground.factsOf(row);
  const more = attached.filter(({ volume }) => tallies.at(volume, row) === 0);
  return more.every(({ driver, used }) => {
    const limit = limits[tables.drivers[driver] ?? ''];
    const own = more.filter((it) => it.driver === driver).length;
    return limit === undefined || tallies.at(used, row) + own <= limit;
  });
}
