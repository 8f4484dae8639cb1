// A slow reference for calendars (R2): dates are looked up in a list of texts, and weeks are compared by their Mondays.
import { type Days, type Sets, slowHits } from './oracle.ts';

export const dayLength = 1440;
const known = new Map<number, string>();

/** The date of a wall-clock time in minutes. */
export function dateText(wall: number): string {
  const day = Math.floor(wall / dayLength);
  const text = known.get(day) ?? new Date(day * 86_400_000).toISOString().slice(0, 10);
  known.set(day, text);
  return text;
}

export interface Plain {
  readonly weeks: number | undefined;
  readonly anchor: string;
  readonly excepted: readonly string[];
  readonly cuts: boolean;
}

function applies({ weeks, anchor, excepted }: Plain, wall: number): boolean {
  if (excepted.includes(dateText(wall))) return false;
  if (weeks === undefined) return true;
  const monday = (text: string): number => {
    const date = new Date(`${text}T00:00:00Z`);
    while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
    return date.getTime();
  };
  return Math.abs(monday(dateText(wall)) - monday(anchor)) % (weeks * 7 * 86_400_000) === 0;
}

/** Which of the minutes are open. */
export function openMinutes({ instants, walls, zone }: Days, sets: Sets, plain: Plain, length: number): boolean[] {
  const open = instants.map(() => false);
  const hits = new Set(slowHits({ instants, walls, zone }, sets));
  instants.forEach((hit, index) => {
    const begun = walls[index] as number;
    if (!hits.has(hit) || !applies(plain, begun)) return;
    for (let i = index; i < Math.min(index + length, open.length); i++) {
      const later = dateText(walls[i] as number);
      if (plain.cuts && later > dateText(begun) && plain.excepted.includes(later)) break;
      open[i] = true;
    }
  });
  return open;
}
