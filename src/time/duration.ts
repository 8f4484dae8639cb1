// Go durations such as 1h30m: parsed exactly as Go does, and formatted without zero units.
import { asDuration, type Duration, hour, minute, second } from './instant.ts';

const nanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  // The micro sign and the Greek letter look alike; Go reads both.
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Go counts nanoseconds in a signed 64-bit integer. */
const beyond = 2n ** 63n;

const part = /(\d*)(?:\.(\d*))?([^\d.]+)/y;

/** What Go's time.ParseDuration makes of the text; undefined where Go reports an error. */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith('-');
  const size = negative || text.startsWith('+') ? text.slice(1) : text;
  if (size === '0') return asDuration(0);
  const total = sumOfParts(size);
  if (total === undefined || total > beyond || (total === beyond && !negative)) return undefined;
  // Whole milliseconds and the rest apart: together they need more digits than a number has.
  const milliseconds = Number(total / 1_000_000n) + Number(total % 1_000_000n) / 1e6;
  return asDuration(negative && total > 0n ? -milliseconds : milliseconds);
}

function sumOfParts(text: string): bigint | undefined {
  let total = 0n;
  let at = 0;
  do {
    part.lastIndex = at;
    const match = part.exec(text);
    if (!match) return undefined;
    const [, whole = '', fraction = '', name = ''] = match;
    const unit = nanoseconds.get(name);
    if (unit === undefined || whole + fraction === '') return undefined;
    total += BigInt(whole) * unit + fractionOf(fraction, Number(unit));
    at = part.lastIndex;
  } while (at < text.length);
  return total;
}

/** Go ignores the digits that no longer fit 63 bits and multiplies in floating point; so do we, to agree to the nanosecond. */
function fractionOf(digits: string, unit: number): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const longer = value * 10n + BigInt(digit);
    if (longer > beyond) break;
    value = longer;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (unit / scale)));
}

/** `1h30m`, `8h`, `0s`. Go has no unit above the hour, so two days are `48h`. */
export function formatDuration(elapsed: Duration): string {
  const sign = elapsed < 0 ? '-' : '';
  const size = Math.abs(elapsed);
  if (size === 0) return '0s';
  if (size < second) return `${sign}${size}ms`;
  const hours = Math.floor(size / hour);
  const minutes = Math.floor((size % hour) / minute);
  const seconds = Math.trunc(size % minute) / second;
  return `${sign}${hours ? `${hours}h` : ''}${minutes ? `${minutes}m` : ''}${seconds ? `${seconds}s` : ''}`;
}
