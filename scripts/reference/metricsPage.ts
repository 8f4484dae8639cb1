// Which figures does Prometheus find on /metrics?
import type { Metric } from '../../src/server/metric.ts';
import { metrics } from '../../src/server/metricsTable.ts';
import { page, table } from './page.ts';

export function metricsPage(): string {
  const intro =
    'What `lull run` and `lull up` print on `/metrics`. Names that begin with `karpenter_` are upstream’s, with its labels and its meaning: where both are scraped, tell them apart by job.';
  const [upstream, own] = [metrics.filter(isUpstream), metrics.filter((it) => !isUpstream(it))];
  const body = `## As in Karpenter\n\n${tableOf(upstream)}\n\n## Lull's own\n\n${tableOf(own)}`;
  return page('Metrics', intro, body);
}

const isUpstream = ({ name }: Metric): boolean => name.startsWith('karpenter_');

const tableOf = (listed: readonly Metric[]): string =>
  table(
    ['metric', 'type', 'labels', 'meaning'],
    listed.map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((it) => `\`${it}\``).join(', '),
      help,
    ]),
  );
