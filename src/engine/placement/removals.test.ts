// Tests that remembered removals are judged again after the cluster does what the previous decision tried.
import { describe, expect, it } from 'vitest';
import { changesOf, machine, pod, pool, storeOf } from '../../../test/build.ts';
import { situationOf } from '../../../test/placement/boards.ts';
import type { ClusterStore } from '../../cluster/store.ts';
import type { Board } from './board.ts';
import { BoardLease } from './boardLease.ts';
import type { Removal } from './removals.ts';
import type { RowId } from './tables.ts';

const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'loud' } } },
    ],
  },
};
/** Runs on zone-a, away from every zone with a loud pod. Only zone-b has room for it, and a loud pod runs in that zone. */
const quiet = pod('quiet', 'zone-a', { cpu: '3', labels: { app: 'quiet' }, spec: { affinity: apart } });
const loudOn = (node: string) => pod('loud', node, { labels: { app: 'loud' } });

const rowOf = ({ rows }: Board, name: string): RowId => {
  const row = rows.of(name);
  if (row === undefined) throw new Error(`no row for ${name}`);
  return row;
};

/** The removal of zone-a in a new decision, which then tries `trial`. */
function removalOfA(cluster: ClusterStore, trial: (board: Board) => void = () => undefined): Removal {
  const lease = new BoardLease(cluster);
  const { board, removals } = lease.open(situationOf(cluster));
  const removal = removals.of(rowOf(board, 'zone-a'));
  trial(board);
  lease.release();
  return removal;
}

describe('Removals of a board that follows the cluster', () => {
  it('are judged again when a pod moved as the previous decision tried it', () => {
    const cluster = storeOf(
      pool(),
      machine('zone-a', { zone: 'a' }),
      quiet,
      machine('zone-b', { zone: 'b' }),
      machine('zone-b-loud', { zone: 'b', allocatable: { cpu: '2' } }),
      loudOn('zone-b-loud'),
      machine('zone-c', { zone: 'c', allocatable: { cpu: '2' } }),
    );
    const before = removalOfA(cluster, (board) => {
      const source = rowOf(board, 'zone-b-loud');
      const [loud = -1] = board.rows.podsOn(source);
      board.removeNode(source);
      board.assign(loud, rowOf(board, 'zone-c'));
    });
    expect(before.unplaced).toHaveLength(1);

    for (const change of changesOf([loudOn('zone-c')])) cluster.apply(change);
    cluster.remove('Node', 'zone-b-loud');
    cluster.remove('NodeClaim', 'zone-b-loud-claim');
    expect(removalOfA(cluster).unplaced).toEqual([]);
  });
});
