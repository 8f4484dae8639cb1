// Would the pods of this node find a place: on other nodes, or else on replacements (F5, F6)?
import type { Command } from '../../cluster/ledger.ts';
import type { Pod, Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isDaemon } from '../../cluster/pod.ts';
import { formatAmount } from '../../cluster/quantity.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Situation, targetsOf } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { type Move, nothingToMove, type Placed, type Placement, type Placer } from './placement.ts';
import { PoolCapacity } from './poolCapacity.ts';
import { priceOf } from './price.ts';
import { packIntoNew, planOf } from './replace.ts';
import { Rooms, type Trial } from './rooms.ts';
import { openSeats } from './seats.ts';
import { type Shape, shapesFor } from './shapes.ts';

/** `judgedAgain`: nodes on their way out whose pods are about to be placed anew, so that their old promise is not held against them. */
export function openPlacer(situation: Situation, judgedAgain: ReadonlySet<string> = noNodes): Placer {
  let desk: Desk | undefined;
  return {
    place: (wish) => {
      desk ??= new Desk(situation, judgedAgain);
      // In guide Karpenter finds the place; only which nodes are worth offering for consolidation is Lull's to say (F5).
      if (situation.settings.role === 'guide' && wish.reason !== 'Underutilized') return desk.letGo(wish);
      const placed = desk.place(wish);
      // Nothing holds an interruption up, not even that its pods have nowhere to go.
      return 'refusals' in placed && wish.kind === 'forced' ? desk.letGo(wish) : placed;
    },
  };
}

const noNodes: ReadonlySet<string> = new Set();

class Desk {
  readonly #situation: Situation;
  readonly #rooms: Rooms;
  readonly #capacity: PoolCapacity;
  /** Nodes that the pods of commands under way will need. */
  readonly #seated = new Set<string>();

  constructor(situation: Situation, judgedAgain: ReadonlySet<string>) {
    this.#situation = situation;
    this.#rooms = new Rooms(situation);
    this.#capacity = new PoolCapacity(situation);
    this.#seatThoseWaiting(judgedAgain);
  }

