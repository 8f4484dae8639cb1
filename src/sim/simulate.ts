// Runs a scenario in virtual time: creates the cluster, starts the controllers, plays the script, step by step.
import type { Port, Reconciler } from '../runtime/port.ts';
import { after, type Duration, type Instant } from '../time/instant.ts';
import { startActors, startKarpenter } from './actors/startActors.ts';
import { type Checks, type InvariantViolation, openChecks } from './checks/checks.ts';
import { type Crash, createControllers, type SimController } from './controllers.ts';
import type { KubeObject } from './kubeObject.ts';
import { createCluster, worldStart } from './scenario/initialCluster.ts';
import type { ExpectationResult, Scenario, ScriptContext } from './scenario/scenario.ts';
import type { SentRequest } from './simPort.ts';
import { Flight } from './story/flight.ts';
import { followGates } from './story/gateStory.ts';
import { Story } from './story/story.ts';
import type { StoryEvent } from './story/storyEvent.ts';
import { collectSummary, type Summary, type SummaryCollector } from './story/summary.ts';
import { followWindows } from './story/windowStory.ts';
import { openWorld, type World } from './world.ts';

export interface SimulateOptions {
  /** The controller logic under simulation. Called again after each crash. */
  readonly reconciler: (port: Port, name: string) => Reconciler;
  readonly seed?: number;
  readonly for?: Duration;
  readonly controllers?: number;
  /** By controller: `lull-1`, `lull-2`. */
  readonly crashes?: Readonly<Record<string, readonly Crash[]>>;
  readonly onEvent?: (event: StoryEvent) => void;
  readonly onSent?: (sent: SentRequest) => void;
  /** Called for each raw object that enters a controller's view. After a crash all objects enter again. */
  readonly onRead?: (name: string, object: KubeObject, isGone: boolean) => void;
}

export interface Simulation {
  readonly world: World;
  readonly checks: Checks;
  readonly from: Instant;
  readonly to: Instant;
  readonly now: Instant;
  readonly events: readonly StoryEvent[];
  /** The controller's view of the cluster; undefined while it is down. */
  port(name: string): Port | undefined;
  /** Runs the next timer; false at the end. */
  step(): boolean;
  runUntil(at: Instant): void;
  /** Runs to the end. */
  run(): SimulationResult;
  /** The result so far. */
  result(): SimulationResult;
}

export interface SimulationResult {
  readonly events: readonly StoryEvent[];
  readonly rounds: number;
  readonly requests: number;
  readonly summary: Summary;
  /** Violated invariants. */
  readonly violations: readonly InvariantViolation[];
  /** Expectations that failed, as sentences. Before the end, those that may still be met are in `missing`. */
  readonly broken: readonly string[];
  readonly missing: readonly string[];
}

export function simulate(scenario: Scenario, options: SimulateOptions): Simulation {
  const world = createWorld(scenario, options.seed ?? scenario.seed);
  const { clock } = world;
  const end = after(scenario.from, scenario.for);
  const to = options.for === undefined ? end : after(scenario.from, options.for);
  const { story, checks, summary, checkExpectations } = observe(scenario, world, to);
  if (options.onEvent) story.onEvent(options.onEvent);
  const { byName, controllers } = createControllers({
    world,
    story,
    checks,
    note: (sent) => {
      checks.note(sent);
      options.onSent?.(sent);
    },
    reconciler: options.reconciler,
    count: options.controllers ?? scenario.controllers,
    crashes: options.crashes ?? {},
    ...(options.onRead && { onRead: options.onRead }),
  });
  let isOver = false;
  clock.at(to, () => {
    isOver = true;
    checks.finish();
  });
  playScript(scenario, { world, controllers, repetition: 1, record: (event) => story.record(event) });
  for (const controller of byName.values()) controller.start();

  const step = (): boolean => !isOver && clock.step() && !isOver;
  const result = (): SimulationResult => {
    const { broken, missing } = checkExpectations();
    const isComplete = isOver && to >= end;
    return {
      events: story.events,
      rounds: sum(byName.values(), ({ passes }) => passes),
      requests: sum(byName.values(), ({ requests }) => requests),
      summary: summary.summary(),
      violations: checks.violations,
      broken: isComplete ? [...broken, ...missing] : broken,
      missing: isComplete ? [] : missing,
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
    port: (name) => byName.get(name)?.port,
    step,
    runUntil: (at) => {
      // A timer at `at` makes the clock stop exactly there.
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

/** The world at the start of the story. */
function createWorld(scenario: Scenario, seed: number): World {
  const world = openWorld({
    at: worldStart(scenario),
    seed,
    ...(scenario.instanceTypes && { instanceTypes: scenario.instanceTypes }),
    ...(scenario.zones && { zones: scenario.zones }),
    karpenter: scenario.karpenter,
    bornParked: scenario.bornParked,
  });
  startActors(world);
  createCluster(scenario, world);
  startKarpenter(world);
  return world;
}

interface Observers {
  readonly story: Story;
  readonly checks: Checks;
  readonly summary: SummaryCollector;
  /** The combined result of all expectations. */
  readonly checkExpectations: () => ExpectationResult;
}

/** Attaches the story, the checks and the expectations; earlier changes are not observed. */
function observe(scenario: Scenario, { objects, clock, instanceTypes }: World, to: Instant): Observers {
  const { from, settings, expect } = scenario;
  const flight = new Flight(objects);
  const story = new Story(objects, clock);
  const summary = collectSummary({ objects, clock, flight, instanceTypes }, from);
  const checks = openChecks({ objects, clock }, { settings });
  story.onEvent((event) => summary.note(event));
  const observed = { objects, clock, flight, from, to, onEvent: story.onEvent.bind(story) };
  const expectationChecks = expect.map((expectation) => expectation.watch(observed));
  story.begin();
  followWindows(objects, clock, (event) => story.record(event));
  followGates(objects, clock, (event) => story.record(event));
  return {
    story,
    checks,
    summary,
    checkExpectations: () => {
      const results = expectationChecks.map((check) => check());
      return { broken: results.flatMap((it) => it.broken), missing: results.flatMap((it) => it.missing) };
    },
  };
}

function playScript(scenario: Scenario, context: ScriptContext): void {
  for (const { at, run } of scenario.script) context.world.clock.at(after(scenario.from, at), () => run(context));
}

const sum = (controllers: Iterable<SimController>, of: (controller: SimController) => number): number =>
  [...controllers].reduce((total, controller) => total + of(controller), 0);
