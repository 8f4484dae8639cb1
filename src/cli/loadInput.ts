// Loads the objects of a command from files, from a cluster, or from a cluster overridden by files (L1).
import { asInstant, type Instant, second } from '../time/instant.ts';
import { namesCluster, type ObjectFlags } from './flags.ts';
import { gatherInput, type LoadedObjects, type LoadedTexts } from './input.ts';
import type { Io } from './io.ts';
import type { OutputFormat } from './output.ts';
import { settingsFrom } from './settingsInput.ts';
import { readSources } from './sources.ts';
import { dim, paint } from './span.ts';
import { identityOfFiles } from './whichCluster.ts';

/** From files if only they are given; otherwise from the cluster, overridden by any files. */
export async function loadObjects(flags: ObjectFlags, io: Io): Promise<LoadedObjects> {
  if (!flags.file || namesCluster(flags)) return (await import('./clusterInput.ts')).objectsOfCluster(flags, io);
  return {
    settings: settingsFrom(flags),
    input: gatherInput(await readSources(flags.file, io)),
    cluster: identityOfFiles(flags.file),
  };
}

/** For commands that print source lines: the cluster's objects as texts under their own names, then the files. */
export async function loadTexts(flags: ObjectFlags, io: Io): Promise<LoadedTexts> {
  const given = flags.file ? await readSources(flags.file, io) : [];
  if (!flags.file || namesCluster(flags)) return (await import('./clusterInput.ts')).textsOfCluster(flags, given, io);
  return { settings: settingsFrom(flags), sources: given, cluster: identityOfFiles(flags.file) };
}

/** --at, or now in whole seconds, so that the printed time reproduces the decision. */
export const decisionTime = ({ at }: { readonly at?: Instant }, io: Io): Instant =>
  at ?? asInstant(Math.floor(io.now() / second) * second);

/** Prints where the objects came from, to stderr so that pipes do not get it. */
export function reportOrigin(origin: string | undefined, form: OutputFormat | 'text', io: Io): void {
  if (origin !== undefined && form === 'text') io.stderr(paint([[dim(`via ${origin}`)]], io.color));
}
