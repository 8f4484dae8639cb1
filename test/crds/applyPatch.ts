// Applies JSON patches (RFC 6902): the operations that Lull uses, as the API server carries them out.
import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '../../src/kinds/schema/patchNodePool.ts';

export function applyPatch<T extends object>(document: T, patch: readonly JsonPatchOperation[]): T {
  const patched = structuredClone(document);
  for (const { op, path, value } of patch) {
    const steps = path.slice(1).split('/');
    const last = steps.pop() as string;
    const holder = steps.reduce<unknown>((at, step) => {
      const inside = (at as Record<string, unknown>)[step];
      if (typeof inside !== 'object' || inside === null) throw new Error(`Nothing found at ${step} of ${path}`);
      return inside;
    }, patched) as Record<string, unknown>;
    if (op === 'test') {
      if (!isDeepStrictEqual(holder[last], value)) throw new Error(`The test of ${path} failed`);
    } else if (Array.isArray(holder) && last === '-') holder.push(structuredClone(value));
    else holder[last] = structuredClone(value);
  }
  return patched;
}
