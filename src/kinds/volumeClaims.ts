// Which volume claims does a pod mount? Those it names, and those that are made for it: generic ephemeral volumes.
import { isMap, type Json, type Reader } from './reader.ts';

const noClaims: readonly string[] = [];

export function readVolumeClaims(
  spec: Reader,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly string[] {
  if (!mountsAny(spec)) return noClaims;
  const claims = spec.maps('volumes').flatMap((volume) => {
    if (volume.has('ephemeral')) {
      // What the claim asks for stands with the claim itself.
      volume.map('ephemeral');
      return [`${namespace}/${name}-${needText(volume, 'name')}`];
    }
    if (!volume.has('persistentVolumeClaim')) return [];
    return [`${namespace}/${needText(volume.map('persistentVolumeClaim'), 'claimName')}`];
  });
  return [...new Set(claims)];
}

/** Without it nobody can say which claim is meant. */
function needText(reader: Reader, key: string): string {
  const text = reader.text(key);
  if (text === undefined && !reader.has(key)) reader.fault(key, `There is no ${key}. Give one.`);
  return text ?? '';
}

/** Looked at without a reader: every pod has volumes, and hardly any has a claim. */
function mountsAny(spec: Reader): boolean {
  const volumes = spec.raw('volumes');
  if (!Array.isArray(volumes)) return volumes !== undefined;
  return volumes.some((volume) => {
    const { persistentVolumeClaim, ephemeral } = (isMap(volume) ? volume : { ephemeral: true }) as Json;
    return (persistentVolumeClaim ?? ephemeral ?? undefined) !== undefined;
  });
}
