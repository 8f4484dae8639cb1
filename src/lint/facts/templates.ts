// Which pods will workloads make? People write the annotations of a pod in the template of a Deployment or its like.
import type { Fault } from '../../cluster/fault.ts';
import type { Pod } from '../../cluster/model.ts';
import type { Document } from '../../kinds/documents.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { isMap } from '../../kinds/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Policy } from '../rule.ts';
import { valueAt } from './written.ts';

/** A pod as its workload would make it, under the workload's name. */
export interface Template {
  /** `Deployment/shop/web` */
  readonly object: string;
  /** Where in the object the pod stands. */
  readonly within: string;
  readonly pod: Pod;
  /** As they stand in the workload. */
  readonly faults: readonly Fault[];
  /** How many pods are asked for; undefined where it is not said: something else may scale it. */
  readonly replicas: number | undefined;
}

interface Form {
  readonly group: string;
  readonly within: string;
}

/** The workloads that are read, by kind. */
export const templateForms: ReadonlyMap<string, Form> = new Map([
  ['Deployment', { group: 'apps', within: 'spec.template' }],
  ['StatefulSet', { group: 'apps', within: 'spec.template' }],
  ['DaemonSet', { group: 'apps', within: 'spec.template' }],
  ['Job', { group: 'batch', within: 'spec.template' }],
  ['CronJob', { group: 'batch', within: 'spec.jobTemplate.spec.template' }],
]);

/** By object; the last one where it was given twice. Worked out once for all rules that ask. */
export function templatesIn({ documents }: Policy): ReadonlyMap<string, Template> {
  const found = known.get(documents) ?? new Map(documents.flatMap(readTemplate).map((it) => [it.object, it]));
  known.set(documents, found);
  return found;
}

const known = new WeakMap<readonly Document[], ReadonlyMap<string, Template>>();

/** None where the object is not a workload. */
export function readTemplate({ object, position }: Document): Template[] {
  const form = templateForms.get(typeof object.kind === 'string' ? object.kind : '');
  const { apiVersion } = object;
  if (!form || (typeof apiVersion === 'string' && !apiVersion.startsWith(`${form.group}/`))) return [];
  const template = valueAt(object, ...form.within.split('.'));
  if (!isMap(template)) return [];
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const written = isMap(template.metadata) ? template.metadata : {};
  const owner = { kind: object.kind, name: metadata.name, uid: '', controller: true };
  const { name, namespace } = metadata;
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: template.spec },
    metadata: { ...written, name, namespace, ownerReferences: [owner] },
  };
  const read = readObject(pod, (path) => position(`${form.within}.${path}`));
  if (read.kind !== 'Pod') return [];
  const workload = nameOfObject(object);
  const faults = read.faults
    // What the workload is called is no matter of its template.
    .filter(({ path }) => !/^metadata\.(name|namespace|ownerReferences)/.test(path))
    .map((fault) => ({ ...fault, object: workload, path: `${form.within}.${fault.path}` }));
  const replicas = valueAt(object, 'spec', 'replicas');
  return [
    {
      ...{ object: workload, within: form.within, pod: read.record, faults },
      replicas: typeof replicas === 'number' ? replicas : undefined,
    },
  ];
}

/** The workload of the input that made a pod; undefined where there is none. */
export function templateOf({ namespace, owner, labels }: Pod, templates: ReadonlyMap<string, Template>) {
  if (!owner) return undefined;
  const named = (kind: string, name: string): Template | undefined => templates.get(`${kind}/${namespace}/${name}`);
  const hash = labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`))
    return named('Deployment', owner.name.slice(0, -hash.length - 1));
  const byItself = named(owner.kind, owner.name);
  // A CronJob's Jobs carry the minute they are of.
  return byItself ?? (owner.kind === 'Job' ? named('CronJob', owner.name.replace(/-\d+$/, '')) : undefined);
}
