// A person works on the cluster: applies an object, deletes one, or annotates it.
import { brief } from '../../../kinds/findings.ts';
import { isMap, type Json, type Reader } from '../../../kinds/reader.ts';
import { type KubeObject, keyOf } from '../../kubeObject.ts';
import { needText, refuseUnknown } from '../known.ts';
import { checkObject, hasNamespace, placed } from '../objectsGiven.ts';
import type { HappeningRow } from './row.ts';
import { withNamespace } from './scale.ts';

export const apply: HappeningRow = {
  name: 'apply',
  means: 'kubectl apply: makes the object, or lays what is given over the one that is there; null removes a field.',
  example:
    '{ at: 3h, apply: { apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: { name: stop } } }',
  read: (what) => {
    checkObject(what);
    return ({ world, tell }) => {
      const object = placed(what.values as Json);
      const known = world.objects.get(object.kind, keyOf(object));
      // What is null in what was written takes a field away.
      if (known)
        world.objects.write(object.kind, keyOf(object), 'script', (it) => laidOver(it, what.values) as KubeObject);
      else world.objects.create(object, 'script');
      tell({ kind: 'Happening', text: `Somebody ${known ? 'changes' : 'adds'} ${object.kind} ${keyOf(object)}.` });
    };
  },
};

/** Maps are merged, lists and everything else replaced, as a merge patch does. */
function laidOver(under: unknown, over: unknown): unknown {
  if (!isMap(over)) return over;
  const merged: Record<string, unknown> = isMap(under) ? { ...under } : {};
  for (const [key, value] of Object.entries(over)) {
    if (value === null) delete merged[key];
    else merged[key] = laidOver(merged[key], value);
  }
  return merged;
}

export const remove: HappeningRow = {
  name: 'delete',
  means: 'kubectl delete: with all that follows from it.',
  example: '{ at: 3h, delete: { kind: NodeClaim, name: web-3 } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name']);
    const target = readTarget(what);
    return ({ world, tell }) => {
      const result = world.objects.delete(target.kind, target.name, 'script');
      const failed = result.ok ? '' : ', which is not there';
      tell({ kind: 'Happening', text: `Somebody deletes ${target.kind} ${target.name}${failed}.` });
    };
  },
};

export const annotate: HappeningRow = {
  name: 'annotate',
  means: 'kubectl annotate: null removes one.',
  example: '{ at: 3h, annotate: { kind: Node, name: web-3, annotations: { lull.dev/hold: "debugging" } } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'annotations']);
    const target = readTarget(what);
    const given = what.map('annotations').values as Json;
    for (const [key, value] of Object.entries(given)) {
      if (value !== null && typeof value !== 'string') what.map('annotations').wrong(key, 'text', 'Put it in quotes.');
    }
    const words = Object.entries(given).map(([key, value]) => (value === null ? `no ${key}` : `${key}: ${value}`));
    return ({ world, tell }) => {
      world.objects.write(target.kind, target.name, 'script', (object) => ({
        ...object,
        metadata: laidOver(object.metadata, { annotations: given }) as KubeObject['metadata'],
      }));
      const node = target.kind === 'Node' ? { node: target.name } : {};
      const text = `Somebody writes on ${target.kind} ${target.name}: ${brief(words.join(', '), longest)}.`;
      tell({ kind: 'Happening', ...node, text });
    };
  },
};

const longest = 120;

function readTarget(what: Reader): { readonly kind: string; readonly name: string } {
  const kind = needText(what, 'kind', 'Node');
  const name = needText(what, 'name', 'web-3');
  return { kind, name: hasNamespace(kind) ? withNamespace(name) : name };
}
