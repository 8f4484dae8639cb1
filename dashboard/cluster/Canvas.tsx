// The canvas of a group of nodes, with pointer, touch and keyboard control and text for screen readers.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { labelOfState } from '../parts/state.ts';
import { count } from '../parts/words.ts';
import { columnsIn, heightOf, placeAt } from './layout.ts';
import { type Painting, type Palette, paint } from './paint.ts';

export interface CanvasProps extends Omit<Painting, 'cursor'> {
  readonly label: string;
  readonly palette: Palette;
  readonly onChoose: (name: string) => void;
  readonly onPoint: (name: string | undefined, at: { readonly x: number; readonly y: number }) => void;
}

export function Canvas(props: CanvasProps) {
  const { label, places, room, rows, cell, width, matching, chosen, palette, onChoose, onPoint } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useSignal<number | undefined>(undefined);
  const pointed = cursor.value === undefined ? undefined : places[cursor.value];

  const painted = useRef<readonly unknown[]>([]);
  useEffect(() => {
    const shown = [
      palette,
      cell,
      width,
      room,
      matching,
      chosen,
      pointed,
      ...places,
      ...places.map((name) => rows.get(name ?? '')),
    ];
    // Few of hundreds of groups change in a round.
    if (!canvas.current || isSame(shown, painted.current)) return;
    painted.current = shown;
    paint(canvas.current, { places, room, rows, cell, width, matching, chosen, cursor: pointed }, palette);
  });

  const nameAt = (event: PointerEvent | MouseEvent): string | undefined => {
    const place = placeAt(event.offsetX, event.offsetY, width, cell);
    return place === undefined ? undefined : places[place];
  };
  const onKey = (event: KeyboardEvent): void => {
    const columns = columnsIn(width, cell);
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key];
    if (step !== undefined) cursor.value = moved(places, cursor.value, step);
    else if (event.key === 'Home') cursor.value = moved(places, -1, 1);
    else if (event.key === 'End') cursor.value = moved(places, places.length, -1);
    else if ((event.key === 'Enter' || event.key === ' ') && pointed !== undefined) onChoose(pointed);
    else return;
    event.preventDefault();
  };
  const row = pointed === undefined ? undefined : rows.get(pointed);
  return (
    <>
      <canvas
        ref={canvas}
        class="nodes"
        tabIndex={0}
        role="application"
        aria-roledescription="grid of nodes"
        aria-label={`${label}: ${count(rowsIn(places), 'node')}. Arrow keys move, Enter opens.`}
        style={{ width: `${width}px`, height: `${heightOf({ width, count: room }, cell)}px` }}
        onClick={(event) => {
          const name = nameAt(event);
          if (name !== undefined) onChoose(name);
        }}
        onPointerMove={(event) => onPoint(nameAt(event), { x: event.clientX, y: event.clientY })}
        onPointerLeave={() => onPoint(undefined, { x: 0, y: 0 })}
        onKeyDown={onKey}
        onFocus={() => {
          cursor.value ??= moved(places, -1, 1);
        }}
        onBlur={() => {
          cursor.value = undefined;
        }}
      />
      <span class="unseen" aria-live="polite">
        {row && `${row.name}, ${labelOfState(row.state).name}${row.wishes ? `, ${row.wishes[0]?.reason}` : ''}`}
      </span>
    </>
  );
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

const rowsIn = (places: readonly (string | undefined)[]): number => places.filter((it) => it !== undefined).length;

/** Skips empty places and stops at the ends. */
function moved(places: readonly (string | undefined)[], from: number | undefined, step: number): number | undefined {
  let to = (from ?? -1) + step;
  while (to >= 0 && to < places.length && places[to] === undefined) to += Math.sign(step);
  return places[to] === undefined ? (from !== undefined && places[from] !== undefined ? from : undefined) : to;
}
