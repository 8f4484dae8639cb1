// Lull's placement on the objects as the API server prints them, parsed as `lull decide` parses them.
import { emptyLedger } from '../../../src/cluster/ledger.ts';
import type { Pod } from '../../../src/cluster/model.ts';
import type { NodeView } from '../../../src/cluster/nodeView.ts';
import { ClusterStore } from '../../../src/cluster/store.ts';
import { Placer } from '../../../src/engine/consolidation/placer.ts';
import { BoardLease } from '../../../src/engine/placement/boardLease.ts';
import { inOrderOfPlacing } from '../../../src/engine/placement/rowFacts.ts';
import { observe, type Situation } from '../../../src/engine/situation.ts';
import { readObject } from '../../../src/kinds/readObject.ts';
import { asInstant } from '../../../src/time/instant.ts';
import { claim, pool, settings } from '../../build.ts';
import { boardOf } from '../../placement/boards.ts';
import type { KubeObject } from '../story/hand.ts';
import { type Judge, type Plan, placesDiffer } from './judge.ts';

export const lull: Judge = {
  name: 'Lull',
  differs: (objects, pod, answer) => placesDiffer(placesOf(objects, pod), answer),
};

function placesOf(objects: readonly KubeObject[], pod: KubeObject): readonly string[] {
  const situation = situationOf([...objects, pod]);
  // Not the board of a round, on which the pod would have its place already.
  const facts = boardOf(situation);
  const number = facts.classOf(recordOf(pod) as Pod);
  return situation.cluster.nodes
    .map(({ node }) => node.name)
    .filter((name) => {
      const row = facts.board.rows.of(name);
      return row !== undefined && facts.board.fits(number, row);
    });
}

/** As for Underutilized without a replacement: whether its pods fit on other nodes, also with the scheduler's likely choices. */
export function planRemoval(objects: readonly KubeObject[], node: string): Plan {
  const situation = situationOf([...objects.map(managed), ...ofKarpenter(objects)]);
  const view = situation.cluster.node(node) as NodeView;
  const order = inOrderOfPlacing(view.reschedulable).map(({ namespace, name }) => `${namespace}/${name}`);
  const owner = situation.cluster.pools.get('web');
  const placed = new Placer(situation, { boards: new BoardLease(situation.cluster) }).place({
    view,
    ...(owner && { pool: owner }),
    reason: 'Underutilized',
    kind: 'graceful',
    since: asInstant(0),
    memory: [],
  });
  if (!('refusals' in placed)) return { order, fits: true, moves: placed.placement.moves };
  return { order, fits: false, moves: [], why: placed.refusals.map(({ message }) => message).join('; ') };
}

/** Long after everything has settled. */
const now = asInstant(Date.UTC(2040, 0));

function situationOf(objects: readonly object[]): Situation {
  const cluster = new ClusterStore();
  for (const object of objects) {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error(JSON.stringify(object));
    cluster.put(read);
  }
  return observe({ cluster, ledger: emptyLedger }, now, settings({ role: 'drive' }));
}

function recordOf(object: KubeObject): unknown {
  const read = readObject(object);
  return 'record' in read ? read.record : undefined;
}

/** Karpenter's own labels, which no rule selects. */
const managed = (object: KubeObject): KubeObject => {
  if (object.kind !== 'Node') return object;
  const labels = { ...object.metadata.labels, 'karpenter.sh/nodepool': 'web', 'karpenter.sh/initialized': 'true' };
  return { ...object, metadata: { ...object.metadata, labels } };
};

const ofKarpenter = (objects: readonly KubeObject[]): readonly object[] => [
  pool('web', { consolidateAfter: '0s' }),
  ...objects.filter(({ kind }) => kind === 'Node').map(({ metadata }) => claim(metadata.name)),
];
