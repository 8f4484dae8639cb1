// How is a moment said within a sentence? As short as it is clear: with its weekday within a week, with its date beyond.
import { civilFromDays, day, formatInstant, type Instant, pad, second } from '../../time/instant.ts';

/** 1 January 1970 was a Thursday. */
const weekdays = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;

/** `22:00 UTC` today, `Sat 22:00 UTC` within a week, `2026-12-24 22:00 UTC` beyond it or long ago. */
export function sayClock(at: Instant, now: Instant): string {
  const days = Math.floor(at / day) - Math.floor(now / day);
  const time = formatInstant(at).slice('2026-11-17T'.length, at % (60 * second) < second ? -4 : -1);
  if (days === 0) return `${time} UTC`;
  if (Math.abs(days) < 7) return `${weekdayOf(at)} ${time} UTC`;
  const { year, month, day: dayOfMonth } = civilFromDays(Math.floor(at / day));
  return `${pad(year, 4)}-${pad(month)}-${pad(dayOfMonth)} ${time} UTC`;
}

const weekdayOf = (at: Instant): string => weekdays[((Math.floor(at / day) % 7) + 7) % 7] ?? '';
