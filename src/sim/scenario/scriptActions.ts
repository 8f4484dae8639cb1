// The actions of a scenario's script: apply, delete, annotate, scale, load, interrupt, fail, release.
import { brief } from '../../kinds/read/findings.ts';
import { isMap, type Json, type Reader } from '../../kinds/read/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, hour } from '../../time/instant.ts';
import { failNode, interruptNode } from '../actors/cloud/failing.ts';
import type { RawPool } from '../actors/rawObjects.ts';
import { type KubeObject, keyOf } from '../kubeObject.ts';
import type { ActionRow } from './faults.ts';
import { asStored, checkObject, hasNamespace } from './initialCluster.ts';
import type { ScriptContext } from './scenario.ts';
import { mostOfAnything, needDuration, needName, needText, refuseUnknown } from './shapes.ts';

export const apply: ActionRow = {
  name: 'apply',
  means: 'kubectl apply: creates the object, or merges the fields into the existing one; null removes a field.',
  example:
    '{ at: 3h, apply: { apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: { name: stop } } }',
  read: (what) => {
    checkObject(what);
    return ({ world, record }) => {
      const object = asStored(what.values as Json);
      const known = world.objects.get(object.kind, keyOf(object));
      // Merges the raw values: a null in them removes a field, and `object` has no nulls left.
      if (known)
        world.objects.write(object.kind, keyOf(object), 'script', (it) => mergePatch(it, what.values) as KubeObject);
      else world.objects.create(object, 'script');
      record({ kind: 'Happening', text: `${object.kind} ${keyOf(object)} is ${known ? 'changed' : 'added'}.` });
    };
  },
};

/** A JSON merge patch: maps are merged, lists and scalars replaced, null removes a field. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

export const remove: ActionRow = {
  name: 'delete',
  means: 'kubectl delete: the cluster’s controllers and finalizers react to it as usual.',
  example: '{ at: 3h, delete: { kind: NodeClaim, name: web-3 } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name']);
    const target = readTarget(what);
    return ({ world, record }) => {
      const result = world.objects.delete(target.kind, target.name, 'script');
      const text = `${target.kind} ${target.name} is ${result.ok ? 'deleted' : 'not deleted: it does not exist'}.`;
      record({ kind: 'Happening', text });
    };
  },
};

export const annotate: ActionRow = {
  name: 'annotate',
  means: 'kubectl annotate: null removes an annotation.',
  example: '{ at: 3h, annotate: { kind: Node, name: web-3, annotations: { lull.dev/hold: "debugging" } } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'annotations']);
    const target = readTarget(what);
    const given = what.map('annotations').values as Json;
    for (const [key, value] of Object.entries(given)) {
      if (value !== null && typeof value !== 'string') what.map('annotations').wrong(key, 'text', 'Put it in quotes.');
    }
    const changes = Object.entries(given).map(([key, value]) =>
      value === null ? `${key} removed` : `${key} set to "${value}"`,
    );
    return ({ world, record }) => {
      world.objects.write(target.kind, target.name, 'script', (object) => ({
        ...object,
        metadata: mergePatch(object.metadata, { annotations: given }) as KubeObject['metadata'],
      }));
      const node = target.kind === 'Node' ? { node: target.name } : {};
      const text = `Annotations of ${target.kind} ${target.name}: ${brief(changes.join(', '), longest)}.`;
      record({ kind: 'Happening', ...node, text });
    };
  },
};

const longest = 120;

function readTarget(what: Reader): { readonly kind: string; readonly name: string } {
  const kind = needText(what, 'kind', 'Node');
  const name = needText(what, 'name', 'web-3');
  return { kind, name: hasNamespace(kind) ? withNamespace(name) : name };
}

const scalable = ['Deployment', 'StatefulSet'] as const;

interface Workload {
  readonly kind: string;
  /** `namespace/name`. */
  readonly name: string;
}

function setReplicas({ kind, name }: Workload, replicas: number, { world, record }: ScriptContext): void {
  const before = Number(world.objects.get(kind, name)?.spec?.replicas ?? 1);
  if (before === replicas) return;
  world.objects.write(kind, name, 'script', (object) => ({ ...object, spec: { ...object.spec, replicas } }));
  const way = before < replicas ? 'up' : 'down';
  const text = `${name} is scaled ${way} from ${before} to ${replicas} pods.`;
  record({ kind: 'LoadChanged', workload: name, pods: { from: before, to: replicas }, text });
}

