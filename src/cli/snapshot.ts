// `lull snapshot`: how is a cluster kept for later, or shown to others? One object a line, with only what Lull reads; every -f reads it.
import type { Command } from 'commander';
import type { Json } from '../kinds/reader.ts';
import { objectsAt } from '../recording/objectsAt.ts';
import { formatExactly, type Instant } from '../time/instant.ts';
import { anonymise } from './anonymise/anonymise.ts';
import { summarise } from './anonymise/summary.ts';
import { namesCluster, whereIs, withCluster } from './asked.ts';
import { addClusterFlags, type ClusterFlags } from './clusterFlags.ts';
import { listCluster } from './clusterInput.ts';
import { wrongUsage } from './failure.ts';
import { filesArgument, instantFlag, listFlag, withFiles } from './flags.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { openRecordFile } from './recordFile.ts';
import { reading } from './recordingInput.ts';
import { count } from './scene.ts';
import { slim } from './slim.ts';
import { readSources } from './sources.ts';

interface Flags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly output?: string;
  readonly anonymise?: boolean;
  readonly recording?: string;
  readonly at?: Instant;
}

const examples = `
Examples:
  # the cluster of the current context, packed
  $ lull snapshot -o now.ndjson.gz
  $ lull decide -f now.ndjson.gz

  # to show to others: every name masked, the same decision
  $ lull snapshot --anonymise -o masked.ndjson.gz

  # a moment of a recording, which is not anonymised itself; it is decided with the same --at
  $ lull snapshot --recording day.gz --at 2026-11-17T10:20:00Z --anonymise -o masked.ndjson.gz

  # of what kubectl shows
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,pv,pvc,sc,csinodes,ds -A -o yaml | lull snapshot -f - --anonymise -o -
`;

export function addSnapshot(program: Command, io: Io): void {
  const command = program
    .command('snapshot')
    .summary('keep a cluster as it is now in a file that every -f reads')
    .description(
      'Writes every object that Lull reads, one a line, with only the fields that it reads: no images, environments or secrets.\nWith --anonymise everything is masked but numbers, dates, schedules, time zones and well-known words, each name always in the same way, so that the decision stays what it is.',
    )
    .addArgument(filesArgument())
    .option('-o, --output <file>', 'where to write it: .ndjson, .ndjson.gz for a packed one, or - for stdout')
    .option('--anonymise', 'mask names, labels, texts, addresses, zones and instance types')
    .option('-f, --file <path>', 'objects as kubectl prints them, instead of a cluster; repeatable', listFlag)
    .option('--recording <file>', 'the objects and the ledger of one round of a recording, instead of a cluster')
    .option(
      '--at <instant>',
      'with --recording: the last round at or before this moment (default: the last)',
      instantFlag,
    )
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => snapshot(withFiles(files, flags), io));
  addClusterFlags(command);
}

async function snapshot(flags: Flags, io: Io): Promise<void> {
  const target = targetOf(flags.output, io);
  if (flags.file && namesCluster(flags)) throw wrongUsage('Give either -f or --kubeconfig and --context, not both.');
  const { objects, from } = await take(flags, io);
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
  throw wrongUsage(
    `${output} does not say how it is to be written. Let it end in .ndjson, or in .ndjson.gz to pack it.`,
  );
}

interface Taken {
  readonly objects: readonly Json[];
  readonly from: string;
}

async function take({ file, recording, at, ...flags }: Flags, io: Io): Promise<Taken> {
  if (recording === undefined) {
    if (at !== undefined) throw wrongUsage('--at needs --recording: a cluster is kept as it is now.');
    return file ? fromFiles(file, io) : fromCluster(flags, io);
  }
  if (file || namesCluster(flags)) throw wrongUsage('Give either --recording, or -f, or a cluster.');
  return fromRecording(recording, at, io);
}

async function fromRecording(file: string, until: Instant | undefined, io: Io): Promise<Taken> {
  const [source] = await readSources([file], io);
  if (!source) throw wrongUsage(`${file} has no recording.`);
  const { at, objects } = reading(source, () => objectsAt(source.text, until));
  const kept = objects.map(slim).filter((object) => object !== undefined);
  return { objects: kept, from: `${file} at ${formatExactly(at)}` };
}

const fromCluster = (flags: ClusterFlags, io: Io): Promise<Taken> =>
  withCluster(flags, io, async (connection) => {
    const { objects } = await listCluster(connection, io, slim);
    return { objects: objects.filter((object) => object !== undefined), from: whereIs(connection) };
  });

async function fromFiles(files: readonly string[], io: Io): Promise<Taken> {
  const documents = documentsIn(await readSources(files, io));
  const objects = documents.map(({ object }) => slim(object)).filter((object) => object !== undefined);
  return { objects, from: files.join(', ') };
}
