// Tests of the alerting rules on written series: what fires and what does not (J5).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { secondsOf } from './promql/duration.ts';
import { type Alert, Alerting, readRules } from './promql/rules.ts';
import { type Labels, type Series, seriesOf } from './promql/series.ts';

interface Case {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string | number }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: Labels; readonly exp_annotations: Labels }[];
  }[];
}

const rules = readRules('deploy/monitoring/alerts.yaml');
const file = parse(readFileSync('deploy/monitoring/alerts.test.yaml', 'utf8')) as {
  evaluation_interval: string;
  tests: Case[];
};

/** What fires at each instant, with the rules evaluated at every interval from the start. */
function play(series: readonly Series[], instants: readonly number[]): Map<number, readonly Alert[]> {
  const alerting = new Alerting(rules);
  const step = secondsOf(file.evaluation_interval);
  const fired = new Map<number, readonly Alert[]>();
  for (let at = 0; at <= Math.max(...instants); at += step) fired.set(at, alerting.at(at, series));
  return fired;
}

const sorted = (alerts: readonly object[]): string[] => alerts.map((it) => JSON.stringify(ordered(it))).sort();
const ordered = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([key, it]) => [key, ordered(it)]),
      )
    : value;

describe('J5: what fires', () => {
  it.each(file.tests)('$name', ({ interval, input_series, alert_rule_test }) => {
    const series = input_series.map((it) => seriesOf(it.series, String(it.values), secondsOf(interval)));
    const fired = play(
      series,
      alert_rule_test.map((it) => secondsOf(it.eval_time)),
    );
    for (const { eval_time, alertname, exp_alerts } of alert_rule_test) {
      const got = fired.get(secondsOf(eval_time))?.filter(({ alert }) => alert === alertname) ?? [];
      const found = got.map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations }));
      expect({ eval_time, alertname, alerts: sorted(found) }).toEqual({
        eval_time,
        alertname,
        alerts: sorted(exp_alerts),
      });
    }
  });

  it('every alert has a case that fires and one that does not', () => {
    const asked = file.tests.flatMap((it) => it.alert_rule_test);
    const does = (fires: boolean) =>
      [...new Set(asked.filter((it) => it.exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))].sort();
    const all = rules.map(({ alert }) => alert).sort();
    expect(does(true)).toEqual(all);
    expect(does(false)).toEqual(all);
  });
});
