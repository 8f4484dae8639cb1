// The chart of drifted nodes left over time, from the forecast.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Forecast } from '../../src/forecast/poolForecasts.ts';
import { useScheme } from '../cluster/useSize.ts';
import { clock } from '../parts/words.ts';

/** In seconds; labels have no seconds, so no step is below a minute. */
const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800];

export function ProgressChart({ forecast, pool, total }: { forecast: Forecast; pool: string; total: number }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  const points = pointsOf(forecast, pool);
  useEffect(() => {
    const element = place.current;
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    if (!element || points.length < 2) return undefined;
    const style = getComputedStyle(element);
    const [line, dim] = [style.color, style.borderColor];
    const axis = {
      stroke: dim,
      grid: { stroke: dim, width: 0.25 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: 130,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: [0, Math.max(1, total)] } },
        axes: [
          {
            ...axis,
            space: 70,
            incrs: steps,
            values: (_, splits) => splits.map((at) => clock(at * 1000, forecast.at)),
          },
          { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000] },
        ],
        series: [{}, { stroke: line, width: 2, fill: style.backgroundColor, ...(stepped && { paths: stepped }) }],
      },
      [points.map(([at]) => at / 1000), points.map(([, left]) => left)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 130 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [forecast, scheme]);
  if (points.length < 2) return null;
  const end = points.at(-1)?.[1] ?? 0;
  return (
    <figure class="chart-figure">
      <figcaption class="dim">Drifted nodes left (forecast)</figcaption>
      <div
        ref={place}
        class="chart"
        role="img"
        aria-label={`${points[0]?.[1]} drifted nodes now, ${end} at the end of the forecast`}
      />
    </figure>
  );
}

/** The sum over all domains at every instant at which one changes. */
function pointsOf({ left, at, until }: Forecast, pool: string): [number, number][] {
  const counts = new Map<string, number>();
  const points: [number, number][] = [];
  for (const it of left.filter((each) => each.pool === pool)) {
    counts.set(it.domain ?? '', it.count);
    const sum = [...counts.values()].reduce((total, count) => total + count, 0);
    const when = Math.max(at, it.at);
    if (points.at(-1)?.[0] === when) points.pop();
    points.push([when, sum]);
  }
  const last = points.at(-1);
  if (last && last[0] < until && last[1] > 0) points.push([until, last[1]]);
  return points;
}
