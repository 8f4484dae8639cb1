// Rules for pods, the templates of DaemonSets, and PodDisruptionBudgets.
import { selector, taints } from './labels.ts';
import { metadata, metadataInNamespace } from './metadata.ts';
import { containerStatus, placement, spread, volumes } from './podSpec.ts';
import { fields, name, nameUnless, oneOf, type Rule } from './rules.ts';
import { conditions, count, instant, number } from './values.ts';

type Rules = Readonly<Record<string, Rule>>;

const systemClasses = new Set(['system-cluster-critical', 'system-node-critical']);

export const podRules: Readonly<Record<string, Rules>> = {
  Namespace: { metadata: metadata('namespace') },
  Pod: {
    metadata: metadataInNamespace('pod'),
    spec: fields({
      ...placement,
      nodeName: name('node'),
      topologySpreadConstraints: spread,
      tolerations: taints,
      priority: number,
      priorityClassName: nameUnless('priority', systemClasses),
      terminationGracePeriodSeconds: number,
      volumes,
    }),
    status: fields({
      phase: oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
      startTime: instant,
      nominatedNodeName: name('node'),
      conditions,
      containerStatuses: containerStatus,
      initContainerStatuses: containerStatus,
    }),
  },
  DaemonSet: {
    metadata: metadataInNamespace('daemonset'),
    spec: fields({ template: fields({ spec: fields({ ...placement, tolerations: taints }) }) }),
  },
  PodDisruptionBudget: {
    metadata: metadataInNamespace('pdb'),
    spec: fields({
      selector,
      unhealthyPodEvictionPolicy: oneOf('IfHealthyBudget', 'AlwaysAllow'),
      minAvailable: count,
      maxUnavailable: count,
    }),
    status: fields({ disruptionsAllowed: number, expectedPods: number }),
  },
};
