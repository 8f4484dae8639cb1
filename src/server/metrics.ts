// How are figures written for Prometheus? Its text format, every metric with its help and type.
import type { Figures, Metric, Sample } from './metric.ts';
import { metrics } from './metricsTable.ts';

export const renderMetrics = (figures: Figures): string => metrics.map((metric) => render(metric, figures)).join('');

function render({ name, type, help, samples }: Metric, figures: Figures): string {
  const lines = samples(figures).map((sample) => renderSample(name, sample));
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function renderSample(name: string, { labels = {}, value, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${quoted(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

/** As the text format wants it. */
const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
