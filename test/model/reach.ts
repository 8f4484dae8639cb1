// What the seeds must reach and how often: every step of drive, every refusal of drive, every fault.
import { type RefusalCode, refusalCodes } from '../../src/engine/refusal.ts';
import type { Coverage, What } from './coverage.ts';
import { faultDraws } from './generate/script.ts';

/** In all seeds of CI together. */
const wanted = 45;

/** Refusals that do not occur in the simulation, or too seldom, each with the reason. */
const outOfReach: Partial<Record<RefusalCode, string>> = {
  KarpenterBudget: 'N4: said in guide alone, and the box runs in drive',
  KarpenterDeclined: 'N3: said in guide alone, and the box runs in drive',
  ReplacementSlow: 'F7: said in guide alone, and the box runs in drive',
  OffersWithheld: 'N11: said in guide alone, and the box runs in drive',
  RollHalted:
    'P5: replacements of one roll seldom fail in a row; test/invariants and the scenario broken-image-halts, with its crashes, cover it',
  NamespaceCrowded:
    'F6, E10: the namespaces of the model are far below the limits; test/invariants and 35-hostile-reconciler cover them',
};

/** G1, in drive. */
const ownSteps = ['chosen', 'tainted', 'replacing', 'draining', 'terminating', 'released'];

const everything: readonly (readonly [what: What, name: string])[] = [
  ...ownSteps.map((name) => ['step', name] as const),
  ...Object.keys(refusalCodes)
    .filter((code) => !(code in outOfReach))
    .map((name) => ['code', name] as const),
  ...Object.keys(faultDraws).map((name) => ['fault', name] as const),
];

/** What one of this many equal shards has not reached often enough for all of them together to reach it. */
export function outOfSight(coverage: Coverage, shards: number): string[] {
  const share = Math.ceil(wanted / shards);
  return everything
    .filter(([what, name]) => coverage.count(what, name) < share)
    .map(([what, name]) => `${what} ${name}: ${coverage.count(what, name)} of ${share}`);
}
