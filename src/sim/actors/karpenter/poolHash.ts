// What would Karpenter's hash of a pool's template be? Another number whenever a field changes that makes nodes drift, but for
// requirements, which are compared by themselves.
import { annotation } from '../../../cluster/names.ts';
import type { Texts } from '../../kubeObject.ts';
import type { Pool } from '../manifest.ts';

const version = 'v3';

/** Both annotations, as they stand on a pool and on the claims made from it. */
export function hashesOf({ spec }: Pool): Texts {
  const { metadata, spec: template } = spec?.template ?? {};
  const { requirements: _, resources: __, ...fields } = template ?? {};
  const text = canonical({ labels: metadata?.labels, annotations: metadata?.annotations, ...fields });
  return { [annotation.poolHash]: String(sum(text)), [annotation.poolHashVersion]: version };
}

/** Neither the order of fields nor that of lists matters, and what says nothing is left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? '';
  const entries = Object.entries(value).map(([key, inside]) => [key, canonical(inside)] as const);
  const told = entries
    .filter(([, text]) => text !== '' && text !== '{}' && text !== '[]')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${told.map(([key, text]) => `${key}:${text}`).join()}}`;
}

/** FNV-1a. */
function sum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
