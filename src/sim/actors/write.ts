// What does an actor do to the cluster? Its writes, as data.
import type { Key, KubeObject } from '../kubeObject.ts';
import type { World } from '../world.ts';

export type Write =
  /** Gives the next object, or undefined to leave it as it is. */
  | { readonly verb: 'change'; readonly kind: string; readonly key: Key; readonly next: Next }
  | { readonly verb: 'create'; readonly object: KubeObject }
  | {
      readonly verb: 'delete';
      readonly kind: string;
      readonly key: Key;
      readonly uid?: string;
      readonly graceSeconds?: number;
    }
  /** By the Eviction API: refused where a PodDisruptionBudget says so. */
  | { readonly verb: 'evict'; readonly key: Key; readonly uid?: string };

export type Next = (object: KubeObject) => KubeObject | undefined;

export const change = (kind: string, key: Key, next: Next): Write => ({ verb: 'change', kind, key, next });

export const create = (object: KubeObject): Write => ({ verb: 'create', object });

/** Grace 0 takes a pod away at once, as its kubelet does in the end. */
export const remove = (kind: string, key: Key, more: { uid?: string; graceSeconds?: number } = {}): Write => ({
  verb: 'delete',
  kind,
  key,
  ...more,
});

export function carryOut({ objects }: World, by: string, writes: readonly Write[]): void {
  for (const write of writes) {
    switch (write.verb) {
      case 'change':
        objects.write(write.kind, write.key, by, write.next);
        break;
      case 'create':
        objects.create(write.object, by);
        break;
      case 'delete':
        objects.delete(write.kind, write.key, by, {
          ...(write.uid !== undefined && { uid: write.uid }),
          ...(write.graceSeconds !== undefined && { graceSeconds: write.graceSeconds }),
        });
        break;
      case 'evict':
        objects.evict(write.key, by, write.uid === undefined ? {} : { uid: write.uid });
    }
  }
}
