// Can the objects of a scenario stand in a cluster? Kinds that are nearly right, and names that are missing, are told before it starts.
import type { Fault } from '../../cluster/fault.ts';
import type { Document } from '../../kinds/documents.ts';
import { Findings } from '../../kinds/findings.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { nearest } from '../../kinds/nearMiss.ts';
import { isMap, type Json, Reader } from '../../kinds/reader.ts';
import type { KubeObject, Meta } from '../kubeObject.ts';
import { checkShape } from './shape.ts';
import { type Kind, kinds } from './shapes.ts';

/** These come up by the script, or by what the cluster does. */
const grown = ['Node', 'NodeClaim', 'ReplicaSet', 'DisruptionLedger'];

export function checkObjects(documents: readonly Document[]): Fault[] {
  return documents.flatMap(({ object, position }) => {
    const findings = new Findings(() => nameOfObject(object), 'error', position);
    checkObject(new Reader(object, findings));
    return findings.faults;
  });
}

const kindName = /^[A-Z][A-Za-z0-9]*$/;

/** Kinds that the box does not know are kept, and nobody looks at them. */
export function checkObject(object: Reader): void {
  const name = object.has('kind') ? (object.text('kind') ?? '') : missingKind(object);
  const metadata = object.map('metadata');
  if (!metadata.has('name')) metadata.fault('name', 'This object has no name. Give it one in metadata.name.');
  checkShape(metadata, { name: 'text', namespace: 'text', labels: 'texts', annotations: 'texts' });
  const kind = kinds.get(name);
  if (kind) checkKind(object, name, kind);
  else if (grown.includes(name)) {
    object.fault(
      'kind',
      `A ${name} comes up by itself. Say how many nodes there are under spec.nodes of the Scenario.`,
    );
  } else checkUnknown(object, name);
}

function missingKind(object: Reader): string {
  object.fault('kind', 'This object has no kind. Give apiVersion, kind and metadata.');
  return '';
}

function checkKind(object: Reader, name: string, { group, spec }: Kind): void {
  const version = object.text('apiVersion') ?? '';
  const given = version.slice(0, Math.max(version.indexOf('/'), 0));
  if (given !== group || version === '') {
    const right =
      group === '' ? 'v1' : `${group}/${group === 'karpenter.sh' && name !== 'NodePool' ? 'v1alpha1' : 'v1'}`;
    object.fault('apiVersion', `A ${name} is of another apiVersion. Use ${right}.`);
  }
  checkShape(object, { spec });
}

function checkUnknown(object: Reader, name: string): void {
  const meant = nearest(name, [...kinds.keys()]);
  if (meant) object.fault('kind', `${name} is no kind of the box. Did you mean ${meant}?`);
  else if (name !== '' && !kindName.test(name)) object.wrong('kind', 'kind', 'Use one such as Deployment.');
}

/** The names of a kind, of those that the script brings too. */
export function namesIn(objects: readonly Json[], spec: Reader, kind: string): string[] {
  const script = spec.raw('script');
  const applied = (Array.isArray(script) ? script : []).map((entry) => (isMap(entry) ? entry.apply : undefined));
  return [...objects, ...applied].flatMap((object) => {
    if (!isMap(object) || object.kind !== kind || !isMap(object.metadata)) return [];
    return typeof object.metadata.name === 'string' ? [object.metadata.name] : [];
  });
}

const clusterScoped = new Set([
  'Node',
  'NodePool',
  'NodeClaim',
  'Namespace',
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'DisruptionLedger',
  'CustomResourceDefinition',
]);

export const hasNamespace = (kind: string): boolean => !clusterScoped.has(kind);

/** As the API server stores it: what has a namespace is in one, and what is null is not there. */
export function placed(object: Json): KubeObject {
  const { metadata, ...rest } = withoutNulls(object) as Json & { metadata: Meta };
  const namespace = hasNamespace(String(object.kind)) ? { namespace: metadata.namespace ?? 'default' } : {};
  return { ...rest, metadata: { ...metadata, ...namespace } } as unknown as KubeObject;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, inside]) => inside !== null);
  return Object.fromEntries(kept.map(([key, inside]) => [key, withoutNulls(inside)]));
}
