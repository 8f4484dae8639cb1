// The test's own slow cron: minute by minute, straight from Intl. It ignores daylight saving (B3 has tests of its own); the random
// clusters live far from any change of clocks.

const minute = 60_000;
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const ranges: readonly [least: number, most: number][] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];
const longMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface Fields {
  /** Of the day fields: `L`, `6#1`, `sunL` and their like. */
  readonly counted: readonly string[];
  readonly sets: readonly ReadonlySet<number>[];
  readonly eitherDay: boolean;
}

/** Undefined = no cron. */
function readCron(text: string): Fields | undefined {
  const written = { '@daily': '0 0 * * *', '@hourly': '0 * * * *' }[text] ?? text;
  const parts = written.trim().split(/\s+/);
  if (parts.length !== 5) return undefined;
  const sets: Set<number>[] = [];
  const counted: string[] = [];
  for (const [index, part] of parts.entries()) {
    const items = part.split(',');
    const special = index === 2 ? /^L$/ : index === 4 ? /^\w+(#[1-5]|L)$/ : /^$/;
    counted.push(...items.filter((item) => special.test(item)));
    const plain = items.filter((item) => !special.test(item));
    const set = plain.length === 0 ? new Set<number>() : readField(plain.join(), ranges[index] as [number, number]);
    if (!set) return undefined;
    sets.push(set);
  }
  if (sets[4]?.has(7)) sets[4].add(0);
  return { sets, counted, eitherDay: parts[2] !== '*' && parts[4] !== '*' };
}

function readField(text: string, [least, most]: readonly [number, number]): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
    if (!match) return undefined;
    const [, first = '', last, step] = match;
    const from = first === '*' ? least : numberOf(first);
    const to = first === '*' ? most : numberOf(last ?? first);
    if (!(from >= least && to <= most && from <= to)) return undefined;
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

const numberOf = (text: string): number => (names.includes(text) ? names.indexOf(text) : Number(text));

const everFires = ({ counted, sets: [, , dates, months] }: Fields): boolean =>
  counted.length > 0 ||
  [...(months ?? [])].some((month) => [...(dates ?? [])].some((date) => date <= Number(longMonth[month - 1])));

export interface Hours {
  readonly fields: Fields;
  readonly zone: string;
  readonly duration: number;
  readonly key: string;
}

/** `never`: a valid cron, but there is no such day. */
export function readHours(cron: string, duration: number, zone = 'UTC'): Hours | 'never' | undefined {
  const fields = readCron(cron);
  if (!fields || !isZone(zone)) return undefined;
  return everFires(fields) ? { fields, zone, duration, key: `${cron}|${zone}|${duration}` } : 'never';
}

export function isZone(zone: string): boolean {
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}

const known = new Map<string, boolean>();

/** B4: some hit h has h ≤ at < h + duration. */
export function isOpen(hours: Hours, at: number): boolean {
  const key = `${hours.key}|${at}`;
  const said = known.get(key) ?? isOpenSlowly(hours, at);
  known.set(key, said);
  return said;
}

function isOpenSlowly({ fields, zone, duration }: Hours, at: number): boolean {
  for (let hit = Math.floor(at / minute) * minute; hit > at - duration; hit -= minute) {
    if (isHit(fields, hit + offsetAt(zone, hit))) return true;
  }
  return false;
}

const half = minute / 2;
const halvesOfDay = 2880;
const openHalves = new Map<string, Uint8Array>();

/** The same for an instant on a whole or half minute, computed for a day at once. */
export function isOpenOnHalf(hours: Hours, at: number): boolean {
  const day = Math.floor(at / (halvesOfDay * half));
  const key = `${hours.key}|${day}`;
  let known = openHalves.get(key);
  if (!known) {
    known = openInDay(hours, day * halvesOfDay * half);
    openHalves.set(key, known);
  }
  return known[(at - day * halvesOfDay * half) / half] === 1;
}

function openInDay({ fields, zone, duration }: Hours, start: number): Uint8Array {
  const open = new Uint8Array(halvesOfDay);
  const first = Math.floor((start - duration) / minute) * minute;
  for (let hit = first; hit < start + halvesOfDay * half; hit += minute) {
    if (!isHit(fields, hit + offsetAt(zone, hit))) continue;
    open.fill(1, Math.max(0, (hit - start) / half), Math.max(0, Math.ceil((hit + duration - start) / half)));
  }
  return open;
}

/** R1: the day after `L` is a first; the n-th weekday has n − 1 before it in its month, the last none after it. */
function isCounted(part: string, shown: Date): boolean {
  const later = (days: number): Date => new Date(shown.getTime() + days * 24 * 60 * minute);
  if (part === 'L') return later(1).getUTCDate() === 1;
  const [, name = '', nth] = /^(\w+?)(?:#(\d)|L)$/.exec(part) ?? [];
  if (numberOf(name) % 7 !== shown.getUTCDay()) return false;
  if (nth === undefined) return later(7).getUTCMonth() !== shown.getUTCMonth();
  return Math.floor((shown.getUTCDate() - 1) / 7) === Number(nth) - 1;
}

function isHit({ sets, counted, eitherDay }: Fields, wall: number): boolean {
  const [minutes, hours, dates, months, weekdays] = sets;
  const shown = new Date(wall);
  if (!minutes?.has(shown.getUTCMinutes()) || !hours?.has(shown.getUTCHours())) return false;
  if (!months?.has(shown.getUTCMonth() + 1)) return false;
  const among = (isDate: boolean) => counted.some((part) => (part === 'L') === isDate && isCounted(part, shown));
  const byDate = dates?.has(shown.getUTCDate()) || among(true);
  const byWeekday = weekdays?.has(shown.getUTCDay()) || among(false);
  return Boolean(eitherDay ? byDate || byWeekday : byDate && byWeekday);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}

function offsetAt(zone: string, at: number): number {
  const key = `${zone}|${Math.floor(at / (60 * minute))}`;
  const seen = offsets.get(key) ?? askOffset(zone, at);
  offsets.set(key, seen);
  return seen;
}

function askOffset(zone: string, at: number): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)$/.exec(formatOf(zone).format(at)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minute;
}
