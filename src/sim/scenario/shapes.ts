// The object kinds a simulated cluster may contain with the types of their fields, and helpers for reading scenarios.

import { brief } from '../../kinds/read/findings.ts';
import { nearest } from '../../kinds/read/nearMiss.ts';
import { orList, type Reader, useDuration } from '../../kinds/read/reader.ts';
import { parseDuration } from '../../time/duration.ts';
import { after, type Duration, type Instant, parseInstant } from '../../time/instant.ts';

/** The type of a field. Fields that a map does not name are not checked. */
type Shape =
  | 'text'
  | 'texts'
  | 'amounts'
  | 'boolean'
  | 'whole'
  | 'number or percent'
  | { readonly [field: string]: Shape }
  | readonly [Shape];

/** The largest plausible number: a simulation runs in one process, so anything above is a typo. */
export const mostOfAnything = 200_000;

/** Reports a fault for each field of the wrong type. */
export function checkShape(reader: Reader, fields: { readonly [field: string]: Shape }): void {
  for (const [field, shape] of Object.entries(fields)) checkField(reader, field, shape);
}

function checkField(reader: Reader, field: string, shape: Shape): void {
  if (typeof shape !== 'string') {
    if (isList(shape)) checkList(reader, field, shape[0]);
    else if (reader.has(field)) checkShape(reader.map(field), shape);
    return;
  }
  switch (shape) {
    case 'text':
      reader.text(field);
      break;
    case 'texts':
      reader.textMap(field);
      break;
    case 'amounts':
      reader.resources(field);
      break;
    case 'boolean':
      reader.boolean(field);
      break;
    case 'whole':
      reader.whole(field, 0, mostOfAnything);
      break;
    case 'number or percent':
      checkShare(reader, field);
  }
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

function checkList(reader: Reader, field: string, shape: Shape): void {
  if (shape === 'text') reader.texts(field);
  else if (typeof shape === 'object' && !isList(shape)) for (const item of reader.maps(field)) checkShape(item, shape);
}

function checkShare(reader: Reader, field: string): void {
  const value = reader.raw(field);
  const isShare = Number.isInteger(value) || (typeof value === 'string' && /^\d+%?$/.test(value));
  if (value !== undefined && !isShare)
    reader.wrong(field, 'number of pods', 'Use a number, or a percentage such as 25%.');
}

/** Reports every unknown key, with a suggestion. */
export function refuseUnknown(reader: Reader, known: readonly string[]): void {
  for (const key of Object.keys(reader.values)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const remedy = meant ? `Did you mean ${meant}?` : `Use ${orList(known)}.`;
    reader.fault(key, `Unknown field ${brief(key)}. ${remedy}`);
  }
}

/** A required text. */
export function needText(reader: Reader, key: string, example: string): string {
  if (!reader.has(key)) reader.fault(key, `${key} is missing. Give one, such as ${example}.`);
  return reader.text(key) ?? '';
}

export function needDuration(reader: Reader, key: string): Duration | undefined {
  if (!reader.has(key)) reader.fault(key, `${key} is missing. ${useDuration}`);
  return reader.duration(key);
}

/** A required name of an object in the scenario. */
export function needName(reader: Reader, key: string, known: readonly string[]): string {
  const name = needText(reader, key, known[0] ?? 'a name');
  if (name === '' || known.includes(name)) return name;
  const meant = nearest(name, known);
  const remedy = meant ? `Did you mean ${meant}?` : known.length > 0 ? `Use ${orList(known)}.` : 'Add one.';
  reader.fault(key, `There is no ${key} ${brief(name)} in this scenario. ${remedy}`);
  return name;
}

/** Requires exactly one of the keys. */
export function theOnly(reader: Reader, keys: readonly string[], what: string): string | undefined {
  const given = keys.filter((key) => reader.has(key));
  if (given.length === 1) return given[0];
  const found = given.length === 0 ? `does not name ${what}` : `has both ${given.join(' and ')}`;
  const own = reader.path().slice(reader.path().lastIndexOf('.') + 1);
  reader.findings.add(reader.path(), undefined, `${own} ${found}. Use one of ${orList(keys)}.`);
  return undefined;
}

/** An instant of the simulation: a time since the start (`2h`), or a timestamp. */
export function readMoment(reader: Reader, key: string, from: Instant): Instant | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const elapsed = typeof value === 'string' ? parseDuration(value) : undefined;
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (elapsed !== undefined && elapsed >= 0) return after(from, elapsed);
  if (instant !== undefined && instant >= from) return instant;
  return reader.wrong(
    key,
    'time in this scenario',
    'Use a time since the start such as 90m, or a later timestamp in RFC 3339.',
  );
}

