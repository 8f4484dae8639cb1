// The result of one seed, for the tests and for soak runs.
import type { KubeObject } from '../story/hand.ts';
import { clusterOf } from './clusterOf.ts';
import { lull, planRemoval } from './lull.ts';
import { simulator } from './simulator.ts';
import type { Stand } from './stand.ts';
import { type Trial, tryCluster } from './trial.ts';

export interface Tried extends Trial {
  /** Of the cluster. */
  readonly features: readonly string[];
}

export async function trySeed(seed: number, stand: Stand): Promise<Tried> {
  const { objects, features } = clusterOf(seed);
  const options = { stand, judges: [lull, simulator], plan: planRemoval };
  return { ...(await tryCluster(seed, objects as unknown as readonly KubeObject[], options)), features };
}
