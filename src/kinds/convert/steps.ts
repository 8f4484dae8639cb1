// What is done to a document, by its kind? First names and values in place, then fields from place to place.

import type { Json } from '../reader.ts';
import { readObject } from '../readObject.ts';
import { Draft } from './draft.ts';
import { moveNodePool, respellNodePool } from './nodePool.ts';
import { respellOptOuts } from './optOut.ts';
import { moveProvisioner, respellProvisioner } from './provisioner.ts';
import { respellSelector, respellVersion } from './window.ts';

type Step = (draft: Draft, object: Json) => void;

const policies: ReadonlyMap<unknown, readonly [respell: readonly Step[], move: readonly Step[]]> = new Map([
  ['NodePool', [[respellNodePool], [moveNodePool]]],
  ['Provisioner', [[respellProvisioner], [moveProvisioner]]],
  ['MaintenanceWindow', [[respellVersion, respellSelector], []]],
  ['PodDisruptionSchedule', [[respellVersion], []]],
]);

/** Paths in the notes are those of the text as it was: nothing moves before all is respelled. */
export const steps: readonly ((object: Json) => Draft)[] = [0, 1].map((place) => (object) => {
  const draft = new Draft();
  const policy = policies.get(object.kind);
  if (policy === undefined) {
    if (place === 0) respellOptOuts(draft, object);
    // Other makers have a NodePool too.
  } else if (readObject(object).kind !== 'ignored') for (const step of policy[place] ?? []) step(draft, object);
  return draft;
});
