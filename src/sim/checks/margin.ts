// Was anything started shortly before what permits it closes (B8)? What is judged by must last as long as the margin.
import { asInstant } from '../../time/instant.ts';
import { isFrozenAt } from './budgets.ts';
import { closedBy } from './podRules.ts';
import { isActive } from './raw.ts';
import { type Finding, finding } from './violation.ts';
import { windowsForbid } from './windows.ts';
import { isForced, isWaived, poolOf, startsOf, type Taken, type Written } from './written.ts';

export function closesSoon(written: Written): Finding[] {
  const { windowMargin } = written.settings;
  if (windowMargin === 0) return [];
  return startsOf(written)
    .filter(({ reason }) => !isForced(reason, written.settings))
    .map((start): Taken => ({ ...start, at: asInstant(start.at + windowMargin) }))
    .flatMap((later) => [
      ...windowsForbid(later, written.sight).map(({ message }) => message),
      ...budgetFreezes(later, written),
      ...podsClose(later, written),
    ])
    .map((message) => finding('B8', `within the margin ${message}`));
}

function budgetFreezes(later: Taken, written: Written): string[] {
  const pool = poolOf(later, written);
  // Who is not counted uses no unit, so no budget binds it.
  return pool && later.host.isCounted && isFrozenAt(pool, later) ? [`${pool.name} is frozen for ${later.reason}`] : [];
}

function podsClose(later: Taken, { sight }: Written): string[] {
  const { host, reason, at } = later;
  if (reason === 'Unhealthy' || isWaived(later)) return [];
  return sight
    .podsOn(host.name)
    .filter((pod) => isActive(pod) && closedBy(pod, at, sight) !== undefined)
    .map(({ metadata }) => `pod ${metadata.namespace}/${metadata.name} on ${host.name} may not be moved any more`);
}
