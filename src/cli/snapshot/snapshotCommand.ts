// `lull snapshot`: saves a cluster to a file, one object per line, with only what Lull reads; every -f accepts it.
import type { Json } from '../../kinds/read/reader.ts';
import { objectsAt } from '../../recording/snapshot.ts';
import { formatExactly, type Instant } from '../../time/instant.ts';
import { describeConnection, listCluster, withCluster } from '../clusterInput.ts';
import { wrongUsage } from '../failure.ts';
import { type ClusterFlags, namesCluster } from '../flags.ts';
import { documentsIn } from '../input.ts';
import type { Io } from '../io.ts';
import { openRecordFile } from '../record/recordFile.ts';
import { readingRecording } from '../recordingInput.ts';
import { readSources } from '../sources.ts';
import { count } from '../span.ts';
import { anonymise } from './anonymise/anonymise.ts';
import { summarise } from './anonymise/masks.ts';
import { slim } from './slim.ts';

interface SnapshotFlags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly output?: string;
  readonly anonymise?: boolean;
  readonly recording?: string;
  readonly at?: Instant;
}

export async function snapshot(flags: SnapshotFlags, io: Io): Promise<void> {
  const target = targetOf(flags.output, io);
  if (flags.file && namesCluster(flags)) throw wrongUsage('Give either -f or --kubeconfig and --context, not both.');
  const { objects, from } = await capture(flags, io);
  const masked = flags.anonymise ? anonymise(objects) : undefined;
  const kept = masked?.objects ?? objects;
  const file = await openRecordFile(target, io);
  for (const object of kept) {
    file.write(JSON.stringify(object));
    await file.drained();
  }
  await file.close();
  io.stderr(`${count(kept.length, 'object')} of ${from}${target === '-' ? '' : `, in ${target}`}\n`);
  if (masked) io.stderr(summarise(masked.masks));
}

function targetOf(output: string | undefined, io: Io): string {
  if (output === undefined && io.screen)
    throw wrongUsage('Name a file with -o, such as -o now.ndjson.gz; -o - writes to the screen.');
  if (output === undefined || output === '-') return '-';
  if (/\.(ndjson|gz)$/i.test(output)) return output;
  throw wrongUsage(`${output} has an unknown extension. Use .ndjson, or .ndjson.gz to compress it.`);
}

interface CapturedObjects {
  readonly objects: readonly Json[];
  readonly from: string;
}

async function capture({ file, recording, at, ...flags }: SnapshotFlags, io: Io): Promise<CapturedObjects> {
  if (recording === undefined) {
    if (at !== undefined) throw wrongUsage('--at needs --recording: a cluster can only be saved as it is now.');
    return file ? fromFiles(file, io) : fromCluster(flags, io);
  }
  if (file || namesCluster(flags)) throw wrongUsage('Give either --recording, or -f, or a cluster.');
  return fromRecording(recording, at, io);
}

async function fromRecording(file: string, until: Instant | undefined, io: Io): Promise<CapturedObjects> {
  const [source] = await readSources([file], io);
  if (!source) throw wrongUsage(`${file} has no recording.`);
  const { at, objects } = readingRecording(source, () => objectsAt(source.text, until));
  const kept = objects.map(slim).filter((object) => object !== undefined);
  return { objects: kept, from: `${file} at ${formatExactly(at)}` };
}

const fromCluster = (flags: ClusterFlags, io: Io): Promise<CapturedObjects> =>
  withCluster(flags, io, async (connection) => {
    const { objects } = await listCluster(connection, io, slim);
    return { objects: objects.filter((object) => object !== undefined), from: describeConnection(connection) };
  });

async function fromFiles(files: readonly string[], io: Io): Promise<CapturedObjects> {
  const documents = documentsIn(await readSources(files, io));
  const objects = documents.map(({ object }) => slim(object)).filter((object) => object !== undefined);
  return { objects, from: files.join(', ') };
}
