// What would a DaemonSet run on a node that is not there yet?
import type { DaemonSet } from '../cluster/daemonSet.ts';
import type { Toleration } from '../cluster/model.ts';
import { readMetadata, readNamespace } from './metadata.ts';
import { readNodeSelector, readTolerations } from './nodeSelector.ts';
import { readRequests } from './podRequests.ts';
import { defined, type Reader } from './reader.ts';

export function readDaemonSet(object: Reader): DaemonSet {
  const { reader, name } = readMetadata(object);
  const spec = object.map('spec').map('template').map('spec');
  return defined<DaemonSet>({
    namespace: readNamespace(reader),
    name,
    requests: readRequests(spec),
    tolerations: [...readTolerations(spec), ...added, ...(spec.boolean('hostNetwork') ? addedOnHost : [])],
    nodeSelector: readNodeSelector(spec),
  });
}

const bears = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});

/** The controller of DaemonSets gives these to all of its pods. */
const added: readonly Toleration[] = [
  bears('not-ready', 'NoExecute'),
  bears('unreachable', 'NoExecute'),
  bears('disk-pressure', 'NoSchedule'),
  bears('memory-pressure', 'NoSchedule'),
  bears('pid-pressure', 'NoSchedule'),
  bears('unschedulable', 'NoSchedule'),
];

const addedOnHost: readonly Toleration[] = [bears('network-unavailable', 'NoSchedule')];
