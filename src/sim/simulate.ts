// How does a scenario run? The box is grown, controllers are let in, the script is played; every step can be stopped at.
import type { Port, Tenant } from '../runtime/port.ts';
import { after, type Duration, type Instant } from '../time/instant.ts';
import { startActors, startKarpenter } from './actors/startActors.ts';
import type { Checks, Violation } from './checks/checks.ts';
import { engage } from './harness/crew.ts';
import { observe } from './harness/observers.ts';
import type { Crash, Pump } from './harness/pump.ts';
import type { KubeObject } from './kubeObject.ts';
import { bornAt, growCluster } from './scenario/grow.ts';
import type { Stage } from './scenario/happening.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Sent } from './simPort.ts';
import type { StoryEvent } from './story/event.ts';
import type { Summary } from './story/summary.ts';
import { openWorld, type World } from './world.ts';

export interface SimulateOptions {
  /** Whoever acts on the cluster. Called again after each crash. */
  readonly tenant: (port: Port, name: string) => Tenant;
  readonly seed?: number;
  readonly for?: Duration;
  readonly controllers?: number;
  /** By the name of the controller: `lull-1`, `lull-2`. */
  readonly crashes?: Readonly<Record<string, readonly Crash[]>>;
  readonly onEvent?: (event: StoryEvent) => void;
  readonly onSent?: (sent: Sent) => void;
  /** What enters the view of a controller, raw, by the name of the controller. After a crash everything enters anew. */
  readonly onRead?: (name: string, object: KubeObject, isGone: boolean) => void;
}

export interface Simulation {
  readonly world: World;
  readonly checks: Checks;
  readonly from: Instant;
  readonly to: Instant;
  readonly now: Instant;
  readonly events: readonly StoryEvent[];
  /** How a controller sees the cluster now; undefined while it is down. */
  port(name: string): Port | undefined;
  /** Runs the next event; false when the time is up. */
  step(): boolean;
  runUntil(at: Instant): void;
  /** To the end, and what came of it. */
  run(): Result;
  /** What has come of it so far. */
  result(): Result;
}

export interface Result {
  readonly events: readonly StoryEvent[];
  readonly rounds: number;
  readonly requests: number;
  readonly summary: Summary;
  /** What must always hold and did not. */
  readonly violations: readonly Violation[];
  /** What this scenario expects and did not get, in sentences. What may still come is not yet broken. */
  readonly broken: readonly string[];
  readonly missing: readonly string[];
}

export function simulate(scenario: Scenario, options: SimulateOptions): Simulation {
  const world = grownWorld(scenario, options.seed ?? scenario.seed);
  const { clock } = world;
  const end = after(scenario.from, scenario.for);
  const to = options.for === undefined ? end : after(scenario.from, options.for);
  const { story, checks, keeper, judge } = observe(scenario, world, to);
  if (options.onEvent) story.onEvent(options.onEvent);
  const { pumps, controllers } = engage({
    world,
    story,
    checks,
    note: (sent) => {
      checks.note(sent);
      options.onSent?.(sent);
    },
    tenant: options.tenant,
    count: options.controllers ?? scenario.controllers,
    crashes: options.crashes ?? {},
    ...(options.onRead && { onRead: options.onRead }),
  });
  let isOver = false;
  clock.at(to, () => {
    isOver = true;
    checks.finish();
  });
  playScript(scenario, { world, controllers, repetition: 1, tell: (told) => story.tell(told) });
  for (const pump of pumps.values()) pump.start();

  const step = (): boolean => !isOver && clock.step() && !isOver;
  const result = (): Result => {
    const { broken, missing } = judge();
    const isWhole = isOver && to >= end;
    return {
      events: story.events,
      rounds: sum(pumps.values(), ({ passes }) => passes),
      requests: sum(pumps.values(), ({ requests }) => requests),
      summary: keeper.summary(),
      violations: checks.violations,
      broken: isWhole ? [...broken, ...missing] : broken,
      missing: isWhole ? [] : missing,
    };
  };
  return {
    world,
    checks,
    from: scenario.from,
    to,
    get now() {
      return clock.now;
    },
    events: story.events,
    port: (name) => pumps.get(name)?.port,
    step,
    runUntil: (at) => {
      // So that it is that time then, whether or not anything happens.
      clock.at(at, () => undefined);
      while (!isOver && clock.nextAt !== undefined && clock.nextAt <= at) clock.step();
    },
    run: () => {
      while (step());
      return result();
    },
    result,
  };
}

/** The cluster as it stands when the story starts. */
function grownWorld(scenario: Scenario, seed: number): World {
  const world = openWorld({
    at: bornAt(scenario),
    seed,
    ...(scenario.instanceTypes && { instanceTypes: scenario.instanceTypes }),
    ...(scenario.zones && { zones: scenario.zones }),
    karpenter: scenario.karpenter,
    bornParked: scenario.bornParked,
  });
  startActors(world);
  growCluster(scenario, world);
  startKarpenter(world);
  return world;
}

function playScript(scenario: Scenario, stage: Stage): void {
  for (const { at, happen } of scenario.script) stage.world.clock.at(after(scenario.from, at), () => happen(stage));
}

const sum = (pumps: Iterable<Pump>, of: (pump: Pump) => number): number =>
  [...pumps].reduce((total, pump) => total + of(pump), 0);
