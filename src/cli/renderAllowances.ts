// How many more nodes of a pool may go now, for which reasons, and when does that change?
import type { Allowance } from '../engine/verdict.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { sayMoment } from './moment.ts';
import { type Line, plain, styled } from './span.ts';

/** `budget left: Drifted 1 of 2; other reasons 0 of 0 until 2026-11-15 17:00Z (in 3h20m)` */
export function renderAllowances(allowances: readonly Allowance[], now: Instant): Line {
  const groups = [...Map.groupBy(allowances, alike).values()];
  if (groups.length === 0) return [plain('this pool is not there')];
  // The largest group needs no list of names: it is all the others.
  const [rest = []] = groups.toSorted((a, b) => b.length - a.length);
  const ordered = [...groups.filter((group) => group !== rest), rest];
  const restName = groups.length === 1 ? 'any reason' : rest.length === 1 ? (rest[0]?.reason ?? '') : 'other reasons';
  const parts = ordered.flatMap((group, index) => [
    plain(`${index === 0 ? '' : '; '}${group === rest ? restName : group.map(({ reason }) => reason).join(', ')} `),
    ...amount(group[0] as Allowance, now),
  ]);
  return [plain('budget left: '), ...parts];
}

const alike = ({ limit, left, nextChange }: Allowance): string =>
  `${limit} ${left} ${nextChange === undefined ? '' : formatInstant(nextChange)}`;

function amount({ limit, left, nextChange }: Allowance, now: Instant): Line {
  const until = nextChange === undefined ? [] : [plain(` until ${sayMoment(nextChange, now)}`)];
  if (limit === undefined || left === undefined) return [styled('green', 'unlimited'), ...until];
  return [styled(left > 0 ? 'green' : 'yellow', `${left} of ${limit}`), ...until];
}
