// The form of a gate: one wish in, its refusals out. A gate is named after what it refuses with.
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';

export type Gate = (wish: Wish, situation: Situation) => readonly Refusal[];
