// A whole situation as plain data: Kubernetes objects with the ledger, settings and an instant.

export interface Plain {
  readonly at: string;
  readonly settings: PlainSettings;
  readonly objects: readonly PlainObject[];
}

export interface PlainSettings {
  role?: 'observe' | 'guide' | 'drive';
  pools?: string;
  defaultBudgets?: 'fallback' | 'ceiling';
  endingMachines?: 'count' | 'ignore';
  expiration?: 'graceful' | 'forceful';
  expireLead?: string;
  drift?: 'claims' | 'computed';
  repairAfter?: string;
  repairBreaker?: string;
  windowMargin?: string;
  catalogue?: readonly unknown[];
}

export type Texts = Record<string, string>;

export interface Metadata {
  name: string;
  namespace?: string;
  uid?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Texts;
  annotations?: Texts;
  ownerReferences?: readonly { apiVersion: string; kind: string; name: string; uid: string; controller: true }[];
}

export interface PlainCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
}

export interface PlainTaint {
  key: string;
  value?: string;
  effect: string;
}

export interface PlainExpression {
  key: string;
  operator: string;
  values?: readonly string[];
}

export interface PlainSelector {
  matchLabels?: Texts;
  matchExpressions?: readonly PlainExpression[];
}

export interface PlainNode {
  apiVersion: 'v1';
  kind: 'Node';
  metadata: Metadata;
  spec: { providerID?: string; taints?: readonly PlainTaint[]; unschedulable?: boolean };
  status: { conditions?: readonly PlainCondition[]; allocatable?: Texts };
}

export interface PlainClaim {
  apiVersion: 'karpenter.sh/v1';
  kind: 'NodeClaim';
  metadata: Metadata;
  spec: { expireAfter?: string; terminationGracePeriod?: string; taints?: readonly PlainTaint[] };
  status: {
    nodeName?: string;
    providerID?: string;
    lastPodEventTime?: string;
    conditions?: readonly PlainCondition[];
  };
}

export interface PlainBudget {
  nodes?: string | number;
  maxUnavailable?: string | number;
  reasons?: readonly string[];
  reason?: string;
  schedule?: string;
  crontab?: string;
  duration?: string;
  timeZone?: string;
  topologyKey?: string;
  sequential?: boolean;
  settle?: string;
  patience?: string;
  driftAfter?: string;
  waves?: string[];
  per?: string;
  haltAfter?: number;
}

export interface PlainPool {
  apiVersion: 'karpenter.sh/v1' | 'karpenter.sh/v1alpha5';
  kind: 'NodePool' | 'Provisioner';
  metadata: Metadata;
  spec: {
    disruption?: {
      budgets?: readonly PlainBudget[];
      consolidationPolicy?: string;
      consolidateAfter?: string;
      expireAfter?: string;
      repairAfter?: string;
    };
    replicas?: number;
    limits?: Texts;
    consolidation?: { enabled: boolean };
    ttlSecondsAfterEmpty?: number;
    ttlSecondsUntilExpired?: number;
    ttlAfterNotReady?: string;
    template?: {
      metadata?: { labels?: Texts };
      spec: { expireAfter?: string; taints?: readonly PlainTaint[]; requirements?: readonly PlainExpression[] };
    };
  };
  status?: { conditions?: readonly PlainCondition[] };
}

export interface PlainPod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: Metadata;
  spec: {
    nodeName?: string;
    nodeSelector?: Texts;
    affinity?: unknown;
    priority?: number;
    tolerations?: readonly { key?: string; operator?: string; value?: string; effect?: string }[];
    containers: readonly { name: string; resources: { requests: Texts } }[];
  };
  status: {
    phase: string;
    startTime?: string;
    nominatedNodeName?: string;
    conditions?: readonly PlainCondition[];
  };
}

