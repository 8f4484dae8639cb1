// A world with actors and nothing else, for tests of the actors.
import { label } from '../../src/cluster/names.ts';
import {
  isTrue,
  type RawClaim,
  type RawNode,
  type RawPod,
  type RawPodSpec,
  type RawRequirement,
  type RawTaint,
  withConditions,
} from '../../src/sim/actors/rawObjects.ts';
import { startActors } from '../../src/sim/actors/startActors.ts';
import type { Json, KubeObject } from '../../src/sim/kubeObject.ts';
import { openWorld, type World, type WorldOptions } from '../../src/sim/world.ts';
import { asInstant, type Instant, parseInstant, second } from '../../src/time/instant.ts';

export const start = parseInstant('2026-11-16T08:00:00Z') as Instant;

export interface Stage {
  readonly world: World;
  add(...objects: readonly KubeObject[]): void;
  /** Lets this many seconds pass. */
  pass(seconds: number): void;
  /** Runs until nothing more will happen; throws if that never comes. */
  rest(): void;
  /** Seconds since the start. */
  now(): number;
  pods(prefix?: string): RawPod[];
  nodes(): RawNode[];
  claims(): RawClaim[];
}

/** Without `actors` all of them act. */
export function stage(options: Partial<WorldOptions> & { actors?: (world: World) => void } = {}): Stage {
  const { actors = startActors, ...rest } = options;
  const world = openWorld({ at: start, seed: 1, ...rest });
  actors(world);
  const all = (kind: string) => [...world.objects.list(kind)];
  const runTo = (until: Instant): void => {
    // So that the clock ends at the requested time, whatever happens.
    world.clock.at(until, () => undefined);
    while ((world.clock.nextAt ?? Infinity) <= until) world.clock.step();
  };
  return {
    world,
    add: (...objects) => {
      for (const object of objects) {
        const result = world.objects.create(object, 'script');
        if (!result.ok) throw new Error(result.message);
      }
    },
    pass: (seconds) => runTo(asInstant(world.clock.now + seconds * second)),
    rest: () => {
      const last = world.clock.now + mostRest;
      while (world.clock.step()) if (world.clock.now > last) throw new Error('The simulation does not come to rest');
    },
    now: () => (world.clock.now - start) / second,
    pods: (prefix = '') => all('Pod').filter(({ metadata }) => metadata.name.startsWith(prefix)),
    nodes: () => all('Node'),
    claims: () => all('NodeClaim'),
  };
}

const mostRest = 24 * 3600 * second;

interface Extra {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface PoolParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly requirements?: readonly RawRequirement[];
  readonly taints?: readonly RawTaint[];
  readonly startupTaints?: readonly RawTaint[];
  readonly terminationGracePeriod?: string;
  /** Of the pool itself. */
  readonly spec?: Json;
}

export function pool(name = 'web', { labels, spec, ...template }: PoolParts = {}): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { metadata: { labels: labels ?? {} }, spec: template }, ...spec },
  };
}

export function claim(name = 'c', ofPool = 'web', spec: RawClaim['spec'] = {}): KubeObject {
  const labels = { [label.pool]: ofPool };
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name, labels }, spec };
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly RawTaint[];
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly ready?: string;
  readonly unschedulable?: boolean;
}

/** A node without a pool. */
export function node(name = 'n', parts: NodeParts = {}): KubeObject {
  const { labels = {}, taints, cpu = '4', memory = '16Gi', pods = '110', ready = 'True', unschedulable } = parts;
  const made: KubeObject = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [label.hostname]: name, ...labels } },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    status: { allocatable: { cpu, memory, pods } },
  };
  return withConditions(made, start, [{ type: 'Ready', status: ready }]);
}

export const requests = (cpu: string, memory = '64Mi'): RawPodSpec => ({
  containers: [{ name: 'main', resources: { requests: { cpu, memory } } }],
});

export function pod(name = 'p', spec: RawPodSpec = {}, { labels, annotations, ...rest }: Extra = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: labels ?? {}, ...(annotations && { annotations }) },
    spec: { ...requests('100m'), ...spec },
    status: { phase: 'Pending' },
    ...rest,
  };
}

const apis: Readonly<Record<string, string>> = { Job: 'batch/v1', PodDisruptionBudget: 'policy/v1' };

/** A workload `name` in namespace shop whose pods are labelled `app: name`. */
export function workload(
  kind: string,
  name: string,
  spec: Json = {},
  template: Extra & { spec?: RawPodSpec } = {},
): KubeObject {
  const labels = { app: name, ...template.labels };
  const annotations = template.annotations;
  return {
    apiVersion: apis[kind] ?? 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec: {
      ...spec,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: { ...requests('100m'), ...template.spec },
      },
    },
  };
}

export const pdb = (name: string, spec: Json): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

export const isReady = (object: KubeObject): boolean => isTrue(object, 'Ready');
