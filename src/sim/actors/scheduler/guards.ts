// Who keeps others away? The pods that stand somewhere and have required anti-affinity, those that say the same together.
import { type Key, keyOf } from '../../kubeObject.ts';
import type { Pod } from '../manifest.ts';
import { type Around, labelsOf, namespaceOf } from './around.ts';
import { means, requiredTerms } from './podAffinity.ts';

export class Guards {
  readonly #texts = new Map<Key, string>();
  /** By what they say: one of them, and how many there are. */
  readonly #groups = new Map<string, { readonly pod: Pod; count: number }>();

  set(pod: Pod, isThere: boolean): void {
    if (this.#texts.size === 0 && !isGuard(pod)) return;
    const key = keyOf(pod);
    const was = this.#texts.get(key);
    const text = isThere ? textOf(pod) : undefined;
    if (was === text) return;
    if (was !== undefined) this.#leave(key, was);
    if (text === undefined) return;
    this.#texts.set(key, text);
    const group = this.#groups.get(text);
    if (group) group.count++;
    else this.#groups.set(text, { pod, count: 1 });
  }

  /** Whether any of them means it, wherever they are. */
  mind(pod: Pod, around: Pick<Around, 'get'>): boolean {
    for (const { pod: guard } of this.#groups.values())
      for (const term of requiredTerms(guard, 'podAntiAffinity'))
        if (means(term, guard, pod, { around, isThere: true })) return true;
    return false;
  }

  #leave(key: Key, text: string): void {
    this.#texts.delete(key);
    const group = this.#groups.get(text);
    if (group && --group.count === 0) this.#groups.delete(text);
  }
}

export const isGuard = (pod: Pod): boolean => requiredTerms(pod, 'podAntiAffinity').length > 0;

function textOf(pod: Pod): string | undefined {
  const terms = requiredTerms(pod, 'podAntiAffinity');
  if (terms.length === 0) return undefined;
  const keys = terms.flatMap(({ matchLabelKeys = [], mismatchLabelKeys = [] }) => [
    ...matchLabelKeys,
    ...mismatchLabelKeys,
  ]);
  return JSON.stringify([namespaceOf(pod), terms, keys.map((key) => labelsOf(pod)[key])]);
}
