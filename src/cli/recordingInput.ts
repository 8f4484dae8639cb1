// What may be asked of a recording besides itself? Another policy, other settings; and what is wrong with it is told with its line (K1).
import type { Settings } from '../cluster/settings.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import { readSettings } from '../kinds/settings.ts';
import { RecordingError } from '../recording/line.ts';
import { isPolicy } from '../recording/policy.ts';
import { Failure } from './failure.ts';
import { asProblem, documentsIn } from './input.ts';
import type { Source } from './sources.ts';

/** The objects of `--with`. */
export function policyIn(sources: readonly Source[]): Json[] {
  const documents = documentsIn(sources);
  const strange = documents.find(({ object }) => !isPolicy(object) || !isMap(object.metadata));
  if (strange) {
    const message = `A policy is made of NodePool, MaintenanceWindow, PodDisruptionSchedule and PodDisruptionBudget, each with its metadata. This is ${String(strange.object.kind)}.`;
    throw new Failure([{ ...strange.position('kind'), message }]);
  }
  return documents.map(({ object }) => object);
}

/** The recorded settings, with those of `--set` over them. */
export function settingsOver(recorded: Json, pairs: readonly string[]): Settings {
  const { settings, faults } = readSettings(recorded, pairs);
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Failure(errors.map(asProblem));
  return settings;
}

export function reading<Outcome>({ file }: Source, work: () => Outcome): Outcome {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError) throw new Failure([{ file, line: error.line, message: error.message }]);
    if (error instanceof RangeError)
      throw new Failure([{ file, message: 'Something in this recording is nested too deeply.' }]);
    throw error;
  }
}
