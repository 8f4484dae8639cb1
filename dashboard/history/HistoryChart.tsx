// The chart of how much changed in each round of the history; a click selects a round.
import { useEffect, useRef } from 'preact/hooks';
import { useScheme, useSize } from '../cluster/useSize.ts';
import type { Moments } from './moments.ts';

const height = 54;

export interface HistoryChartProps {
  readonly moments: Moments;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

export function HistoryChart({ moments, chosen, onChoose }: HistoryChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const scheme = useScheme();
  const [from, to] = [moments.atOf(0), Math.max(moments.atOf(0) + 1, moments.atOf(moments.length - 1))];
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || width === 0) return;
    const style = getComputedStyle(canvas.current);
    const scale = devicePixelRatio || 1;
    canvas.current.width = Math.round(width * scale);
    canvas.current.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    // Summed per pixel, so that ten thousand rounds draw quickly.
    const sums = new Map<number, number>();
    for (let index = 1; index < moments.length; index++) {
      const x = Math.round(((moments.atOf(index) - from) / (to - from)) * (width - 3));
      sums.set(x, (sums.get(x) ?? 0) + moments.weight(index));
    }
    const most = Math.max(1, ...sums.values());
    context.fillStyle = style.borderColor;
    for (const [x, sum] of sums) {
      const tall = sum === 0 ? 2 : 4 + (Math.log1p(sum) / Math.log1p(most)) * (height - 10);
      context.fillRect(x, height - tall, 2, tall);
    }
    context.fillStyle = style.color;
    context.fillRect(((moments.atOf(chosen) - from) / (to - from)) * (width - 3), 0, 2.5, height);
  }, [moments, chosen, width, scheme]);
  return (
    <div ref={frame} class="history-chart">
      <canvas
        ref={canvas}
        role="img"
        aria-label="How much changed in each round"
        style={{ width: '100%', height: `${height}px` }}
        onClick={(event) => onChoose(moments.indexAt(from + (event.offsetX / width) * (to - from)))}
      />
    </div>
  );
}
