// The reference page of the Prometheus metrics on /metrics.
import type { Metric } from '../../src/server/metric.ts';
import { metrics } from '../../src/server/metrics.ts';
import { page, table } from './page.ts';

export function metricsPage(): string {
  const intro =
    'The metrics of `lull run` and `lull up` on `/metrics`. Metrics whose names begin with `karpenter_` have the labels and the meaning of Karpenter’s own: if you scrape both, distinguish them by job.';
  const [upstream, own] = [metrics.filter(isUpstream), metrics.filter((it) => !isUpstream(it))];
  const body = `## Same as in Karpenter\n\n${tableOf(upstream)}\n\n## Lull's own\n\n${tableOf(own)}`;
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
