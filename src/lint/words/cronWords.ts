// What does a cron say, in words? The shapes people write; what is none of them is repeated as it was written.
import { readFields } from '../../time/cronFields.ts';
import type { Duration } from '../../time/instant.ts';
import { sayDuration } from './clockWords.ts';
import { cronDays } from './cronDays.ts';
import { cronTimes } from './cronTimes.ts';

/** When it fires: `Monday to Friday at 09:00`; with a duration, when it is open: `Monday to Friday 09:00–17:00`. Without its zone. */
export function cronWords(text: string, duration?: Duration): string {
  const fields = readFields(withoutZone(text));
  const [days, times] = 'fault' in fields ? [] : [cronDays(fields), cronTimes(fields, duration)];
  if (days === undefined || times === undefined) return asWritten(text, duration);
  // "every day every hour" says no more than "every hour".
  return days === 'every day' && times.startsWith('every ') ? times : `${days} ${times}`;
}

const asWritten = (text: string, duration: Duration | undefined): string =>
  `at each hit of “${withoutZone(text)}”${duration === undefined ? '' : ` for ${sayDuration(duration)}`}`;

/** B3: a cron may begin with its zone. */
export const withoutZone = (text: string): string =>
  text
    .trim()
    .replace(/^(?:CRON_)?TZ=\S*/, '')
    .trim();
