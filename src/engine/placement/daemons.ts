// What will DaemonSets take on a node that is not there yet (F6)? Those it admits; startup taints are gone before pods come.
import type { Taint } from '../../cluster/model.ts';
import { add, type NodeView } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isSelected, toleratesAll } from './rule.ts';

export interface Daemons {
  on(place: { readonly labels: TextMap; readonly taints: readonly Taint[] }): Resources;
}

/** Where no DaemonSet is known, a new node runs what the one that leaves runs. */
export function daemonsOf({ daemonSets }: Cluster, leaving: NodeView | undefined): Daemons {
  if (daemonSets.length === 0) return { on: () => leaving?.daemons ?? {} };
  return {
    on: ({ labels, taints }) => {
      const place = { name: '', labels, taints, unschedulable: false };
      const total: Record<string, number> = {};
      for (const { requests, tolerations, nodeSelector } of daemonSets) {
        if (toleratesAll(tolerations, place) && isSelected(nodeSelector, place)) add(total, requests);
      }
      return total;
    },
  };
}
