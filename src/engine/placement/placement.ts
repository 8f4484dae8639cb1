// The result of placing the pods of leaving nodes: moves and replacements, or refusals.
import type { Launch } from '../../cluster/ledger.ts';
import type { Pod } from '../../cluster/model.ts';
import type { Refusal } from '../refusal.ts';

export interface Placement {
  readonly moves: readonly PodMove[];
  readonly replacements: readonly PlannedReplacement[];
}

/** A pod (`namespace/name`) and the node that has room for it. */
export interface PodMove {
  readonly pod: string;
  readonly target: string;
}

export interface PlannedReplacement {
  readonly pool: string;
  readonly instanceType?: string;
  /** Launch requirements, if consolidation planned it. */
  readonly launch?: Launch;
  /** Per hour; absent = not known. */
  readonly price?: number;
  /** No known instance type meets the current requirements; a matching one is assumed (F5). */
  readonly assumed?: boolean;
}

export type PlacementResult = { readonly placement: Placement } | { readonly refusals: readonly Refusal[] };

export const nothingToMove: Placement = { moves: [], replacements: [] };

export const toNode = ({ namespace, name }: Pod, target: string): PodMove => ({ pod: `${namespace}/${name}`, target });
