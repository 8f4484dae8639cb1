// The Time page: the limits of pools, windows and pod schedules over hours to months.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Timeline } from '../../src/engine/picture/timeline.ts';
import { askJson } from '../live/ask.ts';
import { now } from '../live/clock.ts';
import { livePicture, past } from '../live/live.ts';
import { Empty } from '../parts/Empty.tsx';
import { clock, utcClock, viewerZone } from '../parts/words.ts';
import { goHere, route } from '../route.ts';
import { Lanes } from './Lanes.tsx';

const hour = 3_600_000;
const spans = [
  { name: '6 hours', key: '6h', back: 1 * hour, ahead: 5 * hour },
  { name: 'a day', key: '1d', back: 4 * hour, ahead: 20 * hour },
  { name: 'a week', key: '1w', back: 24 * hour, ahead: 144 * hour },
  { name: 'a month', key: '1m', back: 72 * hour, ahead: 27 * 24 * hour },
  { name: 'a quarter', key: '1q', back: 7 * 24 * hour, ahead: 85 * 24 * hour },
] as const;
const usual = spans[1];

export function TimePage() {
  const timeline = useSignal<Timeline | undefined>(undefined);
  const error = useSignal('');
  /** The selected time; undefined = now. */
  const cursor = useSignal<number | undefined>(undefined);
  const shift = useSignal(0);
  const chosen = spans.find(({ key }) => key === route.value.query.span) ?? usual;
  const isReady = now.value > 0;
  const asked = useRef('');

  useEffect(() => {
    if (!isReady) return undefined;
    const ask = async (): Promise<void> => {
      const middle = now.peek() + shift.value * (chosen.back + chosen.ahead);
      const from = new Date(middle - chosen.back).toISOString();
      const to = new Date(middle + chosen.ahead).toISOString();
      const mine = `${from} ${to}`;
      asked.current = mine;
      try {
        const answer = (await askJson(`/api/timeline?from=${from}&to=${to}`)) as Timeline;
        if (asked.current === mine) timeline.value = answer;
        error.value = '';
      } catch (failure) {
        error.value = (failure as Error).message;
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), 10_000);
    return () => clearInterval(timer);
  }, [chosen, isReady, shift.value, livePicture.value?.pools.length, livePicture.value?.windows]);

  const at = cursor.value ?? now.value;
  return (
    <div class="page">
      <div class="page-head">
        <h1>Time</h1>
        <div class="seg" role="group" aria-label="Span">
          {spans.map(({ name, key }) => (
            <button key={key} type="button" aria-pressed={key === chosen.key} onClick={() => goHere({ span: key })}>
              {name}
            </button>
          ))}
        </div>
        <div class="seg" role="group" aria-label="Move in time">
          <button type="button" onClick={() => shift.value--}>
            earlier
          </button>
          <button
            type="button"
            aria-pressed={shift.value === 0}
            onClick={() => {
              shift.value = 0;
              cursor.value = undefined;
            }}
          >
            now
          </button>
          <button type="button" onClick={() => shift.value++}>
            later
          </button>
        </div>
        <p class="push reading" aria-live="polite">
          <strong>{at > 0 && clock(at, now.peek())}</strong>{' '}
          <span class="dim">
            {viewerZone()} · {at > 0 && utcClock(at, now.peek())}
          </span>
        </p>
      </div>
      {past.value && (
        <p class="dim">
          These are the current rules. They may differ from the rules at the past time that the other pages show.
        </p>
      )}
      {error.value && <p class="fault">{error.value}</p>}
      {timeline.value && timeline.value.groups.length === 0 && (
        <Empty title="No schedules">No pool, window or pod has a schedule.</Empty>
      )}
      {timeline.value && timeline.value.groups.length > 0 ? (
        <Lanes timeline={timeline.value} cursor={cursor} />
      ) : (
        <div class="loading" />
      )}
    </div>
  );
}
