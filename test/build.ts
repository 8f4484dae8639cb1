// Builders for tests: plain Kubernetes objects as users write them, and the rounds Lull decides on them.
// Past 300 lines: one place for all builders, since tests read better if their objects come from one place.
import { emptyLedger, type Ledger } from '../src/cluster/ledger.ts';
import type { Reason } from '../src/cluster/reason.ts';
import type { Settings } from '../src/cluster/settings.ts';
import { type Change, ClusterStore } from '../src/cluster/store.ts';
import type { Refusal, RefusalCode } from '../src/engine/refusal.ts';
import { decideRound } from '../src/engine/round.ts';
import type { Round, Verdict } from '../src/engine/verdict.ts';
import { writeLedger } from '../src/kinds/read/disruptionLedger.ts';
import { readObject } from '../src/kinds/readObject.ts';
import { readSettings } from '../src/kinds/readSettings.ts';
import { type Instant, parseInstant } from '../src/time/instant.ts';

export type Plain = Readonly<Record<string, unknown>>;
/** A text that is undefined removes the builder's default. */
type Texts = Readonly<Record<string, string | undefined>>;
export type Objects = readonly (Plain | Objects)[];

/** A Tuesday. */
export const noon = '2026-03-10T12:00:00Z';
/** Nine days before: everything has settled, nothing has expired. */
export const longAgo = '2026-03-01T00:00:00Z';
export const zone = 'topology.kubernetes.io/zone';

/** As a file would have it: undefined fields are absent. */
const plain = (object: Plain): Plain => JSON.parse(JSON.stringify(object));

/** Metadata that every object may have. */
interface Parts {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly created?: string;
  readonly deleted?: string;
}

const metadata = (
  name: string,
  { labels, annotations, created = longAgo, deleted }: Parts,
  own: Texts = {},
): Plain => ({
  name,
  uid: `uid-${name}`,
  creationTimestamp: created,
  deletionTimestamp: deleted,
  labels: { ...own, ...labels },
  annotations,
});

interface NodeParts extends Parts {
  readonly pool?: string;
  /** The status of its condition Ready, and since when. */
  readonly ready?: string;
  readonly readySince?: string;
  readonly allocatable?: Texts;
  /** Fields of `spec`: taints, unschedulable, providerID. */
  readonly spec?: Plain;
}

/** An initialized Ready node of four cores. */
export function node(name = 'n1', parts: NodeParts = {}): Plain {
  const { pool: owner = 'web', ready = 'True', readySince = longAgo, spec = {} } = parts;
  const labels = {
    'karpenter.sh/nodepool': owner,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'kubernetes.io/hostname': name,
  };
  return plain({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: metadata(name, parts, labels),
    spec,
    status: {
      allocatable: { cpu: '4', memory: '16Gi', pods: '110', ...parts.allocatable },
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: readySince }],
    },
  });
}

interface ClaimParts extends Parts {
  readonly pool?: string;
  /** By type: since when it is True, or the whole condition. */
  readonly conditions?: Readonly<Record<string, string | Plain>>;
  readonly lastPodEvent?: string;
  readonly spec?: Plain;
  /** A field of `status`; null = none yet. */
  readonly nodeName?: string | null;
  readonly providerID?: string;
}

/** The launched and initialized claim of a node. */
export function claim(made = 'n1', parts: ClaimParts = {}): Plain {
  const { pool: owner = 'web', nodeName = made, providerID, lastPodEvent: lastPodEventTime, spec = {} } = parts;
  const conditions = { Launched: longAgo, Registered: longAgo, Initialized: longAgo, ...parts.conditions };
  return plain({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: metadata(`${made}-claim`, parts, { 'karpenter.sh/nodepool': owner }),
    spec,
    status: {
      nodeName: nodeName ?? undefined,
      providerID,
      lastPodEventTime,
      conditions: Object.entries(conditions).map(([type, it]) => ({
        type,
        status: 'True',
        ...(typeof it === 'string' ? { lastTransitionTime: it } : it),
      })),
    },
  });
}

interface MachineParts extends NodeParts {
  readonly zone?: string;
  /** Since when its claim has the condition Drifted. */
  readonly drifted?: string;
  readonly claim?: ClaimParts;
}

/** A node with its claim, which has the same labels. */
export function machine(name = 'n1', { zone: where, drifted, claim: own = {}, ...parts }: MachineParts = {}): Plain[] {
  const labels = { ...(where && { [zone]: where }), ...parts.labels };
  const conditions = { ...(drifted && { Drifted: drifted }), ...own.conditions };
  const { pool: owner = 'web', created = longAgo } = parts;
  return [node(name, { ...parts, labels }), claim(name, { pool: owner, created, labels, ...own, conditions })];
}

