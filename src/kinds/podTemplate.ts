// Pod templates of Deployments and other workloads, read as pods.
import type { Fault } from '../cluster/fault.ts';
import type { Pod } from '../cluster/model.ts';
import { valueAt } from './edit/patch.ts';
import { nameOfObject } from './read/metadata.ts';
import { isMap } from './read/reader.ts';
import { readObject } from './readObject.ts';
import type { Document } from './text/documents.ts';

/** The pod a workload creates, with the workload's name. */
export interface PodTemplate {
  /** `Deployment/shop/web` */
  readonly object: string;
  /** The path of the template in the workload. */
  readonly within: string;
  readonly pod: Pod;
  /** With paths in the workload. */
  readonly faults: readonly Fault[];
  /** spec.replicas; undefined if absent, since an autoscaler may set it. */
  readonly replicas: number | undefined;
}

interface TemplateLocation {
  readonly group: string;
  readonly within: string;
}

/** The workloads that are read, by kind. */
export const templateLocations: ReadonlyMap<string, TemplateLocation> = new Map([
  ['Deployment', { group: 'apps', within: 'spec.template' }],
  ['StatefulSet', { group: 'apps', within: 'spec.template' }],
  ['DaemonSet', { group: 'apps', within: 'spec.template' }],
  ['Job', { group: 'batch', within: 'spec.template' }],
  ['CronJob', { group: 'batch', within: 'spec.jobTemplate.spec.template' }],
]);

/** Empty if the object is not a workload. */
export function readPodTemplates({ object, position }: Document): PodTemplate[] {
  const form = templateLocations.get(typeof object.kind === 'string' ? object.kind : '');
  const { apiVersion } = object;
  if (!form || (typeof apiVersion === 'string' && !apiVersion.startsWith(`${form.group}/`))) return [];
  const template = valueAt(object, form.within.split('.'));
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
    // The name and namespace are those of the workload, not of the template.
    .filter(({ path }) => !/^metadata\.(name|namespace|ownerReferences)/.test(path))
    .map((fault) => ({ ...fault, object: workload, path: `${form.within}.${fault.path}` }));
  const replicas = valueAt(object, ['spec', 'replicas']);
  return [
    {
      ...{ object: workload, within: form.within, pod: read.record, faults },
      replicas: typeof replicas === 'number' ? replicas : undefined,
    },
  ];
}

/** The template of the workload that created a pod; undefined if the input does not have the workload. */
export function podTemplateOf({ namespace, owner, labels }: Pod, templates: ReadonlyMap<string, PodTemplate>) {
  if (!owner) return undefined;
  const named = (kind: string, name: string): PodTemplate | undefined => templates.get(`${kind}/${namespace}/${name}`);
  const hash = labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`))
    return named('Deployment', owner.name.slice(0, -hash.length - 1));
  const byItself = named(owner.kind, owner.name);
  // A CronJob appends the scheduled minute to the names of its Jobs.
  return byItself ?? (owner.kind === 'Job' ? named('CronJob', owner.name.replace(/-\d+$/, '')) : undefined);
}
