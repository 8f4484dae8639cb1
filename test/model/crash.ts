// Lull dies between two requests: a story is played undisturbed, then again with a crash at one of its requests. All invariants
// hold, and the end state is the same.
import { InlineSearcher } from '../../src/engine/search.ts';
import { openController } from '../../src/runtime/controller.ts';
import type { Crash } from '../../src/sim/controllers.ts';
import type { Scenario } from '../../src/sim/scenario/scenario.ts';
import { simulate } from '../../src/sim/simulate.ts';
import { endState } from './endState.ts';
import { sentence } from './runSeed.ts';
import { runToTheEnd } from './toTheEnd.ts';

export interface Played {
  readonly wrong: readonly string[];
  readonly end: readonly string[];
  readonly requests: number;
}

export interface Disturbance {
  readonly controllers?: number;
  readonly crashes?: readonly Crash[];
}

export function play(scenario: Scenario, { controllers, crashes = [] }: Disturbance = {}): Played {
  const simulation = simulate(scenario, {
    reconciler: (port) => openController(port, scenario.settings, {}, new InlineSearcher()),
    crashes: { 'lull-1': crashes },
    ...(controllers !== undefined && { controllers }),
  });
  const endless = runToTheEnd(simulation);
  const wrong = [...simulation.checks.violations.map(sentence), ...endless];
  return { requests: simulation.result().requests, wrong, end: endState(simulation.world.objects) };
}

/** Every request, just before and just after it is carried out; or this many of them, evenly spread. */
export function crashPoints(requests: number, most: number): Crash[] {
  const all = Array.from({ length: requests }, (_, index) => index + 1).flatMap((request): Crash[] => [
    { request, when: 'before' },
    { request, when: 'after' },
  ]);
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / most)] as Crash);
}
