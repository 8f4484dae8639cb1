// An independent reading of plain cron texts, in UTC: stars, numbers, ranges, lists and steps, minute by minute.

const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** The hits of two days from that minute; undefined where the text is not plain, or a number is out of range. */
export function cronHits(text: string, from: number): number[] | undefined {
  const fields = text.trim().split(/ +/);
  if (fields.length !== 5 || fields.some((field) => !/^[\d*,/-]+$/.test(field))) return undefined;
  const sets = fields.map((field, index) => valuesOf(field, limits[index] ?? [0, 0]));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, dates, months, weekdays] = sets.map((set) => new Set(set));
  // Cron's rule of days: both are restricted = either is enough. A star with a step is a restriction, as in Karpenter's library.
  const isFree = (field = ''): boolean => field.split(',').some((part) => /^\*(\/0*1)?$/.test(part));
  const either = !isFree(fields[2]) && !isFree(fields[4]);
  const hits: number[] = [];
  for (let at = from; at < from + 2 * 86_400_000; at += 60_000) {
    const date = new Date(at);
    if (!minutes?.has(date.getUTCMinutes()) || !hours?.has(date.getUTCHours())) continue;
    if (!months?.has(date.getUTCMonth() + 1)) continue;
    const [byDate, byDay] = [dates?.has(date.getUTCDate()) === true, weekdays?.has(date.getUTCDay()) === true];
    if (either ? byDate || byDay : byDate && byDay) hits.push(at);
  }
  return hits;
}

function valuesOf(field: string, [low, high]: readonly [number, number]): number[] | undefined {
  const values: number[] = [];
  for (const part of field.split(',')) {
    const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (!match) return undefined;
    const [, first, last, step] = match;
    const start = first === undefined ? low : Number(first);
    const end = first === undefined ? high : last !== undefined ? Number(last) : step !== undefined ? high : start;
    const by = step === undefined ? 1 : Number(step);
    if (by === 0 || start < low || end > high || start > end) return undefined;
    for (let value = start; value <= end; value += by) values.push(value);
  }
  return values;
}
