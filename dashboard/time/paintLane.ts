// Paints one lane: bars on a strip, each with its limit if there is room.
import type { Lane, Timeline, TimelineBar } from '../../src/engine/picture/timeline.ts';

export interface LanePainting {
  readonly lane: Lane;
  readonly timeline: Timeline;
  readonly width: number;
}

export interface LaneColors {
  readonly fill: Readonly<Record<TimelineBar['kind'], string>>;
  readonly ink: Readonly<Record<TimelineBar['kind'], string>>;
  readonly font: string;
}

const kinds = ['open', 'unlimited', 'blocked', 'holds'] as const;
const height = 26;

export function readColors(): LaneColors {
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (kind: string): CSSStyleDeclaration => {
    probe.className = `swatch ${kind}`;
    return getComputedStyle(probe);
  };
  const fill = Object.fromEntries(kinds.map((kind) => [kind, read(kind).backgroundColor]));
  const ink = Object.fromEntries(kinds.map((kind) => [kind, read(kind).color]));
  const font = read('open').fontFamily;
  probe.remove();
  return { fill, ink, font } as LaneColors;
}

export function paintLane(
  canvas: HTMLCanvasElement,
  { lane, timeline, width }: LanePainting,
  colors: LaneColors,
): void {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const { from, to } = timeline;
  const placeOf = (at: number): number => ((at - from) / (to - from)) * width;
  context.font = `600 12px ${colors.font}`;
  context.textBaseline = 'middle';
  for (const bar of lane.bars) {
    const x = placeOf(bar.from);
    // Bars shorter than a pixel stay visible.
    const length = Math.max(1, placeOf(bar.to) - x - 1);
    context.fillStyle = colors.fill[bar.kind];
    context.beginPath();
    context.roundRect(x, 4, length, height - 8, Math.min(4, length / 2));
    context.fill();
    const text = bar.kind === 'unlimited' ? 'no limit' : (bar.text ?? '');
    if (text !== '' && context.measureText(text).width + 12 < length) {
      context.fillStyle = colors.ink[bar.kind];
      context.fillText(text, Math.max(x, 0) + 6, height / 2 + 0.5);
    }
  }
}
