// What can become of a command in a round? It goes on to another step, stays in its step, or is over.
import type { Command, Step } from '../../cluster/ledger.ts';
import { type Instant, minute } from '../../time/instant.ts';
import type { Placer } from '../placement/placement.ts';
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import type { Drains } from './drains.ts';
import type { PdbUnits } from './pdbUnits.ts';

/** G1: one step of a command: its record and the facts in, what becomes of it out. */
export type StepRule = (command: Command, context: Context) => Outcome;

export type Outcome = Moves | Stays | Over;

/** It is in another step now, which is carried out in the same round. */
export interface Moves {
  readonly next: Command;
  /** F4: pools whose replacements failed, or whose drains stood still. */
  readonly failed?: readonly string[];
  /** F4: pools whose replacements came. */
  readonly arrived?: readonly string[];
  /** N3: nodes that Karpenter did not take. */
  readonly declined?: readonly string[];
}

export interface Stays {
  /** The same object where nothing is to be remembered. */
  readonly command: Command;
  readonly actions: readonly Action[];
  /** When time alone moves it on. What was asked for and refused is asked for again by whoever sends the requests. */
  readonly wakeAt?: Instant | undefined;
  /** G7: what holds it. */
  readonly waitingFor?: readonly Refusal[];
  /** H1. */
  readonly deadline?: Instant | undefined;
  readonly failed?: readonly string[];
}

export interface Over {
  readonly over: 'gone' | 'released';
}

/** What the steps of all commands of a round look at and share. */
export interface Context {
  readonly situation: Situation;
  /** By node: the wishes of nodes under way. */
  readonly wishes: ReadonlyMap<string, readonly Wish[]>;
  /** E10: what PDBs still allow, over all commands. */
  readonly pdbs: PdbUnits;
  /** H: when pods are forced, over all commands. */
  readonly drains: Drains;
  /** G1: finds a place again for what was chosen and is judged anew. */
  readonly placer: Placer;
}

/** G1: the steps that are carried out by Lull's own hands. */
const ownSteps = ['chosen', 'tainted', 'replacing', 'draining', 'terminating', 'released'] as const;
export type OwnStep = (typeof ownSteps)[number];

/** G1: the steps that are carried out by Karpenter's hands. */
export type GuideStep = 'offered' | 'taken' | 'withdrawn';

export const move = (command: Command, step: Step, now: Instant): Command => ({ ...command, step, stepAt: now });

/** Nothing is promised any more; replacements that were never asked for need not be looked for. */
export function release(command: Command, why: string, now: Instant): Command {
  const { drain: _, ...rest } = command;
  const untouched = command.step === 'chosen' || command.step === 'tainted';
  return {
    ...rest,
    ...(untouched && { replacements: [] }),
    promisedTo: [],
    step: 'released',
    stepAt: now,
    why: why.slice(0, longestWhy),
  };
}

/** N3: it is parked again; what Karpenter did with it before does not count any more. */
export function withdraw(command: Command, why: string, now: Instant): Command {
  const { parkedAt: _, ...rest } = command;
  return { ...rest, promisedTo: [], step: 'withdrawn', stepAt: now, why: why.slice(0, longestWhy) };
}

/** A sentence; the ledger is no place for more. */
const longestWhy = 500;

/** N6: a claim that has not been launched by then will hardly be. */
export const launchTimeout = minute;
