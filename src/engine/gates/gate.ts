// The type of a gate: takes one wish, returns its refusals. A gate is named after its refusal code.
import type { Refusal } from '../refusal.ts';
import type { EvaluationContext, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';

/** Depends only on the wish, the time and the settings, so its result can be cached. */
export type SteadyGate = (wish: Wish, moment: EvaluationContext) => readonly Refusal[];

export type Gate = (wish: Wish, situation: Situation) => readonly Refusal[];