  /** Room that pending pods and the pods of nodes already leaving will take is not there for others. */
  #seatThoseWaiting(judgedAgain: ReadonlySet<string>): void {
    const { cluster, inFlight } = this.#situation;
    const trial = this.#rooms.trial();
    for (const pod of cluster.pendingPods) {
      if (isDaemon(pod)) continue;
      if (pod.nominatedNode) trial.reserve(pod, pod.nominatedNode);
      else trial.place(pod);
    }
    trial.keep();
    const seats = openSeats(cluster);
    for (const [name, { command }] of inFlight) {
      const view = cluster.node(name);
      if (!view || judgedAgain.has(name)) continue;
      const targets = command ? targetsOf(command, cluster) : [];
      // Where replacements come, the pods that were promised no other node go there.
      const isAwaited = command !== undefined && command.replacements.length > 0 && !isReplaced(command);
      const moving = this.#rooms.trial();
      for (const pod of seats.neededFrom(view, targets)) {
        if (!moving.placeAmong(pod, targets) && !isAwaited) moving.place(pod);
      }
      if (command) for (const target of moving.nodes) this.#seated.add(target);
      moving.keep();
    }
  }

  /** It goes without our finding a place for its pods, and is no target for others. */
  letGo({ view }: Wish): Placed {
    this.#rooms.leave(view);
    return { placement: nothingToMove };
  }

  place(wish: Wish): Placed {
    const { view } = wish;
    if (wish.reason === 'Empty' && this.#seated.has(view.node.name))
      return { refusals: [refuse('Nominated', 'pods of nodes that leave are to be placed on it')] };
    const trial = this.#rooms.trial(view);
    const moves: Move[] = [];
    const homeless: Pod[] = [];
    for (const pod of view.reschedulable) {
      const target = trial.place(pod);
      if (target) moves.push({ pod: `${pod.namespace}/${pod.name}`, target: target.node.name });
      else homeless.push(pod);
      // Removal is all or nothing: one pod without a place settles it.
      if (!target && wish.reason === 'Underutilized') break;
    }
    if (homeless.length === 0 && !isReplacedAlways(wish)) return this.#keep(wish, trial, { moves, replacements: [] });
    if (wish.reason === 'Underutilized') return { refusals: [this.#notConsolidated(wish, homeless)] };
    return this.#placeOnNew(wish, trial, { moves, homeless });
  }

  #placeOnNew(
    wish: Wish,
    trial: Trial,
    { moves, homeless }: { moves: readonly Move[]; homeless: readonly Pod[] },
  ): Placed {
    const { view, pool } = wish;
    const first = homeless[0];
    if (!pool)
      return {
        refusals: [noPlacement(`${name(first)} fits on no other node, and there is no pool to replace this one`)],
      };
    const starting = homeless
      .map((pod) => ({ pod, node: this.#rooms.findStarting(pod, view) }))
      .find(({ node }) => node);
    if (starting)
      return {
        refusals: [
          noPlacement(`${name(starting.pod)} will fit on ${starting.node?.node.name}, which is still starting`),
        ],
      };
    const obstacle = cannotReplace(pool, this.#situation);
    if (obstacle) return { refusals: [noPlacement(obstacle)] };
    const packed = packIntoNew(homeless, shapesFor(view, pool, this.#situation.settings));
    if ('misfit' in packed) {
      return {
        refusals: [
          noPlacement(`${needs(packed.misfit)}; none of ${this.#rooms.size} nodes has room, nor has a replacement`),
        ],
      };
    }
    const beyond = this.#capacity.refuse(pool, view, packed.shapes);
    if (beyond)
      return { refusals: [noPlacement(`${first ? `${name(first)} fits on no other node, and ` : ''}${beyond}`)] };
    this.#capacity.keep(pool, view, packed.shapes);
    return this.#keep(wish, trial, { moves, replacements: packed.shapes.map((shape) => planOf(pool, shape)) });
  }

  #keep({ view }: Wish, trial: Trial, placement: Placement): Placed {
    trial.keep();
    this.#rooms.leave(view);
    return { placement };
  }

  /** Only removal is judged here; the code still says what a replacement would have met. */
  #notConsolidated({ view, pool }: Wish, homeless: readonly Pod[]): Refusal {
    const first = homeless[0] as Pod;
    const shapes = pool ? shapesFor(view, pool, this.#situation.settings).filter((shape) => holdsAll(view, shape)) : [];
    const price = priceOf(view, this.#situation.settings);
    if (shapes.length === 0) return noPlacement(`${needs(first)}; none of ${this.#rooms.size} nodes has room`);
    if (price === undefined)
      return refuse('NoPriceKnown', `${name(first)} fits on no other node, and the price of this one is not known`);
    if (shapes.every((shape) => (shape.price ?? price) >= price)) {
      return refuse(
        'NotCheaper',
        `${name(first)} fits on no other node, and no replacement is cheaper than ${price} an hour`,
      );
    }
    return noPlacement(`${needs(first)}; none of ${this.#rooms.size} nodes has room`);
  }
}

/** All its replacements have come. */
const isReplaced = ({ step }: Command): boolean => step === 'draining' || step === 'terminating';

/** A: what is rebalanced is replaced first; a static pool keeps its number. */
const isReplacedAlways = ({ reason, pool }: Wish): boolean => reason === 'Rebalance' || pool?.replicas !== undefined;

const holdsAll = (view: NodeView, shape: Shape): boolean => {
  const packed = packIntoNew(view.reschedulable, [shape]);
  return 'shapes' in packed && packed.shapes.length === 1;
};

/** Why this pool makes no new node now. */
function cannotReplace(pool: Pool, { tallies }: Situation): string | undefined {
  if (pool.deleting) return 'its pool is being deleted and makes no replacement';
  if (pool.conditions.Ready?.status === 'False') return 'its pool is not Ready and makes no replacement';
  const nodes = tallies.get(pool.name)?.nodes.length ?? 0;
  if (pool.replicas !== undefined && nodes > pool.replicas) {
    return `its static pool has ${nodes} nodes for ${pool.replicas} replicas and scales down first`;
  }
  return undefined;
}

const noPlacement = (message: string): Refusal => refuse('NoPlacement', message);

const name = (pod: Pod | undefined): string => (pod ? `pod ${pod.namespace}/${pod.name}` : 'the node');

const needs = (pod: Pod): string => {
  const amounts = Object.entries(pod.requests).filter(([resource, amount]) => resource !== 'pods' && amount > 0);
  const text = amounts.map(([resource, amount]) => formatAmount(resource, amount)).join(', ');
  return `${name(pod)} needs ${text || 'a place'}`;
};
