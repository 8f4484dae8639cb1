// Who looks on while a scenario runs? The story, the summary, what must always hold, and what this scenario expects.
import type { Instant } from '../../time/instant.ts';
import { type Checks, openChecks } from '../checks/checks.ts';
import type { Verdict } from '../scenario/expectation.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { Flight } from '../story/flight.ts';
import { Story } from '../story/story.ts';
import { type Keeper, keepSummary } from '../story/summary.ts';
import { followWindows } from '../story/windowStory.ts';
import type { World } from '../world.ts';

export interface Observers {
  readonly story: Story;
  readonly checks: Checks;
  readonly keeper: Keeper;
  /** What of all that is expected was broken, and what is missing so far. */
  readonly judge: () => Verdict;
}

/** From now on; what was before is not told. */
export function observe(scenario: Scenario, { objects, clock, instanceTypes }: World, to: Instant): Observers {
  const { from, settings, expect } = scenario;
  const flight = new Flight(objects);
  const story = new Story(objects, clock);
  const keeper = keepSummary({ objects, clock, flight, instanceTypes }, from);
  const checks = openChecks({ objects, clock }, { settings });
  story.onEvent((event) => keeper.note(event));
  const scene = { objects, clock, flight, from, to, onEvent: story.onEvent.bind(story) };
  const judges = expect.map((expectation) => expectation.watch(scene));
  story.begin();
  followWindows(objects, clock, (event) => story.tell(event));
  return {
    story,
    checks,
    keeper,
    judge: () => {
      const verdicts = judges.map((judge) => judge());
      return { broken: verdicts.flatMap((it) => it.broken), missing: verdicts.flatMap((it) => it.missing) };
    },
  };
}
