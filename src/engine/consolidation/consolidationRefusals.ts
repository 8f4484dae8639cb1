// Refusals of consolidation (J1): which pod fits nowhere and why, or how much would be saved and how much is required.
import type { Pod } from '../../cluster/model.ts';
import { after, type Instant } from '../../time/instant.ts';
import { stableSince } from '../gates/nodeGates.ts';
import type { ClusterBoard } from '../placement/clusterBoard.ts';
import { describeMisfit, misfitOf, nameOfPod } from '../placement/misfit.ts';
import { awaitsStart, noPlacement } from '../placement/planningContext.ts';
import type { PodToMove } from '../placement/rowFacts.ts';
import type { PodClass, RowId } from '../placement/tables.ts';
import { type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { PlanFailure, PlannedNode, Planner } from './planner.ts';
import type { Objection } from './pricing.ts';

/** The nodes that were to be removed together, and the pods that would have to move. */
interface RefusedGroup {
  readonly nodes: readonly PlannedNode[];
  readonly toMove: readonly PodToMove[];
}

export class ConsolidationRefusals {
  readonly #facts: ClusterBoard;
  readonly #planner: Planner;
  readonly #situation: Situation;

  constructor(facts: ClusterBoard, planner: Planner, situation: Situation) {
    this.#facts = facts;
    this.#planner = planner;
    this.#situation = situation;
  }

  refusal(group: RefusedGroup, hindrance: PlanFailure): Refusal {
    const { rows } = this.#facts.board;
    if ('extraPod' in hindrance) return this.#ofExtraPod(hindrance.extraPod);
    const toMove = hindrance.at === undefined ? undefined : group.toMove[hindrance.at];
    if ('objection' in hindrance) {
      const { board } = this.#planner;
      const mark = board.mark();
      this.#planner.apply(group.nodes, hindrance.moved ?? { assignments: [], extraAssignments: [] });
      const refusal = this.#of(hindrance.objection, toMove);
      board.undo(mark);
      return refusal;
    }
    if (!toMove) return noPlacement('its pods fit on no other node');
    const { pod } = toMove;
    if ('starting' in hindrance) return awaitsStart(pod, rows.nameOf(hindrance.starting));
    if ('beyond' in hindrance) return noPlacement(`${nameOfPod(pod)} fits on no other node, and ${hindrance.beyond}`);
    return this.#untilStable(pod, hindrance.stabilizing);
  }

  /** `toMove`: the first pod that fits on no other node; undefined = all fit. */
  #of({ code, why, typesSeenOnly }: Objection, toMove: PodToMove | undefined): Refusal {
    if (!toMove) return refuse(code, `its pods fit elsewhere, but ${why}`, { typesSeenOnly });
    const { pod, number } = toMove;
    if (code !== 'NoPlacement')
      return refuse(code, `${nameOfPod(pod)} fits on no other node; ${why}`, { typesSeenOnly });
    const misfit = describeMisfit(pod, misfitOf(this.#facts.board, number, 'stable'));
    return refuse(code, typesSeenOnly ? `${misfit}; no type seen would hold it` : misfit, { typesSeenOnly });
  }

  #ofExtraPod(number: PodClass): Refusal {
    const pod = this.#podOfClass(number);
    const name = pod ? nameOfPod(pod) : 'a pod';
    const from = pod?.nodeName === undefined ? 'which is pending' : 'from a node that is being removed';
    return noPlacement(`${name}, ${from}, needs room on this node and fits nowhere else`);
  }

  /** A pod of that class that is pending or on a leaving node. */
  #podOfClass(number: PodClass): Pod | undefined {
    const { cluster, inFlight } = this.#situation;
    const leaving = [...inFlight.keys()].flatMap((name) => cluster.node(name)?.reschedulable ?? []);
    return [...cluster.pendingPods, ...leaving].find((pod) => this.#facts.classOf(pod) === number);
  }

  /** The refusal for a pod that has no room once the others are where the scheduler would put them. */
  stranded({ pod, number }: PodToMove): Refusal {
    const why = describeMisfit(pod, misfitOf(this.#facts.board, number, 'stable'));
    return noPlacement(`${why}; it would fit, but the scheduler would probably put the other pods there`);
  }

  /** The owner is the node that becomes stable last. If other pods take the room by then, a later round refuses again. */
  #untilStable(pod: Pod, rows: readonly RowId[]): Refusal {
    const names = [...new Set(rows.map((row) => this.#facts.board.rows.nameOf(row)))].sort();
    let owner: RuleOwner | undefined;
    let liftsAt: Instant | undefined;
    for (const name of names) {
      const at = this.#stableAt(name);
      if (at === undefined || (liftsAt !== undefined && at <= liftsAt)) continue;
      owner = { kind: 'Node', name };
      liftsAt = at;
    }
    const where = names.length > 1 ? `${names[0]} and ${names.length - 1} more` : names[0];
    const message = `${nameOfPod(pod)} will fit on ${where}, where pods were added or removed less than consolidateAfter ago`;
    return refuse('NoPlacement', message, { ...(owner && { owner }), liftsAt });
  }

  #stableAt(name: string): Instant | undefined {
    const { cluster, now } = this.#situation;
    const view = cluster.node(name);
    const pool = view?.poolName === undefined ? undefined : cluster.pools.get(view.poolName);
    const since = view && stableSince(view);
    if (!pool || since === undefined || pool.consolidateAfter === 'Never') return undefined;
    const at = after(since, pool.consolidateAfter);
    return at > now ? at : undefined;
  }
}
