// Which figures does Prometheus read (J5)? Every one of them in one table: docs/reference/metrics.md is made of it.
import type { Metric } from './metric.ts';
import { roundMetrics } from './metricsOfRound.ts';
import { troubleMetrics } from './metricsOfTrouble.ts';
import { workMetrics } from './metricsOfWork.ts';

export const metrics: readonly Metric[] = [...roundMetrics, ...troubleMetrics, ...workMetrics];
