// Anonymised objects: what is on the allow-list is kept, every name is masked alike wherever it is written, and the decision stays the same.
import { budgetFields, disruptionFields, poolDefinitionName } from '../../../kinds/read/addedFields.ts';
import { eventReasons } from '../../../kinds/read/event.ts';
import type { Json } from '../../../kinds/read/reader.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { classGroups, classKinds } from './allowed.ts';
import { ledgerSpec } from './maskLedger.ts';
import {
  annotations,
  budgets,
  labels,
  metadata,
  metadataInNamespace,
  metadataWith,
  requirements,
  resources,
  selector,
  taints,
} from './maskMetadata.ts';
import { podRules, volumeRules, withNamedClaims } from './maskPods.ts';
import { Masks } from './masks.ts';
import {
  apiVersion,
  conditions,
  count,
  cron,
  date,
  dates,
  digest,
  digestMap,
  duration,
  each,
  fields,
  flag,
  instant,
  keepText,
  type MaskRule,
  masked,
  name,
  nameUnless,
  number,
  oneOf,
  timeZone,
  weeks,
} from './rules.ts';

type FieldRules = Readonly<Record<string, MaskRule>>;

const nodeClass: MaskRule = fields({
  group: nameUnless('group', classGroups),
  apiVersion: apiVersion((group, masks) => (classGroups.has(group) ? group : masks.name('group', group))),
  kind: nameUnless('kind', classKinds),
  name: name('class'),
});

/** What a pool asks of a node, and a claim was made with. */
const template: FieldRules = {
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

const templateOfPool: MaskRule = fields({ metadata: fields({ labels, annotations }), spec: fields(template) });

const consolidationPolicy: MaskRule = oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced', 'WhenUnderutilized');

const disruption: MaskRule = fields({
  budgets,
  consolidationPolicy,
  consolidateAfter: duration,
  expireAfter: duration,
  repairAfter: duration,
});

const poolRules: Readonly<Record<string, FieldRules>> = {
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

const actions = 'Expiration Consolidation EmptyConsolidation NonEmptyConsolidation Drift Rebalance Repair'.split(' ');

/** P2: a period, or one opening of the window. */
const periodOrOpening: MaskRule = (value, masks) => (value === 'opening' ? value : duration(value, masks));

const window: FieldRules = {
  metadata: metadata('window'),
  spec: fields({
    schedules: fields({ cron, duration, timeZone, every: weeks, anchor: date, exceptDates: each(dates) }),
    actions: each(oneOf(...actions)),
    selector,
    mode: oneOf('Block', 'Allow'),
    notBefore: instant,
    notAfter: instant,
    nodes: count,
    per: periodOrOpening,
    approval: flag,
    note: masked,
  }),
};

const manualCheck: MaskRule = fields({ manual: fields({ healthy: flag, message: masked }) });

/** Addresses, queries and names of Secrets decide nothing: only the status does, and whether the check is valid. */
const check: MaskRule = (value, masks) => {
  const read = readObject({ kind: 'HealthGate', metadata: { name: 'gate' }, spec: { check: value } });
  const type = read.kind === 'HealthGate' ? read.record.check?.type : undefined;
  if (type === 'manual') return manualCheck(value, masks);
  return type === undefined ? {} : { http: { url: 'https://example.com' } };
};

const gate: FieldRules = {
  metadata: metadata('gate'),
  spec: fields({
    check,
    actions: each(oneOf(...actions)),
    selector,
    interval: duration,
    failAfter: duration,
    recoverAfter: duration,
    onUnknown: oneOf('Hold', 'Ignore'),
    note: masked,
  }),
  status: fields({
    state: oneOf('Healthy', 'Unhealthy', 'Unknown'),
    since: instant,
    message: masked,
    checkedAt: instant,
    closedSince: instant,
  }),
};

const podSchedule: FieldRules = {
  metadata: metadata('schedule'),
  spec: fields({
    selector,
    namespaceSelector: selector,
    schedule: cron,
    duration,
    timeZone,
    mode: oneOf('Allow', 'Block'),
  }),
};

const event: FieldRules = {
  metadata: metadataInNamespace('event'),
  involvedObject: fields({ kind: oneOf('Node'), name: name('node') }),
  reason: oneOf(...eventReasons),
  message: masked,
  lastTimestamp: instant,
  eventTime: instant,
  firstTimestamp: instant,
  series: fields({ lastObservedTime: instant }),
};

const isThere: MaskRule = () => ({});
const areThere = (names: readonly string[]): FieldRules => Object.fromEntries(names.map((field) => [field, isThere]));
const below = (steps: readonly string[], rule: MaskRule): MaskRule =>
  steps.reduceRight<MaskRule>((inside, step) => fields({ [step]: inside }), rule);

/** Whether it was added to is all that is read of the definition of NodePools (N9). */
const definition: FieldRules = {
  metadata: metadataWith(oneOf(poolDefinitionName)),
  spec: fields({
    versions: fields({
      name: keepText((text) => /^v\d{1,3}((alpha|beta)\d{1,3})?$/.test(text)),
      served: flag,
      schema: below(
        ['openAPIV3Schema', 'properties', 'spec', 'properties', 'disruption', 'properties'],
        fields({
          budgets: below(['items', 'properties'], fields(areThere(budgetFields))),
          ...areThere(disruptionFields),
        }),
      ),
    }),
  }),
};

const rules: Readonly<Record<string, FieldRules>> = {
  ...poolRules,
  ...podRules,
  ...volumeRules,
  PodDisruptionSchedule: podSchedule,
  MaintenanceWindow: window,
  HealthGate: gate,
  Event: event,
  DisruptionLedger: { metadata: metadataWith(nameUnless('text', new Set(['lull']))), spec: ledgerSpec },
  CustomResourceDefinition: definition,
};

const kinds: ReadonlyMap<unknown, MaskRule> = new Map(
  Object.entries(rules).map(([kind, parts]) => [
    kind,
    // Of objects that are read the group is the right one.
    fields({ apiVersion: apiVersion((group) => group), kind: oneOf(kind), ...parts }),
  ]),
);

interface Anonymised {
  readonly objects: readonly Json[];
  readonly masks: Masks;
}

/** Objects that Lull does not read are left out. */
export function anonymise(objects: readonly Json[]): Anonymised {
  const masks = new Masks();
  const read = objects.filter((object) => kinds.has(object.kind) && readObject(object).kind !== 'ignored');
  const mask = (object: Json): Json =>
    kinds.get(object.kind)?.(object.kind === 'Pod' ? withNamedClaims(object) : object, masks) as Json;
  for (const object of read) mask(object);
  masks.settle();
  return { objects: read.map(mask), masks };
}
