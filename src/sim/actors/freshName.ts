// What is something called that is made with a name of its own? Five letters after the name of whoever makes it.
import { keyAt } from '../kubeObject.ts';
import type { World } from '../world.ts';

/** Kubernetes leaves out what could spell a word. */
export const letters = 'bcdfghjklmnpqrstvwxz2456789';

export interface Naming {
  readonly kind: string;
  readonly namespace?: string;
  readonly prefix: string;
  /** Names that are given already, and not yet to be seen. */
  readonly taken?: Set<string>;
}

export function freshName({ kind, namespace, prefix, taken }: Naming, { objects }: World, draw: () => number): string {
  for (;;) {
    let name = `${prefix}-`;
    for (let index = 0; index < 5; index++) name += letters[Math.floor(draw() * letters.length)];
    if (taken?.has(name) || objects.get(kind, keyAt(namespace, name))) continue;
    taken?.add(name);
    return name;
  }
}