export interface PlainPdb {
  apiVersion: 'policy/v1';
  kind: 'PodDisruptionBudget';
  metadata: Metadata;
  spec: { selector?: PlainSelector; unhealthyPodEvictionPolicy?: string };
  status?: { disruptionsAllowed?: number };
}

export interface PlainPodSchedule {
  apiVersion: 'karpenter.sh/v1alpha1';
  kind: 'PodDisruptionSchedule';
  metadata: Metadata;
  spec: {
    selector?: PlainSelector;
    namespaceSelector?: PlainSelector;
    schedule?: string;
    duration?: string;
    timeZone?: string;
    mode?: string;
  };
}

export interface PlainWindow {
  apiVersion: 'karpenter.sh/v1alpha1';
  kind: 'MaintenanceWindow';
  metadata: Metadata;
  spec: {
    mode?: string;
    schedules?: readonly { cron?: string; duration?: string; timeZone?: string }[];
    actions?: readonly string[];
    selector?: PlainSelector;
    nodes?: string;
    approval?: boolean;
    per?: string;
    notBefore?: string;
    notAfter?: string;
    note?: string;
  };
}

export interface PlainGate {
  apiVersion: 'lull.dev/v1alpha1';
  kind: 'HealthGate';
  metadata: Metadata;
  spec: {
    check: { http?: { url: string }; manual?: { healthy: boolean } };
    interval?: string;
    failAfter?: string;
    recoverAfter?: string;
    onUnknown?: string;
    actions?: readonly string[];
    selector?: PlainSelector;
  };
  status?: { state: string; since: string; checkedAt: string; message: string; closedSince?: string };
}

export interface PlainNamespace {
  apiVersion: 'v1';
  kind: 'Namespace';
  metadata: Metadata;
}

export interface PlainCommand {
  id: string;
  reason: string;
  pool: string;
  hands: 'lull' | 'karpenter';
  nodes: readonly { name: string; claim?: string; domain?: string }[];
  replacements?: readonly { name: string; pool: string }[];
  promisedTo?: readonly string[];
  step: string;
  startedAt: string;
  stepAt: string;
}

export interface PlainTurn {
  pool: string;
  topologyKey: string;
  domain?: string;
  takenAt: string;
  progressAt: string;
  unreadyAtStart?: readonly string[];
  replacements?: readonly string[];
  expected?: readonly { owner: string; name: string; running: number }[];
  wellSince?: string;
  passedOver?: readonly (string | null)[];
}

export interface PlainStarts {
  kind: 'NodePool' | 'MaintenanceWindow';
  name: string;
  minutes: readonly { at: string; nodes: number }[];
  leaving: readonly string[];
}

export interface PlainLedger {
  apiVersion: 'lull.dev/v1alpha1';
  kind: 'DisruptionLedger';
  metadata: Metadata;
  spec: {
    version: 1;
    commands?: readonly PlainCommand[];
    turns?: readonly PlainTurn[];
    rolls?: readonly PlainRoll[];
    backoffs?: readonly { pool: string; until: string; delay: string }[];
    declined?: readonly { node: string; at: string }[];
    starts?: readonly PlainStarts[];
  };
}

export interface PlainRoll {
  pool: string;
  startedAt: string;
  counted: number;
  done: number;
  wave: number;
  waveAt: string;
  inFlight?: readonly string[];
  unreadyAtStart?: readonly string[];
  replacements?: readonly string[];
  expected?: readonly { owner: string; name: string; running: number }[];
  wellSince?: string;
  failures?: number;
  haltedAt?: string;
}

export type PlainObject =
  | PlainNode
  | PlainClaim
  | PlainPool
  | PlainPod
  | PlainPdb
  | PlainPodSchedule
  | PlainWindow
  | PlainGate
  | PlainNamespace
  | PlainLedger;

export const zoneKey = 'topology.kubernetes.io/zone';
export const rackKey = 'example.com/rack';
export const poolKey = 'karpenter.sh/nodepool';
