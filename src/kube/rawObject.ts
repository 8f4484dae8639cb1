// Objects and watch events as the server sends them, checked for the fields that identify them; anything else is malformed.
import { isMap } from '../kinds/read/reader.ts';
import type { RawObject } from '../runtime/mirror.ts';
import type { ApiKind } from './apiKind.ts';
import { messageOf } from './apiReply.ts';

export { isGone, keyAt, keyOf, type ObjectKey, type RawMeta, type RawObject, versionOf } from '../runtime/mirror.ts';

export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^\d{1,15}$/.test(value);

/** Items of a list have no kind: the list has it. */
export function asRawObject(value: unknown, { kind, apiVersion, isNamespaced }: ApiKind): RawObject | undefined {
  if (!isMap(value) || !isMap(value.metadata)) return undefined;
  if (value.kind !== undefined && value.kind !== kind) return undefined;
  const { name, namespace, uid, resourceVersion } = value.metadata;
  const isWhole = isName(name) && isName(uid) && isVersion(resourceVersion) && isName(namespace) === isNamespaced;
  if (!isWhole) return undefined;
  return (value.kind === undefined ? { apiVersion, kind, ...value } : value) as RawObject;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

type WatchEvent =
  | { readonly type: 'change'; readonly object: RawObject; readonly isGone: boolean }
  /** Everything up to this version was sent; for a streamed list, possibly its end. */
  | { readonly type: 'bookmark'; readonly version: number; readonly endsList: boolean }
  | { readonly type: 'error'; readonly code: number; readonly message: string }
  | { readonly type: 'garbage'; readonly message: string };

export function readEvent(line: string, kind: ApiKind): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return garbage(line);
  }
  if (!isMap(event) || !isMap(event.object)) return garbage(line);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = asRawObject(event.object, kind);
      return object ? { type: 'change', object, isGone: event.type === 'DELETED' } : garbage(line);
    }
    case 'BOOKMARK':
      return readBookmark(event.object) ?? garbage(line);
    case 'ERROR':
      return { type: 'error', code: Number(event.object.code ?? 0), message: messageOf(event.object) };
    default:
      return garbage(line);
  }
}

function readBookmark({ metadata }: Readonly<Record<string, unknown>>): WatchEvent | undefined {
  if (!isMap(metadata) || !isVersion(metadata.resourceVersion)) return undefined;
  const { annotations } = metadata;
  const endsList = isMap(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return { type: 'bookmark', version: Number(metadata.resourceVersion), endsList };
}

const garbage = (line: string): WatchEvent => ({
  type: 'garbage',
  message: `The watch sent something that is not an event: ${JSON.stringify(line.slice(0, 80))}`,
});
