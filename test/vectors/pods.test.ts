// Pod predicates and eviction costs equal upstream's (E1, E11, F3).

import type { Pod } from '../../src/cluster/model.ts';
import { isActive, isDaemon, isMirror, podCost } from '../../src/cluster/pod.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { decide, storeOf } from './decide.ts';
import { type Answers, compareWithUpstream } from './facets.ts';
import { annotated, claimOf, freePool, onNode, type PlainObject, poolLabel, readyNode } from './objects.ts';

interface Input {
  readonly at: string;
  readonly pod?: PlainObject;
  /** `nodecost/`: all the pods of a node. */
  readonly pods?: readonly PlainObject[];
}

interface Want {
  readonly isActive: boolean;
  readonly isOwnedByDaemonSet: boolean;
  readonly isOwnedByNode: boolean;
  readonly isReschedulable: boolean;
  readonly isDisruptable: boolean;
  readonly isEvictable: boolean;
  readonly evictionCost: number;
  readonly reschedulable: readonly string[] | number;
  readonly rescheduleDisruptionCost: number;
  readonly upstreamIsEmpty: boolean;
}

const node = { name: 'node-1', labels: poolLabel('p') };

/** Allows no pod of the namespace to be evicted: every evictable pod is held by it. */
const noEviction: PlainObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'none', namespace: 'default' },
  spec: { selector: {} },
  status: { disruptionsAllowed: 0 },
};

/** A node with a wish for a graceful reason, whatever runs on it. */
const facts = (pods: readonly PlainObject[]): readonly PlainObject[] => [
  freePool('p'),
  annotated(readyNode(node), { 'lull.dev/rebalance': 'asked' }),
  claimOf(node),
  ...pods.map((pod) => onNode(pod, node.name)),
];

const heldBy = ({ verdicts }: Round, code: string): boolean =>
  verdicts.some(({ reason, refusals }) => reason === 'Rebalance' && refusals.some((refusal) => refusal.code === code));

function askOne(pod: PlainObject, at: string, want: Want): Answers {
  const [view] = storeOf(facts([pod])).nodes;
  const record = view?.pods[0] as Pod;
  return {
    upstream: {
      active: want.isActive,
      daemon: want.isOwnedByDaemonSet,
      mirror: want.isOwnedByNode,
      reschedulable: want.isReschedulable,
      movable: want.isDisruptable,
      'asks its PDB': want.isEvictable,
      cost: want.evictionCost,
    },
    lull: {
      active: isActive(record),
      daemon: isDaemon(record),
      mirror: isMirror(record),
      reschedulable: view?.reschedulable.length === 1,
      movable: decide({ objects: facts([pod]), at }).pods[0]?.movable ?? true,
      'asks its PDB': heldBy(decide({ objects: [...facts([pod]), noEviction], at }), 'PdbSpent'),
      cost: podCost(record),
    },
  };
}

function askNode(pods: readonly PlainObject[], at: string, want: Want): Answers {
  const [view] = storeOf(facts(pods)).nodes;
  const { verdicts } = decide({ objects: facts(pods), at });
  const { reschedulable } = want;
  return {
    upstream: {
      cost: want.rescheduleDisruptionCost,
      reschedulable: typeof reschedulable === 'number' ? reschedulable : reschedulable.length,
      empty: want.upstreamIsEmpty,
    },
    lull: {
      cost: view?.cost ?? 0,
      reschedulable: view?.reschedulable.length ?? 0,
      empty: verdicts.some(({ reason }) => reason === 'Empty'),
    },
  };
}

compareWithUpstream<Input, Want>('pods', ({ input: { pod, pods = [], at }, want }) =>
  pod ? askOne(pod, at, want) : askNode(pods, at, want),
);