export interface ObjectKind {
  readonly group: string;
  readonly spec: { readonly [field: string]: Shape };
}

const requirements: Shape = [{ key: 'text', operator: 'text', values: ['text'] }];
const taints: Shape = [{ key: 'text', value: 'text', effect: 'text' }];
const selector: Shape = { matchLabels: 'texts', matchExpressions: requirements };
const metadata: Shape = { labels: 'texts', annotations: 'texts' };
const containers: Shape = [
  {
    name: 'text',
    restartPolicy: 'text',
    resources: { requests: 'amounts' },
    ports: [{ hostPort: 'whole', containerPort: 'whole', hostIP: 'text', protocol: 'text' }],
  },
];
const nodeTerm: Shape = { matchExpressions: requirements, matchFields: requirements };
const podTerm: Shape = {
  topologyKey: 'text',
  labelSelector: selector,
  namespaces: ['text'],
  namespaceSelector: selector,
  matchLabelKeys: ['text'],
  mismatchLabelKeys: ['text'],
};
const podAffinity: Shape = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'whole', podAffinityTerm: podTerm }],
};

const pod = {
  nodeName: 'text',
  containers,
  initContainers: containers,
  overhead: 'amounts',
  resources: { requests: 'amounts' },
  nodeSelector: 'texts',
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [nodeTerm],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'whole', preference: nodeTerm }],
    },
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  topologySpreadConstraints: [
    {
      topologyKey: 'text',
      maxSkew: 'whole',
      minDomains: 'whole',
      whenUnsatisfiable: 'text',
      labelSelector: selector,
      matchLabelKeys: ['text'],
      nodeAffinityPolicy: 'text',
      nodeTaintsPolicy: 'text',
    },
  ],
  hostNetwork: 'boolean',
  volumes: [{ name: 'text', persistentVolumeClaim: { claimName: 'text' } }],
  tolerations: [{ key: 'text', operator: 'text', value: 'text', effect: 'text' }],
  priorityClassName: 'text',
  terminationGracePeriodSeconds: 'whole',
  restartPolicy: 'text',
} as const satisfies Shape;

const workload = {
  replicas: 'whole',
  parallelism: 'whole',
  completions: 'whole',
  backoffLimit: 'whole',
  podManagementPolicy: 'text',
  strategy: {
    type: 'text',
    rollingUpdate: { maxSurge: 'number or percent', maxUnavailable: 'number or percent' },
  },
  selector,
  template: { metadata, spec: pod },
} as const satisfies Shape;

export const kinds: ReadonlyMap<string, ObjectKind> = new Map<string, ObjectKind>([
  [
    'NodePool',
    {
      group: 'karpenter.sh',
      spec: {
        replicas: 'whole',
        weight: 'whole',
        limits: 'amounts',
        template: {
          metadata,
          spec: { requirements, taints, startupTaints: taints, expireAfter: 'text', terminationGracePeriod: 'text' },
        },
      },
    },
  ],
  ['Deployment', { group: 'apps', spec: workload }],
  ['StatefulSet', { group: 'apps', spec: workload }],
  ['DaemonSet', { group: 'apps', spec: workload }],
  ['Job', { group: 'batch', spec: workload }],
  ['Pod', { group: '', spec: pod }],
  [
    'PodDisruptionBudget',
    {
      group: 'policy',
      spec: {
        selector,
        minAvailable: 'number or percent',
        maxUnavailable: 'number or percent',
        unhealthyPodEvictionPolicy: 'text',
      },
    },
  ],
  ['MaintenanceWindow', { group: 'karpenter.sh', spec: {} }],
  ['HealthGate', { group: 'lull.dev', spec: {} }],
  ['PodDisruptionSchedule', { group: 'karpenter.sh', spec: {} }],
  ['Namespace', { group: '', spec: {} }],
  [
    'PersistentVolumeClaim',
    { group: '', spec: { volumeName: 'text', storageClassName: 'text', accessModes: ['text'] } },
  ],
  [
    'PersistentVolume',
    {
      group: '',
      spec: {
        nodeAffinity: { required: { nodeSelectorTerms: [nodeTerm] } },
        csi: { driver: 'text', volumeHandle: 'text' },
      },
    },
  ],
  ['StorageClass', { group: 'storage.k8s.io', spec: {} }],
  ['CSINode', { group: 'storage.k8s.io', spec: { drivers: [{ name: 'text', allocatable: { count: 'whole' } }] } }],
]);
