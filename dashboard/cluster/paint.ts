// Paints nodes on a canvas: one rectangle each, with a sign or text if there is room.
import { type NodeRow, type NodeRowState, nodeStates } from '../../src/engine/picture/nodeRow.ts';
import { labelOfState } from '../parts/state.ts';
import { count } from '../parts/words.ts';
import { type Cell, columnsIn, heightOf, isCard, signSize } from './layout.ts';

export interface Painting {
  readonly places: readonly (string | undefined)[];
  /** The number of places to leave room for. */
  readonly room: number;
  readonly rows: ReadonlyMap<string, NodeRow>;
  readonly cell: Cell;
  readonly width: number;
  /** Undefined = no filter. */
  readonly matching: ReadonlySet<string> | undefined;
  readonly chosen: string | undefined;
  readonly cursor: string | undefined;
}

export interface Palette {
  readonly fill: Readonly<Record<NodeRowState, string>>;
  readonly ink: Readonly<Record<NodeRowState, string>>;
  readonly edge: string;
  readonly empty: string;
  readonly font: string;
}

/** The colours of the stylesheet, light or dark, read from an invisible element. */
export function readPalette(): Palette {
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (name: string): CSSStyleDeclaration => {
    probe.className = `state ${name}`;
    return getComputedStyle(probe);
  };
  const of = (take: (style: CSSStyleDeclaration) => string): Record<NodeRowState, string> =>
    Object.fromEntries(nodeStates.map((state) => [state, take(read(state))])) as Record<NodeRowState, string>;
  const palette = {
    fill: of((style) => style.backgroundColor),
    ink: of((style) => style.color),
    edge: read('probe-edge').color,
    empty: read('probe-empty').color,
    font: read('probe-edge').fontFamily,
  };
  probe.remove();
  return palette;
}

export function paint(canvas: HTMLCanvasElement, painting: Painting, palette: Palette): void {
  const { places, room, rows, cell, width, matching, chosen, cursor } = painting;
  const columns = columnsIn(width, cell);
  const height = heightOf({ width, count: Math.max(room, places.length) }, cell);
  const scale = devicePixelRatio || 1;
  const [pixelWidth, pixelHeight] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const radius = cell.height >= signSize ? Math.min(7, cell.height / 5) : 0;
  places.forEach((name, index) => {
    const x = (index % columns) * (cell.width + cell.gap);
    const y = Math.floor(index / columns) * (cell.height + cell.gap);
    const row = name === undefined ? undefined : rows.get(name);
    const box = { x, y, radius, ...cell };
    if (!row) {
      if (radius > 0) outline(context, box, palette.empty, 1);
      return;
    }
    context.globalAlpha = matching && !matching.has(row.name) ? 0.14 : 1;
    context.fillStyle = palette.fill[row.state];
    fill(context, box);
    if (cell.height >= signSize) write(context, row, box, palette);
    context.globalAlpha = 1;
    if (row.name === chosen || row.name === cursor)
      outline(context, box, palette.edge, row.name === chosen ? 2.5 : 1.5);
  });
}

interface Box extends Cell {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

function fill(context: CanvasRenderingContext2D, { x, y, width, height, radius }: Box): void {
  if (radius === 0) {
    context.fillRect(x, y, width, height);
    return;
  }
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
  context.fill();
}

function outline(context: CanvasRenderingContext2D, box: Box, color: string, thick: number): void {
  const { x, y, width, height, radius } = box;
  context.strokeStyle = color;
  context.lineWidth = thick;
  context.beginPath();
  context.roundRect(x + thick / 2, y + thick / 2, width - thick, height - thick, Math.max(0, radius - 1));
  context.stroke();
}

function write(context: CanvasRenderingContext2D, row: NodeRow, box: Box, { ink, font }: Palette): void {
  const { x, y, width, height } = box;
  const stateLabel = labelOfState(row.state);
  context.fillStyle = ink[row.state];
  if (!isCard(box)) {
    context.font = `600 ${Math.round(height * 0.55)}px ${font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(stateLabel.sign, x + width / 2, y + height / 2 + 1);
    return;
  }
  const isTall = height > 40;
  const middle = y + height / 2;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.font = `600 ${isTall ? 13 : 12}px ${font}`;
  context.fillText(cut(context, row.name, width - 18), x + 9, middle - (isTall ? 4 : 2));
  context.font = `${isTall ? 12 : 10.5}px ${font}`;
  const words =
    row.state === 'steady'
      ? count(row.pods, 'pod')
      : `${stateLabel.sign} ${row.starting ? 'starting' : stateLabel.name}`;
  context.fillText(cut(context, words, width - 18), x + 9, middle + (isTall ? 14 : 11));
}

/** Shortens a name at its start, because names differ at their end. */
function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  // A name may have 253 characters: measure only the last 40.
  let shown = [...text].slice(-40);
  while (shown.length > 1 && context.measureText(`…${shown.join('')}`).width > width) shown = shown.slice(1);
  return `…${shown.join('')}`;
}
