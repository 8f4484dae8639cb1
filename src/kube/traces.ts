// What has Lull left on an object besides what the facts show? Fields that it applied, such as its conditions: the server keeps account of them.
import { isMap } from '../kinds/reader.ts';
import { apiKindOf, objectPath } from './apiKind.ts';
import { applyPatch } from './apply.ts';
import type { Call } from './client.ts';
import { fieldManager } from './fieldManager.ts';
import type { RawObject } from './rawObject.ts';

export interface AppliedTo {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

export interface Named {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Where Lull is named as the last who wrote a field, such as a hash that it put right again. Undefined = nowhere. */
export function forgetting({ kind, metadata }: RawObject): (Named & { readonly call: Call }) | undefined {
  const { managedFields, name, namespace } = metadata;
  const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const ours = entries.flatMap((entry, index) => (isMap(entry) && entry.manager === fieldManager ? [index] : []));
  if (ours.length === 0) return undefined;
  // From the last on: those before it keep their places.
  const body = ours.reverse().flatMap((index) => [
    { op: 'test', path: `/metadata/managedFields/${index}/manager`, value: fieldManager },
    { op: 'remove', path: `/metadata/managedFields/${index}` },
  ]);
  const path = objectPath(apiKindOf(kind), name, namespace);
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    call: { method: 'PATCH', path, query: { fieldManager }, body, contentType: 'application/json-patch+json' },
  };
}

/** One for each part of the object to which Lull has applied something. */
export function appliedTo({ kind, apiVersion, metadata }: RawObject): readonly AppliedTo[] {
  const { managedFields, name, namespace } = metadata;
  if (!Array.isArray(managedFields)) return [];
  return managedFields
    .filter((entry) => isMap(entry) && entry.manager === fieldManager && entry.operation === 'Apply')
    .map(({ subresource }) => ({
      kind,
      apiVersion,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(typeof subresource === 'string' && subresource !== '' && { subresource }),
    }));
}

/** Whoever applies nothing has nothing there any more: the server takes off what was Lull's alone. */
export function withdrawal({ kind, apiVersion, namespace, name, subresource }: AppliedTo): Call {
  const path = objectPath(apiKindOf(kind), name, namespace);
  return {
    method: 'PATCH',
    path: subresource === undefined ? path : `${path}/${subresource}`,
    query: { fieldManager, force: 'true' },
    body: { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } },
    contentType: applyPatch,
  };
}
