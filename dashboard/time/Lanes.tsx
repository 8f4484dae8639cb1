// The lanes of the Time page: one per rule, with now and a cursor for pointer and arrow keys.
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Lane, Timeline, TimelineBar } from '../../src/engine/picture/timeline.ts';
import { useScheme, useSize } from '../cluster/useSize.ts';
import { now } from '../live/clock.ts';
import { clock } from '../parts/words.ts';
import { paintLane, readColors } from './paintLane.ts';
import { ticksOf } from './ticks.ts';

export function Lanes({ timeline, cursor }: { timeline: Timeline; cursor: Signal<number | undefined> }) {
  const { from, to, groups } = timeline;
  const track = useRef<HTMLDivElement>(null);
  const { width } = useSize(track);
  const placeOf = (at: number): number => ((at - from) / (to - from)) * 100;
  const at = cursor.value ?? now.value;
  const point = (event: PointerEvent): void => {
    const box = track.current?.getBoundingClientRect();
    if (!box) return;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    cursor.value = Math.round(from + share * (to - from));
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = (to - from) / (event.shiftKey ? 24 : 240);
    const moves: Record<string, number> = { ArrowLeft: -step, ArrowRight: step };
    const move = moves[event.key];
    if (event.key === 'Escape') cursor.value = undefined;
    else if (move !== undefined) cursor.value = Math.min(to, Math.max(from, at + move));
    else return;
    event.preventDefault();
  };
  const ticks = ticksOf(from, to, Math.max(3, Math.floor(width / 90)));
  return (
    <section class="card lanes" aria-label="Rules over time">
      <div class="lane axis">
        <span class="dim">{cursor.value === undefined ? 'now' : 'at the cursor'}</span>
        <div
          ref={track}
          class="track"
          tabIndex={0}
          role="slider"
          aria-label="Selected time"
          aria-valuemin={from}
          aria-valuemax={to}
          aria-valuenow={Math.round(at)}
          aria-valuetext={clock(at, now.peek())}
          onKeyDown={onKey}
          onPointerDown={point}
          onPointerMove={(event) => event.buttons > 0 && point(event)}
        >
          {ticks.map(({ at: tick, label }) => (
            <span key={tick} class="tick" style={{ left: `${placeOf(tick)}%` }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      {groups.map(({ title, kind, lanes }) => (
        <div key={`${kind} ${title}`} class="lane-group">
          <h2>
            {kind === 'pool' && <span class="dim">pool </span>}
            {title}
          </h2>
          {lanes.map((lane, index) => (
            <LaneRow
              key={`${lane.label} ${index}`}
              lane={lane}
              timeline={timeline}
              at={at}
              width={width}
              onPoint={point}
            />
          ))}
        </div>
      ))}
      <div class="lane-cursor-area" aria-hidden="true">
        <div class="now-line" style={{ left: `${placeOf(now.value)}%` }} hidden={now.value < from || now.value > to} />
        {cursor.value !== undefined && <div class="cursor-line" style={{ left: `${placeOf(cursor.value)}%` }} />}
      </div>
      <p class="dim key">
        <i class="swatch open" /> open, with the limit <i class="swatch blocked" /> closed{' '}
        <i class="swatch unlimited" /> no limit <i class="swatch holds" /> budget active
      </p>
    </section>
  );
}

interface LaneRowProps {
  readonly lane: Lane;
  readonly timeline: Timeline;
  readonly at: number;
  readonly width: number;
  readonly onPoint: (event: PointerEvent) => void;
}

function LaneRow({ lane, timeline, at, width, onPoint }: LaneRowProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useScheme();
  const here = lane.bars.find((bar) => bar.from <= at && at < bar.to);
  useEffect(() => {
    if (canvas.current && width > 0) paintLane(canvas.current, { lane, timeline, width }, readColors());
  }, [lane, timeline, width, scheme]);
  return (
    <div class="lane">
      <div class="lane-name" title={lane.detail}>
        <span class="name">{lane.label}</span>
        {lane.standsOut && (
          <span class={`chip ${lane.standsOut === 'unlimited' ? 'held' : 'error'}`}>{lane.standsOut}</span>
        )}
        <span class="dim">{describeBar(here)}</span>
      </div>
      <canvas
        ref={canvas}
        class="track"
        role="img"
        aria-label={`${lane.label}: ${lane.detail}; ${describeBar(here)}`}
        onPointerDown={onPoint}
        onPointerMove={(event) => event.buttons > 0 && onPoint(event)}
      />
      {lane.tooMany && <span class="dim">Too many to show: choose a shorter span.</span>}
    </div>
  );
}

function describeBar(bar: TimelineBar | undefined): string {
  if (!bar) return 'not active';
  if (bar.kind === 'blocked') return 'closed';
  if (bar.kind === 'unlimited') return 'no limit';
  return bar.text === undefined ? 'open' : bar.kind === 'holds' ? `active: ${bar.text}` : bar.text;
}
