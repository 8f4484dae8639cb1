// The stories of a soak: seeds of the model, and every scenario with Lull dying at each of its requests.
import { crashPoints, type Disturbance, play } from '../../test/model/crash.ts';
import { playableScenarios } from '../../test/model/scenarios.ts';

export interface Job {
  readonly name: string;
  /** The command that repeats it. */
  readonly again: string;
  readonly seed?: number;
  readonly scenario?: string;
  readonly disturbance?: Disturbance;
}

export const seedJobs = (from: number, count: number): Job[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `seed ${from + index}`,
    again: `node scripts/soak.ts --from ${from + index} --seeds 1`,
    seed: from + index,
  }));

/** Beside a second controller a crash is only a slow pass, so a few of them suffice. */
const besideAnother = 20;

/** At most this many crashes of each scenario, spread evenly over its requests. */
export function crashJobs(most: number): Job[] {
  if (most === 0) return [];
  return playableScenarios().flatMap((scenario) => {
    const { name, controllers } = scenario;
    const { requests } = play(scenario);
    return [
      ...crashPoints(requests, most).map((crash) => crashJob(name, { controllers, crashes: [crash] })),
      ...crashPoints(requests, Math.min(most, besideAnother)).map((crash) =>
        crashJob(name, { controllers: Math.max(controllers, 2), crashes: [crash] }),
      ),
    ];
  });
}

function crashJob(scenario: string, disturbance: Required<Disturbance>): Job {
  const [crash] = disturbance.crashes;
  const where = `a crash ${crash?.when} request ${crash?.request}`;
  const name = `${scenario}, ${disturbance.controllers} controllers, ${where}`;
  return { name, again: `${name}: play() of test/model/crash.ts`, scenario, disturbance };
}
