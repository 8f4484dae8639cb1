// An instant in the viewer's time zone, with UTC and a countdown at the cluster's speed.
import { now } from '../live/clock.ts';
import { past } from '../live/live.ts';
import { clock, span, utcClock } from './words.ts';

export function Until({ at }: { at: number }) {
  const here = past.value?.picture.at ?? now.value;
  const left = at - here;
  return (
    <time class="until" dateTime={new Date(at).toISOString()} title={utcClock(at, here)}>
      {clock(at, here)}
      <span class="count">{left > 0 ? `in ${span(left)}` : left > -1000 ? 'now' : `${span(-left)} ago`}</span>
    </time>
  );
}