interface PoolParts extends Parts {
  /** Fields of `spec` other than template and disruption: limits, replicas, weight. */
  readonly spec?: Plain;
  /** Labels of the template, and fields of its `spec`. */
  readonly template?: Plain;
  readonly templateLabels?: Texts;
  readonly status?: Plain;
  /** Every other field is under `spec.disruption`; null removes the builder's default. */
  readonly [field: string]: unknown;
}

/** A pool without a limit and without consolidation, so that a test covers one thing. */
export function pool(name = 'web', parts: PoolParts = {}): Plain {
  const { labels, annotations, created, deleted, spec, template = {}, templateLabels, status = {}, ...own } = parts;
  const disruption = { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', ...own };
  const given = Object.entries(disruption).filter(([, value]) => value !== null);
  return plain({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: metadata(name, parts),
    spec: {
      ...spec,
      disruption: Object.fromEntries(given),
      template: { metadata: { labels: templateLabels }, spec: template },
    },
    status,
  });
}

/** Karpenter's event about a node. */
export const karpenterEvent = (on: string, reason: string, message: string, lastTimestamp = noon): Plain => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'default', name: `${on}.${reason}` },
  involvedObject: { kind: 'Node', name: on },
  reason,
  message,
  source: { component: 'karpenter' },
  lastTimestamp,
});

interface PodParts extends Parts {
  readonly namespace?: string;
  /** Kind of its owner, or kind and name: `Job`, `StatefulSet/db`. */
  readonly owner?: string;
  readonly cpu?: string;
  readonly spec?: Plain;
  readonly phase?: string;
  readonly ready?: string;
  readonly started?: string;
  readonly status?: Plain;
}

/** A running pod of a ReplicaSet; an empty node = not bound yet. */
export function pod(name = 'p1', nodeName = 'n1', parts: PodParts = {}): Plain {
  const { namespace = 'shop', owner = 'ReplicaSet', cpu = '100m', ready = 'True', phase = 'Running' } = parts;
  const [kind = '', ownerName = 'web'] = owner.split('/');
  const apiVersion = kind === 'Node' ? 'v1' : 'apps/v1';
  const reference = { apiVersion, kind, name: ownerName, uid: `uid-${kind}-${ownerName}`, controller: true };
  const labels = parts.labels ?? { app: 'web' };
  return plain({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata(name, { ...parts, labels }), namespace, ownerReferences: [reference] },
    spec: { nodeName: nodeName || undefined, containers: [{ resources: { requests: { cpu } } }], ...parts.spec },
    status: {
      phase,
      startTime: parts.started ?? longAgo,
      conditions: [{ type: 'Ready', status: ready }],
      ...parts.status,
    },
  });
}

export function pdb(name: string, allowed: number, spec: Plain = { selector: { matchLabels: { app: 'web' } } }): Plain {
  const metadata = { name, namespace: 'shop' };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec,
    status: { disruptionsAllowed: allowed },
  };
}

export const maintenanceWindow = (name: string, spec: Plain = {}): Plain =>
  plain({ apiVersion: 'karpenter.sh/v1alpha1', kind: 'MaintenanceWindow', metadata: { name }, spec });

/** Over every node, with a manual check unless the spec has another. */
export const healthGate = (name: string, spec: Plain = {}, status?: Plain): Plain =>
  plain({
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'HealthGate',
    metadata: { name },
    spec: { check: { manual: { healthy: false } }, ...spec },
    status,
  });

export const podSchedule = (name: string, spec: Plain): Plain =>
  plain({ apiVersion: 'karpenter.sh/v1alpha1', kind: 'PodDisruptionSchedule', metadata: { name }, spec });

export function at(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`"${text}" is not an instant`);
  return instant;
}

/** From the fields of its `spec`, as in a cluster. */
export function ledger(spec: Plain): Ledger {
  const read = readObject({ kind: 'DisruptionLedger', metadata: { name: 'lull' }, spec: { version: 1, ...spec } });
  if (read.kind !== 'DisruptionLedger' || read.faults.length > 0) throw new Error(JSON.stringify(read));
  return read.record;
}

/** A drift command of Lull's for one node, as in the ledger. */
export const command = (nodeName: string, fields: Plain = {}): Plain => ({
  id: `drifted-${nodeName}`,
  reason: 'Drifted',
  pool: 'web',
  hands: 'lull',
  nodes: [{ name: nodeName }],
  step: 'draining',
  startedAt: '2026-03-10T11:00:00Z',
  stepAt: '2026-03-10T11:00:00Z',
  ...fields,
});

