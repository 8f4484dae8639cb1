// `lull snapshot`: how is a cluster kept for later, or shown to others? One object a line, with only what Lull reads; every -f reads it.
import type { Command } from 'commander';
import type { Json } from '../kinds/reader.ts';
import { anonymise } from './anonymise/anonymise.ts';
import { summarise } from './anonymise/summary.ts';
import { namesCluster, whereIs, withCluster } from './asked.ts';
import { addClusterFlags, type ClusterFlags } from './clusterFlags.ts';
import { listCluster } from './clusterInput.ts';
import { wrongUsage } from './failure.ts';
import { filesArgument, listFlag, withFiles } from './flags.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { openRecordFile } from './recordFile.ts';
import { count } from './scene.ts';
import { slim } from './slim.ts';
import { readSources } from './sources.ts';

interface Flags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly output?: string;
  readonly anonymise?: boolean;
}

const examples = `
Examples:
  # the cluster of the current context, packed
  $ lull snapshot -o now.ndjson.gz
  $ lull decide -f now.ndjson.gz

  # to show to others: every name masked, the same decision
  $ lull snapshot --anonymise -o masked.ndjson.gz

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
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => snapshot(withFiles(files, flags), io));
  addClusterFlags(command);
}

async function snapshot(flags: Flags, io: Io): Promise<void> {
  const target = targetOf(flags.output, io);
  if (flags.file && namesCluster(flags)) throw wrongUsage('Give either -f or --kubeconfig and --context, not both.');
  const { objects, from } = flags.file ? await fromFiles(flags.file, io) : await fromCluster(flags, io);
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
