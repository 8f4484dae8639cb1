// What must hold in a scenario, beyond what must always hold? One entry of `expect`, watching the run.
import type { Instant } from '../../time/instant.ts';
import type { Clock } from '../clock.ts';
import type { Objects } from '../objects.ts';
import type { StoryEvent } from '../story/event.ts';
import type { Flight } from '../story/flight.ts';

export interface Expectation {
  /** What is expected, as a sentence. */
  readonly text: string;
  /** Begins to watch; the judge is asked at the end. */
  readonly watch: (scene: Scene) => Judge;
}

export type Judge = () => Verdict;

/** In sentences. */
export interface Verdict {
  /** What was not to be. */
  readonly broken: readonly string[];
  /** What did not come. Whoever stops early does not hold that against anyone. */
  readonly missing: readonly string[];
}

/** What an expectation may look at: raw objects and the story, as they come. */
export interface Scene {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly flight: Flight;
  readonly from: Instant;
  readonly to: Instant;
  onEvent(listener: (event: StoryEvent) => void): void;
}