/** The same, started a minute before noon, with its claim; in the given step. */
export const underway = (nodeName: string, fields: Plain = {}): Plain =>
  command(nodeName, {
    nodes: [{ name: nodeName, claim: `${nodeName}-claim` }],
    startedAt: '2026-03-10T11:59:00Z',
    stepAt: '2026-03-10T11:59:00Z',
    ...fields,
  });

/** A node's spec with Lull's taint, as a command leaves it. */
export const marked = (id = 'drifted-n1', ...others: readonly Plain[]): Plain => ({
  taints: [
    ...others,
    { key: 'lull.dev/disrupted', value: id, effect: 'NoSchedule', timeAdded: '2026-03-10T11:59:00Z' },
  ],
});

/** `evict shop/p1`, `delete shop/p1 in 30s`, `patch Node n1`: the requests of a round, in order. */
export const requestsOf = ({ actions }: Round): string[] =>
  actions.map(({ verb, kind, namespace, name, graceSeconds }) => {
    const what = kind === 'Pod' ? `${namespace}/${name}` : `${kind} ${name}`;
    return `${verb} ${what}${graceSeconds === undefined ? '' : ` in ${graceSeconds}s`}`;
  });

export function settings(values: Plain = {}): Settings {
  const read = readSettings(values);
  if (read.faults.length > 0) throw new Error(JSON.stringify(read.faults));
  return read.settings;
}

export function changesOf(objects: Objects): Change[] {
  return objects.flat(9).flatMap((object) => {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error(JSON.stringify(object));
    return [{ kind: read.kind, put: read.record, faults: read.faults } as Change];
  });
}

export function storeOf(...objects: Objects): ClusterStore {
  const store = new ClusterStore();
  for (const change of changesOf(objects)) store.apply(change);
  return store;
}

interface Asking {
  readonly at?: string;
  /** As in a settings file. */
  readonly settings?: Plain;
  readonly ledger?: Ledger;
}

/** The round over these objects at noon, in drive. */
export function decide(objects: Objects, { at: when = noon, settings: values, ledger: known }: Asking = {}): Round {
  const facts = { cluster: storeOf(...objects), ledger: known ?? emptyLedger };
  return decideRound(facts, at(when), settings({ role: 'drive', ...values }));
}

export function verdictOf({ verdicts }: Round, name: string, reason: Reason): Verdict {
  const verdict = verdicts.find((it) => it.node === name && it.reason === reason);
  if (!verdict) throw new Error(`${name} has no verdict for ${reason}`);
  return verdict;
}

/** Each code that refuses it, in order. */
export const codesOf = (round: Round, name: string, reason: Reason): RefusalCode[] =>
  verdictOf(round, name, reason).refusals.map(({ code }) => code);

export function refusalOf(round: Round, name: string, reason: Reason, code: RefusalCode): Refusal {
  const refusal = verdictOf(round, name, reason).refusals.find((it) => it.code === code);
  if (!refusal) throw new Error(`${name} is not refused with ${code}, but ${codesOf(round, name, reason)}`);
  return refusal;
}

/** `n1 Drifted` for each node that is disrupted, in the order in which commands were started. */
export const startsOf = ({ commands, at: now }: Round): string[] =>
  commands.filter(({ startedAt }) => startedAt === now).map(({ nodes, reason }) => `${nodes[0]?.name} ${reason}`);

/** A cluster that is decided repeatedly: objects are added and removed, and each round gets the ledger of the one before. */
export class Story {
  readonly #changes: Change[] = [];
  readonly #settings: Settings;
  #store = new ClusterStore();
  ledger = emptyLedger;

  constructor(objects: Objects, values: Plain = {}) {
    this.#settings = settings({ role: 'drive', ...values });
    this.put(...objects);
  }

  put(...objects: Objects): void {
    this.#apply(changesOf(objects));
  }

  /** Removes the nodes, their claims and the commands over them, which are finished. */
  gone(...names: readonly string[]): void {
    this.#apply(names.map((gone) => ({ kind: 'Node', gone })));
    this.#apply(names.map((name) => ({ kind: 'NodeClaim', gone: `${name}-claim` })));
    const commands = this.ledger.commands.filter(({ nodes }) => !nodes.some(({ name }) => names.includes(name)));
    this.ledger = { ...this.ledger, commands };
  }

  /** Loses all state of the process; the ledger is read again as it was written. */
  restart(): void {
    this.#store = new ClusterStore();
    for (const change of this.#changes) this.#store.apply(change);
    this.ledger = ledger(plain(writeLedger(this.ledger).spec as Plain));
  }

  decide(when: string): Round {
    const round = decideRound({ cluster: this.#store, ledger: this.ledger }, at(when), this.#settings);
    this.ledger = round.ledger;
    return round;
  }

  #apply(changes: readonly Change[]): void {
    this.#changes.push(...changes);
    for (const change of changes) this.#store.apply(change);
  }
}
