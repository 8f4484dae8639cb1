// What does a line of a watch say? A change, how far the server has come, that it gives up, or nothing that can be understood.
import { isMap } from '../kinds/reader.ts';
import type { ApiKind } from './apiKind.ts';
import { asRawObject, isVersion, type RawObject } from './rawObject.ts';
import { messageOf } from './status.ts';

export type WatchEvent =
  | { readonly type: 'change'; readonly object: RawObject; readonly isGone: boolean }
  /** Everything up to here was sent; of a list that is streamed, perhaps all of it. */
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
  message: `The watch brought what is no event: ${JSON.stringify(line.slice(0, 80))}`,
});
