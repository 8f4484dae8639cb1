// Rules for pools, claims and nodes.
import { classGroups, classKinds } from './allowed.ts';
import { labels, requirements, resources, taints } from './labels.ts';
import { annotations, budgets, metadata } from './metadata.ts';
import { digest, digestMap, fields, name, nameUnless, oneOf, type Rule } from './rules.ts';
import { apiVersion, conditions, duration, flag, instant, number } from './values.ts';

type Rules = Readonly<Record<string, Rule>>;

const nodeClass: Rule = fields({
  group: nameUnless('group', classGroups),
  apiVersion: apiVersion((group, masks) => (classGroups.has(group) ? group : masks.name('group', group))),
  kind: nameUnless('kind', classKinds),
  name: name('class'),
});

/** What a pool asks of a node, and a claim was made with. */
const template: Rules = {
  taints,
  startupTaints: taints,
  requirements,
  nodeClassRef: nodeClass,
  providerRef: nodeClass,
  expireAfter: duration,
  terminationGracePeriod: duration,
  kubelet: digestMap,
  kubeletConfiguration: digestMap,
};

const templateOfPool: Rule = fields({ metadata: fields({ labels, annotations }), spec: fields(template) });

const consolidationPolicy: Rule = oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced', 'WhenUnderutilized');

const disruption: Rule = fields({
  budgets,
  consolidationPolicy,
  consolidateAfter: duration,
  expireAfter: duration,
  repairAfter: duration,
});

export const poolRules: Readonly<Record<string, Rules>> = {
  NodePool: {
    metadata: metadata('pool'),
    spec: fields({
      disruption,
      consolidationPolicy,
      consolidateAfter: duration,
      replicas: number,
      limits: resources,
      weight: number,
      template: templateOfPool,
    }),
    status: fields({ conditions }),
  },
  Provisioner: {
    metadata: metadata('pool'),
    spec: fields({
      ...template,
      labels,
      annotations,
      disruption,
      // In the deprovisioning document the fields of the template stand directly under it.
      template: fields({
        metadata: fields({ labels, annotations }),
        labels,
        annotations,
        spec: fields(template),
        ...template,
      }),
      metadata: fields({ labels, annotations }),
      consolidation: fields({ enabled: flag }),
      ttlAfterCreated: duration,
      ttlAfterNotReady: duration,
      ttlSecondsUntilExpired: number,
      ttlSecondsAfterEmpty: number,
      limits: fields({ resources }),
      weight: number,
    }),
    status: fields({ conditions }),
  },
  NodeClaim: {
    metadata: metadata('claim'),
    spec: fields(template),
    status: fields({ nodeName: name('node'), providerID: digest, lastPodEventTime: instant, conditions }),
  },
  Node: {
    metadata: metadata('node'),
    spec: fields({ taints, unschedulable: flag, providerID: digest }),
    status: fields({ allocatable: resources, conditions }),
  },
};
