// All Prometheus metrics (J5) in one table, and their text format. docs/reference/metrics.md is generated from it.
import type { Metric, MetricInputs, Sample } from './metric.ts';
import { roundMetrics } from './metricsOfRound.ts';
import { troubleMetrics } from './metricsOfTrouble.ts';
import { workMetrics } from './metricsOfWork.ts';

export const renderMetrics = (inputs: MetricInputs): string => metrics.map((metric) => render(metric, inputs)).join('');

function render({ name, type, help, samples }: Metric, inputs: MetricInputs): string {
  const lines = samples(inputs).map((sample) => renderSample(name, sample));
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function renderSample(name: string, { labels = {}, value, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${quoted(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

/** Escapes a label value. */
const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

export const metrics: readonly Metric[] = [...roundMetrics, ...troubleMetrics, ...workMetrics];
