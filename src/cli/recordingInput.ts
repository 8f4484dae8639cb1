// Flags of `lull replay` and `lull shadow`: another policy or other settings; and errors in a recording with their line (K1).
import type { Settings } from '../cluster/settings.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { readSettings } from '../kinds/readSettings.ts';
import { RecordingError } from '../recording/recordingLine.ts';
import { isPolicy } from '../recording/whatIfPolicy.ts';
import { Failure } from './failure.ts';
import { asProblem, documentsIn } from './input.ts';
import type { Io } from './io.ts';
import type { OutputFormat } from './output.ts';
import { readSources, type SourceText } from './sources.ts';

export interface RecordingFlags {
  readonly recording: string;
  readonly with?: readonly string[];
  readonly set?: readonly string[];
  readonly output: OutputFormat;
}

/** The objects of `--with`. */
export async function recordedPolicy({ with: paths }: RecordingFlags, io: Io): Promise<Json[]> {
  if (!paths) return [];
  const documents = documentsIn(await readSources(paths, io));
  const other = documents.find(({ object }) => !isPolicy(object) || !isMap(object.metadata));
  if (other) {
    const message = `--with takes NodePools, MaintenanceWindows, HealthGates, PodDisruptionSchedules and PodDisruptionBudgets with metadata. This is a ${String(other.object.kind)}.`;
    throw new Failure([{ ...other.position('kind'), message }]);
  }
  return documents.map(({ object }) => object);
}

/** The recorded settings, overridden by --set. */
export function settingsOver(recorded: Json, pairs: readonly string[]): Settings {
  const { settings, faults } = readSettings(recorded, pairs);
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Failure(errors.map(asProblem));
  return settings;
}

export function readingRecording<Outcome>({ file }: SourceText, work: () => Outcome): Outcome {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError) throw new Failure([{ file, line: error.line, message: error.message }]);
    if (error instanceof RangeError) throw new Failure([{ file, message: 'The recording is nested too deeply.' }]);
    throw error;
  }
}
