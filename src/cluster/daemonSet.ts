// What comes with every new node? The pods of DaemonSets take room on it before any other.
import type { Toleration } from './model.ts';
import type { Resources } from './quantity.ts';
import type { NodeSelector } from './selector.ts';

/** What a DaemonSet would run on a node that is not there yet. */
export interface DaemonSet {
  readonly namespace: string;
  readonly name: string;
  readonly requests: Resources;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector?: NodeSelector;
}
