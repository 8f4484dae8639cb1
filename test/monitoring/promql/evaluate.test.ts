// Tests of the PromQL evaluator.
import { describe, expect, it } from 'vitest';
import { evaluate, type Value } from './evaluate.ts';
import { labelsOf, Scraped, seriesOf } from './series.ts';
import { parseExpr } from './syntax.ts';

const series = [
  seriesOf('up{job="lull",instance="a"}', '1x20', 60),
  seriesOf('up{job="lull",instance="b"}', '0x20', 60),
  seriesOf('up{job="web",instance="c"}', '1x5 stale', 60),
  seriesOf('size{job="lull"}', '10x20', 60),
  seriesOf('size{job="web"}', '4x20', 60),
  seriesOf('count_total{job="lull"}', '0+60x20', 60),
  seriesOf('count_total{job="web"}', '0+60x4 0+60x15', 60),
  seriesOf('flips', '0 1 0 1 1x16', 60),
  seriesOf('once', '7', 60),
];

/** `labels value`, one to a line, sorted. */
function show(value: Value): string {
  if (typeof value === 'number') return String(value);
  const line = (labels: object): string =>
    Object.entries(labels)
      .sort()
      .map(([key, text]) => `${key}=${text}`)
      .join(',');
  return value
    .map((it) => `{${line(it.labels)}} ${Math.round(it.value * 1000) / 1000}`)
    .sort()
    .join('; ');
}

const ask = (expr: string, minutes = 10): string => show(evaluate(parseExpr(expr), { series, at: minutes * 60 }));

describe('PromQL as in Prometheus 3', () => {
  it.each([
    ['1 + 2 * 3 - 4 / 2', '5'],
    ['-(1 + 2)', '-3'],
    ['time() - 1m', '540'],
    ['1 > bool 2', '0'],
    ['up{instance="a"}', '{__name__=up,instance=a,job=lull} 1'],
    ['up{instance!="a",job=~"l.*"}', '{__name__=up,instance=b,job=lull} 0'],
    ['up{job=~"ul"}', ''],
    ['up{job!~"lu.+"}', ''],
    ['size > 5', '{__name__=size,job=lull} 10'],
    ['size > bool 5', '{job=lull} 1; {job=web} 0'],
    ['size * 2', '{job=lull} 20; {job=web} 8'],
    ['sum(up)', '{} 1'],
    ['sum by (job) (up)', '{job=lull} 1'],
    ['sum by (job, cluster) (up)', '{job=lull} 1'],
    ['count without (instance) (up)', '{job=lull} 2'],
    ['max(size) - min(size)', '{} 6'],
    ['avg(size)', '{} 7'],
    ['size - on (job) sum by (job) (up)', '{job=lull} 9'],
    ['size and on (job) up == 0', '{__name__=size,job=lull} 10'],
    ['size unless on (job) up', '{__name__=size,job=web} 4'],
    ['up == 1 or on (job) size', '{__name__=size,job=web} 4; {__name__=up,instance=a,job=lull} 1'],
    ['sum(up) or absent(up)', '{} 1'],
    ['absent(up)', ''],
    ['absent(down{job="lull",instance=~"a"})', '{job=lull} 1'],
    ['absent(up == 3)', '{} 1'],
    // 5 samples in the range, start exclusive and end inclusive; the missing minute at its start is extrapolated.
    ['increase(count_total{job="lull"}[5m])', '{job=lull} 300'],
    ['rate(count_total{job="lull"}[5m])', '{job=lull} 1'],
    // 60, 120, 180, 240, restarted at 0, 60, … 300: 480 in nine minutes, and the tenth is extrapolated.
    ['increase(count_total{job="web"}[10m])', '{job=web} 533.333'],
    ['increase(count_total{job="web"}[1m])', ''],
    ['changes(flips[10m])', '{} 2'],
    ['changes(flips[11m])', '{} 3'],
    ['max_over_time(up{instance="a"}[3m])', '{instance=a,job=lull} 1'],
  ])('%s', (expr, said) => {
    expect(ask(expr)).toBe(said);
  });

  it('extrapolates a counter no further back than to zero', () => {
    expect(ask('increase(count_total{job="lull"}[5m])', 3)).toBe('{job=lull} 180');
  });

  it('uses a sample for less than five minutes', () => {
    expect(ask('once', 4)).toBe('{__name__=once} 7');
    expect(ask('once', 5)).toBe('');
  });

  it('drops a stale series immediately', () => {
    expect(ask('up{job="web"}', 5)).toBe('{__name__=up,instance=c,job=web} 1');
    expect(ask('up{job="web"}', 6)).toBe('');
  });

  it.each([
    'sum(',
    'up offset 5m',
    'topk(1, up)',
    'rate(up)',
    'up[5m]',
    'up - on (job) group_left size',
    'up - on (job) size',
    'deriv(up[5m])',
    'up{instance="a"} and 1',
    '1 > 2',
  ])('rejects what it does not support or Prometheus rejects: %s', (expr) => {
    expect(() => ask(expr)).toThrow();
  });
});

describe('series', () => {
  it('are read in promtool’s notation', () => {
    const { points } = seriesOf('a', '1+2x2 _ 5x1 _x2 stale', 30);
    expect(points.map(({ at, value }) => `${at}:${value}`)).toEqual([
      '0:1',
      '30:3',
      '60:5',
      '120:5',
      '150:5',
      '240:stale',
    ]);
  });

  it('are scraped with unescaped labels, and missing ones become stale', () => {
    const scraped = new Scraped({ instance: 'i' });
    scraped.scrape('# HELP a A.\na{x="q\\"\\\\\\n"} 2\nb 1\n', 0);
    scraped.scrape('b 3\n', 30);
    expect(scraped.series).toEqual([
      {
        labels: { __name__: 'a', x: 'q"\\\n', instance: 'i' },
        points: [
          { at: 0, value: 2 },
          { at: 30, value: 'stale' },
        ],
      },
      {
        labels: { __name__: 'b', instance: 'i' },
        points: [
          { at: 0, value: 1 },
          { at: 30, value: 3 },
        ],
      },
    ]);
    expect(labelsOf('a_b:c')).toEqual({ __name__: 'a_b:c' });
  });
});
