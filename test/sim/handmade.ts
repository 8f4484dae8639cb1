// A cluster made by hand, for tests of the checks: raw objects and ledgers, and the violations found.
import { emptyLedger } from '../../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../src/cluster/settings.ts';
import type { ApiRequest, ApiResponse } from '../../src/runtime/port.ts';
import { watchedKinds } from '../../src/sim/checks/authorView.ts';
import { type Checks, openChecks } from '../../src/sim/checks/checks.ts';
import { type Json, type KubeObject, keyAt, type Texts } from '../../src/sim/kubeObject.ts';
import { Objects } from '../../src/sim/objects.ts';
import { VirtualClock } from '../../src/sim/virtualClock.ts';
import {
  asDuration,
  type Duration,
  formatInstant,
  type Instant,
  minute,
  parseInstant,
} from '../../src/time/instant.ts';

export const noon = parseInstant('2026-11-16T12:00:00Z') as Instant;
export const zone = 'topology.kubernetes.io/zone';

interface NodeForm {
  readonly pool?: string;
  readonly zone?: string;
  readonly ready?: boolean;
  readonly initialized?: boolean;
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly taints?: readonly Json[];
  /** Of the claim. */
  readonly spec?: Json;
}

interface PodForm {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly owner?: string;
  readonly spec?: Json;
  readonly ready?: boolean;
}

export interface CommandForm {
  readonly id?: string;
  readonly node: string;
  readonly reason?: string;
  readonly pool?: string;
  readonly step?: string;
  readonly hands?: string;
  readonly parkedAt?: Instant;
  readonly replacements?: readonly string[];
  readonly domain?: string;
  readonly evictedAt?: Instant;
  readonly stepAt?: Instant;
  readonly startedAt?: Instant;
}

const condition = (type: string, is: boolean, at: Instant) => ({
  type,
  status: is ? 'True' : 'False',
  lastTransitionTime: formatInstant(at),
});

export class Handmade {
  readonly clock = new VirtualClock(noon);
  readonly objects = new Objects(this.clock);
  readonly checks: Checks;
  #requests = 0;

  constructor(settings: Partial<Settings> = {}) {
    this.checks = openChecks(this, { settings: { ...defaultSettings, role: 'drive', drift: 'computed', ...settings } });
  }

  /** The violated clauses, each once, in order. */
  get broken(): string[] {
    return [...new Set(this.checks.violations.map(({ rule }) => rule))];
  }

  later(elapsed: Duration): this {
    this.clock.in(elapsed, () => undefined);
    this.clock.step();
    return this;
  }

  put(kind: string, name: string, fields: Json): KubeObject {
    const { metadata, ...rest } = fields;
    const object = { apiVersion: versions[kind] ?? 'v1', kind, metadata: { name, ...(metadata as Json) }, ...rest };
    const result = this.objects.create(object as KubeObject, 'script');
    if (!result.ok) throw new Error(result.message);
    return result.object;
  }

  pool(name: string, budgets?: readonly Json[], more: { disruption?: Json; template?: Json } = {}): void {
    const template = { metadata: { labels: {} }, spec: {}, ...more.template };
    this.put('NodePool', name, { spec: { template, disruption: { ...(budgets && { budgets }), ...more.disruption } } });
  }

  /** A node and its claim, which has the same name. */
  node(name: string, form: NodeForm = {}): void {
    const { pool = 'web', ready = true, initialized = true, annotations, taints = [], spec = {} } = form;
    const labels = { 'karpenter.sh/nodepool': pool, ...(form.zone && { [zone]: form.zone }), ...form.labels };
    const providerID = `box://${name}`;
    this.put('NodeClaim', name, {
      metadata: { labels },
      spec,
      status: { providerID, nodeName: name, conditions: [condition('Initialized', initialized, noon)] },
    });
    const registered = {
      'karpenter.sh/registered': 'true',
      ...(initialized && { 'karpenter.sh/initialized': 'true' }),
    };
    this.put('Node', name, {
      metadata: { labels: { ...labels, ...registered }, ...(annotations && { annotations }) },
      spec: { providerID, taints },
      status: { conditions: [condition('Ready', ready, this.clock.now)] },
    });
  }

  nodes(count: number, form: NodeForm = {}): void {
    for (let index = 1; index <= count; index++) this.node(`n${index}`, form);
  }

  pod(
    name: string,
    node: string,
    { labels = {}, annotations, owner = 'web', spec, ready = true }: PodForm = {},
  ): KubeObject {
    const [kind, ownerName = kind] = owner.includes('/') ? owner.split('/') : ['ReplicaSet', owner];
    return this.put('Pod', name, {
      metadata: {
        namespace: 'shop',
        labels,
        ...(annotations && { annotations }),
        ownerReferences: [{ apiVersion: 'apps/v1', kind, name: ownerName, uid: `uid-${owner}`, controller: true }],
      },
      spec: { nodeName: node, ...spec },
      status: { phase: 'Running', startTime: formatInstant(noon), conditions: [condition('Ready', ready, noon)] },
    });
  }