export const scale: ActionRow = {
  name: 'scale',
  means: 'Sets the replicas of a Deployment or StatefulSet.',
  example: '{ at: 1h, scale: { kind: Deployment, name: shop/web, replicas: 20 } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'replicas']);
    const target = readWorkload(what);
    if (!what.has('replicas')) what.fault('replicas', 'replicas is missing. Give the number of pods.');
    const replicas = what.whole('replicas', 0, mostOfAnything) ?? 0;
    return (context) => setReplicas(target, replicas, context);
  },
};

/** How many times per period the replicas are set. */
const stepsPerPeriod = 24;

export const load: ActionRow = {
  name: 'load',
  means: 'Scales a workload from least to most and back within each period, in 24 steps.',
  example: '{ at: 0s, load: { kind: Deployment, name: shop/web, least: 10, most: 40, period: 24h } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'least', 'most', 'period']);
    const target = readWorkload(what);
    const least = what.whole('least', 0, mostOfAnything) ?? 0;
    const most = what.whole('most', 0, mostOfAnything) ?? 0;
    if (most < least) what.fault('most', `${most} is below least. Give a number of at least ${least}.`);
    const period = needDuration(what, 'period') ?? hour;
    return (context) => {
      const step = (count: number): void => {
        // A cosine: flat at the top and the bottom, like the load of a day.
        const share = (1 - Math.cos((2 * Math.PI * count) / stepsPerPeriod)) / 2;
        setReplicas(target, Math.round(least + (most - least) * share), context);
        context.world.clock.in(asDuration(period / stepsPerPeriod), () => step(count + 1));
      };
      step(0);
    };
  },
};

function readWorkload(what: Parameters<ActionRow['read']>[0]): Workload {
  return {
    kind: what.oneOf('kind', scalable) ?? 'Deployment',
    name: withNamespace(needText(what, 'name', 'shop/web')),
  };
}

/** Without a namespace, `default`, as kubectl does. */
const withNamespace = (name: string): string => (name.includes('/') ? name : `default/${name}`);

export const interrupt: ActionRow = {
  name: 'interrupt',
  means: 'The cloud sends an interruption notice for the node and terminates its instance two minutes later.',
  example: '{ at: 2h, interrupt: { node: web-3 } }',
  read: (what) => {
    refuseUnknown(what, ['node']);
    const node = needText(what, 'node', 'web-3');
    return ({ world, record }) => {
      interruptNode(world, node);
      record({ kind: 'Fault', node, text: `Interruption notice: the cloud terminates ${node} in two minutes.` });
    };
  },
};

export const fail: ActionRow = {
  name: 'fail',
  means: 'The node’s kubelet stops responding, for a duration or for good: the node becomes NotReady.',
  example: '{ at: 2h, fail: { node: web-4, for: 10m } }',
  read: (what) => {
    refuseUnknown(what, ['node', 'for']);
    const node = needText(what, 'node', 'web-4');
    const length = what.duration('for');
    return ({ world, record }) => {
      failNode(world, node, length);
      const until = length === undefined ? '' : ` for ${formatDuration(length)}`;
      record({ kind: 'Fault', node, text: `The kubelet of ${node} stops responding${until}.` });
    };
  },
};

/** The template label that names a node's image; image faults refer to it too. */
const imageLabel = 'image';

export const release: ActionRow = {
  name: 'release',
  means:
    'The label image of the pool’s template changes: its nodes drift. {n} in the image is the number of the repetition.',
  example: '{ at: 10m, release: { pool: web, image: v2 } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'image']);
    const pool = needName(what, 'pool', pools);
    const image = needText(what, 'image', 'v2');
    return ({ world, repetition, record }) => {
      const name = image.replaceAll('{n}', String(repetition));
      world.objects.write('NodePool', pool, 'script', (object) => withImage(object, name));
      record({ kind: 'Happening', pool, text: `Image ${name} is released for pool ${pool}.` });
    };
  },
};

function withImage(object: RawPool, image: string): KubeObject {
  const { spec = {} } = object;
  const { template = {} } = spec;
  const labels = { ...template.metadata?.labels, [imageLabel]: image };
  return { ...object, spec: { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } } };
}
