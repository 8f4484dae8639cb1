// How is a cluster shown to people who may not know what runs there? With every name masked alike wherever it stands, so that the decision stays what it is.
import type { Json } from '../../kinds/reader.ts';
import { ledgerSpec } from './ledger.ts';
import { Masks } from './masks.ts';
import { annotations, budgets, metadata } from './metadata.ts';
import { affinity, container, containerStatus, spread, volumes, withNamedClaims } from './podSpec.ts';
import {
  digest,
  digestMap,
  fields,
  freeText,
  keep,
  labels,
  name,
  type Rule,
  requirements,
  resources,
  selector,
  taints,
  word,
} from './rules.ts';
import { volumeRules } from './volumes.ts';

const about = { apiVersion: keep, kind: keep };

const conditions: Rule = fields({ type: keep, status: keep, lastTransitionTime: keep, reason: word });

const nodeClass: Rule = fields({ group: keep, apiVersion: keep, kind: keep, name: name('class') });

/** What a pool asks of a node, and a claim was made with. */
const template = {
  taints,
  startupTaints: taints,
  requirements,
  nodeClassRef: nodeClass,
  providerRef: nodeClass,
  expireAfter: keep,
  terminationGracePeriod: keep,
  kubelet: digestMap,
  kubeletConfiguration: digestMap,
};

const templateOfPool: Rule = fields({ metadata: fields({ labels, annotations }), spec: fields(template) });

const disruption: Rule = fields({
  budgets,
  consolidationPolicy: keep,
  consolidateAfter: keep,
  expireAfter: keep,
  repairAfter: keep,
});

const pool: Rule = fields({
  ...about,
  metadata: metadata('pool'),
  spec: fields({
    disruption,
    consolidationPolicy: keep,
    consolidateAfter: keep,
    replicas: keep,
    limits: resources,
    weight: keep,
    template: templateOfPool,
  }),
  status: fields({ conditions }),
});

const provisioner: Rule = fields({
  ...about,
  metadata: metadata('pool'),
  spec: fields({
    ...template,
    labels,
    annotations,
    disruption,
    template: templateOfPool,
    metadata: fields({ labels, annotations }),
    consolidation: fields({ enabled: keep }),
    ttlAfterCreated: keep,
    ttlAfterNotReady: keep,
    ttlSecondsUntilExpired: keep,
    ttlSecondsAfterEmpty: keep,
    limits: fields({ resources }),
    weight: keep,
  }),
  status: fields({ conditions }),
});

const priorityClass: Rule = (value, masks) =>
  typeof value === 'string' && !value.startsWith('system-') ? masks.name('priority', value) : value;

const pod: Rule = fields({
  ...about,
  metadata: metadata('pod'),
  spec: fields({
    nodeName: name('node'),
    nodeSelector: labels,
    affinity,
    topologySpreadConstraints: spread,
    tolerations: taints,
    priority: keep,
    priorityClassName: priorityClass,
    terminationGracePeriodSeconds: keep,
    resources: fields({ requests: resources }),
    overhead: resources,
    containers: container,
    initContainers: container,
    hostNetwork: keep,
    volumes,
  }),
  status: fields({
    phase: keep,
    startTime: keep,
    nominatedNodeName: name('node'),
    conditions: fields({ type: keep, status: keep, reason: word }),
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  }),
});

const daemonSet: Rule = fields({
  ...about,
  metadata: metadata('daemonset'),
  spec: fields({
    template: fields({
      spec: fields({
        nodeSelector: labels,
        affinity,
        tolerations: taints,
        resources: fields({ requests: resources }),
        overhead: resources,
        containers: container,
        initContainers: container,
        hostNetwork: keep,
      }),
    }),
  }),
});

const node: Rule = fields({
  ...about,
  metadata: metadata('node'),
  spec: fields({ taints, unschedulable: keep, providerID: digest }),
  status: fields({ allocatable: resources, conditions }),
});

const claim: Rule = fields({
  ...about,
  metadata: metadata('claim'),
  spec: fields(template),
  status: fields({ nodeName: name('node'), providerID: digest, lastPodEventTime: keep, conditions }),
});

const pdb: Rule = fields({
  ...about,
  metadata: metadata('pdb'),
  spec: fields({ selector, unhealthyPodEvictionPolicy: keep, minAvailable: keep, maxUnavailable: keep }),
  status: fields({ disruptionsAllowed: keep, expectedPods: keep }),
});

const window: Rule = fields({
  ...about,
  metadata: metadata('window'),
  spec: fields({
    schedules: fields({ cron: keep, duration: keep, timeZone: keep }),
    actions: keep,
    selector,
    mode: keep,
    notBefore: keep,
    notAfter: keep,
    nodes: keep,
    note: freeText,
  }),
});

const podSchedule: Rule = fields({
  ...about,
  metadata: metadata('schedule'),
  spec: fields({
    selector,
    namespaceSelector: selector,
    schedule: keep,
    duration: keep,
    timeZone: keep,
    mode: keep,
  }),
});

const event: Rule = fields({
  ...about,
  metadata: metadata('event'),
  involvedObject: fields({ kind: keep, name: name('node') }),
  reason: word,
  message: freeText,
  lastTimestamp: keep,
  eventTime: keep,
  firstTimestamp: keep,
});

const rules: Readonly<Record<string, Rule>> = {
  Namespace: fields({ ...about, metadata: metadata('namespace') }),
  NodePool: pool,
  Provisioner: provisioner,
  NodeClaim: claim,
  Node: node,
  Pod: (value, masks) => pod(withNamedClaims(value), masks),
  ...volumeRules,
  DaemonSet: daemonSet,
  PodDisruptionBudget: pdb,
  PodDisruptionSchedule: podSchedule,
  MaintenanceWindow: window,
  Event: event,
  DisruptionLedger: fields({ ...about, metadata: metadata('its own'), spec: ledgerSpec }),
  // The definition of NodePools is the same everywhere: only whether it was added to matters.
  CustomResourceDefinition: keep,
};

/** Kinds without a rule are left out. */
export function anonymise(objects: readonly Json[]): readonly Json[] {
  const masks = new Masks();
  const mask = (object: Json): Json | undefined => {
    const { kind } = object;
    const rule = typeof kind === 'string' && Object.hasOwn(rules, kind) ? rules[kind] : undefined;
    return rule?.(object, masks) as Json | undefined;
  };
  for (const object of objects) mask(object);
  masks.settle();
  return objects.map(mask).filter((object) => object !== undefined);
}
