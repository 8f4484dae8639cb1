// An independent reading of plain cron texts, in UTC: stars, numbers, ranges, lists, steps, `6#1`, `0L` and `L`, minute by minute.

const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** The hits in two days from that minute; undefined if the text has special syntax, or a number is out of range. */
export function cronHits(text: string, from: number): number[] | undefined {
  const fields = text.trim().split(/ +/);
  if (fields.length !== 5 || fields.some((field) => !/^[\d*,/#L-]+$/.test(field))) return undefined;
  const counted = [2, 4].map((index) =>
    (fields[index] ?? '').split(',').filter((part) => /^L$|^[0-6](#[1-5]|L)$/.test(part)),
  );
  if (counted[1]?.includes('L') || counted[0]?.some((part) => part !== 'L')) return undefined;
  const plain = fields.map((field, index) =>
    index === 2 || index === 4
      ? field
          .split(',')
          .filter((part) => !counted.flat().includes(part))
          .join()
      : field,
  );
  const sets = plain.map((field, index) => (field === '' ? [] : valuesOf(field, limits[index] ?? [0, 0])));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, dates, months, weekdays] = sets.map((set) => new Set(set));
  // Cron's rule for days: if both are restricted, either is enough. A star with a step is a restriction, as in Karpenter's library.
  const isFree = (field = ''): boolean => field.split(',').some((part) => /^\*(\/0*1)?$/.test(part));
  const either = !isFree(fields[2]) && !isFree(fields[4]);
  const hits: number[] = [];
  for (let at = from; at < from + 2 * 86_400_000; at += 60_000) {
    const date = new Date(at);
    if (!minutes?.has(date.getUTCMinutes()) || !hours?.has(date.getUTCHours())) continue;
    if (!months?.has(date.getUTCMonth() + 1)) continue;
    const isIn = (set: Set<number> | undefined, value: number, monthly: readonly string[] = []): boolean =>
      set?.has(value) === true || monthly.some((part) => isCounted(part, date));
    const [byDate, byDay] = [isIn(dates, date.getUTCDate(), counted[0]), isIn(weekdays, date.getUTCDay(), counted[1])];
    if (either ? byDate || byDay : byDate && byDay) hits.push(at);
  }
  return hits;
}

/** Whether the date is the one that `L`, `6#1` or `0L` means: weekdays are counted from the first of the month. */
function isCounted(part: string, date: Date): boolean {
  const later = (days: number): Date => new Date(date.getTime() + days * 86_400_000);
  if (part === 'L') return later(1).getUTCDate() === 1;
  if (Number(part[0]) !== date.getUTCDay()) return false;
  if (part.endsWith('L')) return later(7).getUTCMonth() !== date.getUTCMonth();
  let nth = 1;
  while (later(-7 * nth).getUTCMonth() === date.getUTCMonth()) nth++;
  return nth === Number(part.slice(2));
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