  pdb(name: string, allowed: number, labels: Texts = { app: 'web' }): void {
    const status = {
      disruptionsAllowed: allowed,
      observedGeneration: 1,
      expectedPods: 9,
      currentHealthy: 9,
      desiredHealthy: 1,
    };
    this.put('PodDisruptionBudget', name, {
      metadata: { namespace: 'shop' },
      spec: { selector: { matchLabels: labels } },
      status,
    });
  }

  change(kind: string, key: string, next: (object: KubeObject) => KubeObject, by = 'script'): void {
    this.objects.write(kind, key, by, next);
  }

  unready(...nodes: readonly string[]): void {
    for (const name of nodes)
      this.change('Node', name, (node) => ({
        ...node,
        status: { conditions: [condition('Ready', false, this.clock.now)] },
      }));
  }

  /** As a controller writes it that has seen everything except as `seen` says. */
  ledger(
    commands: readonly CommandForm[],
    more: { turns?: readonly Json[]; rolls?: readonly Json[]; seen?: Texts; by?: string } = {},
  ): void {
    const { turns = [], rolls = [], by = 'lull-1' } = more;
    const all = Object.fromEntries(watchedKinds.map((kind) => [kind, String(this.objects.version)]));
    const seen = { ...all, ...more.seen };
    const spec = { version: 1, commands: commands.map((form) => this.#command(form)), turns, rolls, seen };
    const metadata = { name: 'lull' };
    if (this.objects.get('DisruptionLedger', 'lull'))
      this.objects.write('DisruptionLedger', 'lull', by, (object) => ({ ...object, spec }));
    else this.objects.create({ apiVersion: 'lull.dev/v1alpha1', kind: 'DisruptionLedger', metadata, spec }, by);
    const request: ApiRequest = { verb: 'commit', ledger: emptyLedger };
    this.checks.note({ request, answer: { status: 'done' }, at: this.clock.now, by, n: ++this.#requests, seen });
  }

  #command({ node, reason = 'Drifted', pool = 'web', replacements = [], domain, ...form }: CommandForm): Json {
    const now = formatInstant(this.clock.now);
    const first = reason === 'Empty' || reason === 'Underutilized' ? 'chosen' : 'tainted';
    return {
      id: form.id ?? `${reason.toLowerCase()}-${node}`,
      reason,
      pool,
      hands: form.hands ?? 'lull',
      nodes: [{ name: node, claim: node, ...(domain !== undefined && { domain }) }],
      replacements: replacements.map((name) => ({ name, pool })),
      step: form.step ?? first,
      startedAt: form.startedAt === undefined ? now : formatInstant(form.startedAt),
      stepAt: form.stepAt === undefined ? now : formatInstant(form.stepAt),
      ...(form.evictedAt !== undefined && { evictedAt: formatInstant(form.evictedAt) }),
      ...(form.parkedAt !== undefined && { parkedAt: formatInstant(form.parkedAt) }),
    };
  }

  taint(node: string, command: string, by = 'lull-1'): void {
    const ours = { key: 'lull.dev/disrupted', value: command, effect: 'NoSchedule' };
    this.change('Node', node, (object) => ({ ...object, spec: { ...object.spec, taints: [ours] } }), by);
  }

  untaint(node: string, by = 'lull-1'): void {
    this.change('Node', node, (object) => ({ ...object, spec: { ...object.spec, taints: [] } }), by);
  }

  /** A request of a controller, carried out if possible. */
  send(request: Exclude<ApiRequest, { verb: 'commit' }>, by = 'lull-1'): ApiResponse {
    const { kind, namespace, name, preconditions, graceSeconds } = request;
    const key = keyAt(namespace, name);
    const result =
      request.verb === 'evict'
        ? this.objects.evict(key, by, preconditions)
        : request.verb === 'delete'
          ? this.objects.delete(kind, key, by, {
              ...preconditions,
              ...(graceSeconds !== undefined && { graceSeconds }),
            })
          : this.objects.create(request.object as KubeObject, by);
    const answer: ApiResponse = result.ok
      ? { status: 'done' }
      : { status: 'refused', code: result.code, message: result.message };
    this.checks.note({ request, answer, at: this.clock.now, by, n: ++this.#requests });
    return answer;
  }

  evict(name: string, by?: string): ApiResponse {
    const uid = this.objects.get('Pod', `shop/${name}`)?.metadata.uid ?? '';
    return this.send({ verb: 'evict', kind: 'Pod', namespace: 'shop', name, preconditions: { uid } }, by);
  }

  /** Everything up to a drain: started, tainted and draining. */
  drains(node: string, form: Partial<CommandForm> = {}): void {
    const command = { node, ...form };
    const id = form.id ?? `${(form.reason ?? 'Drifted').toLowerCase()}-${node}`;
    this.ledger([command]);
    this.taint(node, id);
    this.ledger([{ ...command, step: 'draining' }]);
    this.ledger([{ ...command, step: 'draining', evictedAt: this.clock.now }]);
  }
}

const versions: Readonly<Record<string, string>> = {
  NodePool: 'karpenter.sh/v1',
  NodeClaim: 'karpenter.sh/v1',
  MaintenanceWindow: 'karpenter.sh/v1alpha1',
  PodDisruptionSchedule: 'karpenter.sh/v1alpha1',
  PodDisruptionBudget: 'policy/v1',
};

export const minutes = (count: number): Duration => asDuration(count * minute);
