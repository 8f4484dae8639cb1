// Objections to a candidate on the board as opened. They are cached, because most nodes do not change between rounds.
import { memo } from '../../cluster/memo.ts';
import type { PlanningContext } from '../placement/planningContext.ts';
import type { Removal } from '../placement/removals.ts';
import type { PodClass } from '../placement/tables.ts';
import { priceOfAll } from './candidateNode.ts';
import type { LaunchCatalogue } from './launchCatalogue.ts';
import { sizeOf } from './launchOfferings.ts';
import type { PlanFailure, PlanGroup, PlannedNode, Planner } from './planner.ts';
import {
  type Launched,
  type Objection,
  objectionOfPools,
  objectionToRemoval,
  objectionToSize,
  replacementFor,
} from './pricing.ts';

/** The launch for a removal, cached as long as the removal is. */
const answers = memo((_: Removal, _catalogue: unknown, _settings: unknown): { found?: Launched | Objection } => ({}));

export class BaseObjections {
  readonly #context: PlanningContext;
  readonly #planner: Planner;
  readonly #catalogue: LaunchCatalogue;

  constructor(context: PlanningContext, planner: Planner, catalogue: LaunchCatalogue) {
    this.#context = context;
    this.#planner = planner;
    this.#catalogue = catalogue;
  }

  /** Undefined = no objection is known, and the group has to be planned. */
  against({ nodes, pods }: PlanGroup): PlanFailure | undefined {
    const [node, ...others] = nodes;
    const removal = node && others.length === 0 ? this.#context.removalOf(node.row) : undefined;
    if (!node || !removal) return undefined;
    const [first] = removal.unplaced;
    if (first === undefined) {
      const objection = objectionToRemoval(nodes, this.#planner.pricing);
      return objection && { objection };
    }
    const objection = this.#objection(node, removal);
    if (!objection) return undefined;
    const at = pods.findIndex((pod) => removal.unplaced.includes(pod));
    return at < 0 ? { extraPod: first } : { objection, at };
  }

  #objection(node: PlannedNode, removal: Removal): Objection | undefined {
    const { board, pricing } = this.#planner;
    const size = sizeOf(removal.unplaced, board.tables);
    return (
      this.#objectionToKind(node, removal.unplaced, size) ??
      objectionToSize([node], size, pricing) ??
      this.#objectionToLaunch(node, removal)
    );
  }

  /** If no offering is large enough, only a node of the same kind could hold the pods, if it admits them at all. */
  #objectionToKind(node: PlannedNode, unplaced: readonly PodClass[], size: Float64Array): Objection | undefined {
    const { board, pricing } = this.#planner;
    if (pricing.offerings.cheapest(size)) return undefined;
    const typesSeenOnly = !pricing.hasAllTypes;
    const place = board.rows.traitsOf(node.row);
    const takes = unplaced.every((pod) => board.admissions.admits(board.classRule(pod).rule, place));
    if (!takes) return { code: 'NoPlacement', why: 'no replacement would hold them', typesSeenOnly };
    return node.price === undefined
      ? undefined
      : { code: 'NotCheaper', why: 'no cheaper replacement is known', typesSeenOnly };
  }

  #objectionToLaunch(node: PlannedNode, removal: Removal): Objection | undefined {
    const found = this.#launch(node, removal);
    if (!found || 'why' in found) return found;
    return objectionOfPools([node], (priceOfAll([node]) ?? 0) - found.plan.price, this.#planner.pricing);
  }

  /** Undefined = not computed while the board was as opened. */
  #launch(node: PlannedNode, removal: Removal): Launched | Objection | undefined {
    const { settings } = this.#context.situation;
    const { board, pricing } = this.#planner;
    const answer = answers(removal, this.#catalogue, settings);
    if (answer.found || !this.#context.isAtBase()) return answer.found;
    const mark = board.mark();
    // With the removal's own assignments, so that the result depends on nothing else.
    this.#planner.apply([node], { assignments: removal.assignments, extraAssignments: [] });
    answer.found = replacementFor([node], removal.unplaced, { ...pricing, totals: new Map() });
    board.undo(mark);
    return answer.found;
  }
}
