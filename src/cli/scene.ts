// What does a person have to be told besides the round itself, and how much of it?
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';

export interface Scene {
  readonly cluster: Cluster;
  /** C3: how many nodes each pool counts. */
  readonly counted: ReadonlyMap<string, number>;
  readonly role: Settings['role'];
  /** Every node with every refusal, instead of what is alike in one. */
  readonly all: boolean;
  readonly width: number;
}

/** `1 node`, `3 nodes` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
