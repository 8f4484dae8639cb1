// What did the API server say? The object as it is now, or a code and why not.
import type { KubeObject } from './kubeObject.ts';

export type Result =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly code: number; readonly message: string };

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export const done = (object: KubeObject): Result => ({ ok: true, object });

export const refused = (code: number, message: string): Result => ({ ok: false, code, message });

export const notFound = (kind: string, key: string): Result => refused(404, `${kind} "${key}" not found`);

/** A precondition that does not hold, in the words of the API server. */
export function conflictWith({ kind, metadata }: KubeObject, wanted: Preconditions = {}): Result | undefined {
  for (const field of ['uid', 'resourceVersion'] as const) {
    if (wanted[field] === undefined || wanted[field] === metadata[field]) continue;
    const why = `the ${field} in the precondition: ${wanted[field]}, the ${field} in record: ${metadata[field]}`;
    return refused(409, `Operation cannot be fulfilled on ${kind} "${metadata.name}": Precondition failed: ${why}`);
  }
  return undefined;
}
