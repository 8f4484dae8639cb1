// How long is a server left alone that said no? Longer and longer, and never for just as long as others leave it.
import { asDuration, type Duration, second } from '../time/instant.ts';

const first = asDuration(second / 2);
const longest = asDuration(30 * second);

/** After this many failures in a row, with chance from 0 to 1: half as long up to one and a half times as long. */
export function backoff(failures: number, chance: number, retryAfter: Duration = asDuration(0)): Duration {
  const base = Math.min(first * 2 ** Math.max(0, failures - 1), longest);
  const spread = Math.round(base * (0.5 + chance));
  // What the server asks for is the least; all who were asked alike must not come back at once.
  return asDuration(retryAfter > spread ? Math.round(retryAfter * (1 + chance / 4)) : spread);
}
