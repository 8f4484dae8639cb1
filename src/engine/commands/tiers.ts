// G6: in which order does a node lose its pods? What others may rest on goes last.
import type { Pod } from '../../cluster/model.ts';
import { isDaemon } from '../../cluster/pod.ts';

const criticalClasses: ReadonlySet<string | undefined> = new Set(['system-node-critical', 'system-cluster-critical']);

/** Normal, DaemonSet, critical, critical DaemonSet. */
export const tierOf = (pod: Pod): number => (criticalClasses.has(pod.priorityClass) ? 2 : 0) + (isDaemon(pod) ? 1 : 0);

/** The tier whose turn it is: the first of which anything is left, if only on its way out. */
export const currentTier = (pods: readonly Pod[]): number => Math.min(...pods.map(tierOf));
