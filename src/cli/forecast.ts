// `lull forecast`: when will a roll be finished? The cluster is copied and played forward; nothing is written anywhere.
import type { Command } from 'commander';
import { answerBy, type Deadline } from '../forecast/deadline.ts';
import { type Forecast, type ForecastOptions, forecastFor, forecastRuns } from '../forecast/forecast.ts';
import type { Snapshot } from '../forecast/snapshot.ts';
import { type Staged, stage } from '../forecast/staged.ts';
import { RecordingError } from '../recording/line.ts';
import { readSnapshot } from '../recording/readSnapshot.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { asDuration, asInstant, type Instant, second } from '../time/instant.ts';
import { type ObjectFlags, tellWhom, textsAsked } from './asked.ts';
import { fetchFrom, usualServer } from './askServer.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { wrongUsage } from './failure.ts';
import { instantFlag, listFlag, withFiles } from './flags.ts';
import { renderDeadline, renderTruth } from './forecastAnswers.ts';
import { deadlineAsJson, forecastAsJson, truthAsJson } from './forecastJson.ts';
import { renderForecast } from './forecastText.ts';
import { documentsIn, factsOf, gatherDocuments } from './input.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { type AskServer, type Whom, whichServer, whomToAsk } from './person.ts';
import { scenarioIn } from './scenarioInput.ts';
import { readSources } from './sources.ts';
import { clusterField, clusterLines, identityOfFiles } from './whichCluster.ts';

interface Flags extends ObjectFlags {
  readonly at?: Instant;
  readonly server?: string;
  readonly all?: boolean;
  readonly by?: Instant;
  readonly check?: boolean;
  readonly output: Form;
}

const examples = `
Examples:
  # of the cluster of the current context; without a kubeconfig, of the \`lull up\` on this machine
  $ lull forecast

  # of another cluster: every node that goes, when and why
  $ lull forecast --context production --all

  # what if this pool were applied over it?
  $ lull forecast --context production -f nodepool.yaml

  # would it be done before the sale, and if not, with what budget?
  $ lull forecast --by 2026-11-27T00:00:00Z

  # of a scenario when its roll begins; and how far off that is
  $ lull forecast scenarios/zone-by-zone.yaml --check

  # of a snapshot, for a program to read
  $ lull snapshot -o now.ndjson.gz
  $ lull forecast -f now.ndjson.gz --at 2026-11-16T09:00:00Z -o json
`;

export function addForecast(program: Command, io: Io): void {
  const command = program
    .command('forecast')
    .summary('say when a roll will be finished, what will never go, and whether it fits before nodes expire')
    .description(
      'Copies the cluster and plays it forward several times, with new nodes coming up as fast as those before: when each pool and zone is done, what never goes and why, and whether it fits before nodes expire.\nNothing is written to any cluster. It cannot know what people will change meanwhile.',
    )
    .argument(
      '[files...]',
      'a file with a Scenario: forecast from the moment at which its roll begins, without the rest of its script; other files are objects, as with -f',
    )
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to begin with, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON (default: of a cluster those in force there)')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .option(
      '--server <url>',
      `a running Lull, whichever cluster it is for (default: that of the cluster meant, if it is on ${usualServer()})`,
    )
    .option(
      '--by <instant>',
      'would it be done by then, and if not, with how many nodes at once? RFC 3339',
      instantFlag,
    )
    .option('--check', 'with a scenario: play it on, and tell how far off the forecast was')
    .option('--all', 'every node that goes, and every one that never does')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (files: readonly string[], flags: Flags) => {
      const scenario = await scenarioAmong(files, io);
      return scenario === undefined ? forecast(undefined, withFiles(files, flags), io) : forecast(scenario, flags, io);
    });
  addClusterFlags(command);
}

const aScenario = /^\s*"?kind"?\s*:\s*"?Scenario\b/m;

/** The file, if it is the only one and has a Scenario in it. Stdin can be read once, and is one. */
async function scenarioAmong([file, ...others]: readonly string[], io: Io): Promise<string | undefined> {
  if (file === undefined || others.length > 0) return undefined;
  if (file === '-') return file;
  const sources = await readSources([file], io);
  return sources.some(({ text }) => aScenario.test(text)) ? file : undefined;
}

async function forecast(scenario: string | undefined, flags: Flags, io: Io): Promise<void> {
  const staged = scenario === undefined ? undefined : await stagedIn(scenario, flags, io);
  if (flags.check && !staged)
    throw wrongUsage('--check needs a scenario: what comes of a cluster nobody can know yet.');
  const { snapshot, cluster } = staged
    ? { snapshot: staged.snapshot, cluster: identityOfFiles([scenario ?? '']) }
    : await snapshotAsked(flags, io);
  const options = optionsFor(snapshot, flags);
  const told = playForward(snapshot, options, io);
  const deadline = flags.by === undefined ? undefined : meet(flags.by, { snapshot, told, options }, io);
  const truth = flags.check ? staged?.goOn() : undefined;
  printAnswer(io, flags.output, {
    value: () => ({
      ...forecastAsJson(told),
      ...clusterField(cluster),
      ...(deadline && { deadline: deadlineAsJson(deadline) }),
      ...(truth && { truth: truthAsJson(told, truth) }),
    }),
    lines: () => [
      ...renderForecast(told, { all: flags.all ?? false, width: io.width }),
      ...(deadline ? renderDeadline(deadline, told.at, io.width) : []),
      ...(truth ? renderTruth(told, truth) : []),
      ...clusterLines(cluster),
    ],
  });
}

interface Copied {
  readonly snapshot: Snapshot;
  readonly cluster?: ClusterIdentity;
}

async function snapshotAsked(flags: Flags, io: Io): Promise<Copied> {
  const whom = await whomFor(flags, io);
  return whom.via === 'server' ? snapshotOfServer(whom, flags, io) : snapshotHere(flags, io);
}

async function stagedIn(file: string, flags: Flags, io: Io): Promise<Staged> {
  if (flags.file || flags.server !== undefined || isWhatIf(flags))
    throw wrongUsage(
      'A scenario has its own objects, clock and settings: it goes with none of -f, --server, --at, --settings and --set.',
    );
  const scenario = await scenarioIn(file, io);
  const staged = stage(scenario, scenario.seed);
  if (!staged) throw wrongUsage(`Nothing drifts in ${scenario.name}: there is no roll to foretell.`);
  return staged;
}

/** What is asked by a date must be looked at until then. */
function optionsFor({ at, objects }: Snapshot, { by }: Flags): ForecastOptions {
  const usual = forecastFor(objects.filter(({ kind }) => kind === 'Node').length);
  return by === undefined ? usual : { ...usual, for: asDuration(Math.max(usual.for, by - at)) };
}

interface Asked {
  readonly snapshot: Snapshot;
  readonly told: Forecast;
  readonly options: ForecastOptions;
}

function meet(by: Instant, { snapshot, told, options }: Asked, io: Io): Deadline {
  const trials = answerBy(by, snapshot, told, options);
  let step = trials.next();
  for (; !step.done; step = trials.next()) io.progress?.(step.value);
  io.progress?.('');
  return step.value;
}

function playForward(snapshot: Snapshot, options: ForecastOptions, io: Io): Forecast {
  let last: Forecast | undefined;
  io.progress?.(`playing the cluster forward, run 1 of ${options.runs}`);
  for (const next of forecastRuns(snapshot, options)) {
    last = next;
    if (next.runs < options.runs) io.progress?.(`playing the cluster forward, run ${next.runs + 1} of ${options.runs}`);
  }
  io.progress?.('');
  if (!last) throw new Error('no run was made');
  return last;
}

const isWhatIf = ({ at, settings, set }: Flags): boolean =>
  at !== undefined || settings !== undefined || set !== undefined;

/** Files, another moment and other settings are not for a running Lull. */
async function whomFor(flags: Flags, io: Io): Promise<Whom> {
  if (flags.server !== undefined && (flags.file || isWhatIf(flags)))
    throw wrongUsage(
      'A running Lull has its own objects, clock and settings: --server goes with none of -f, --at, --settings and --set.',
    );
  if (flags.file || isWhatIf(flags)) return { via: 'cluster' };
  return whomToAsk(flags, io);
}

async function snapshotHere(flags: Flags, io: Io): Promise<Copied> {
  const { sources, settings, whom, cluster } = await textsAsked(flags, io);
  tellWhom(whom, flags.output, io);
  const documents = documentsIn(sources);
  const { ledger } = factsOf(gatherDocuments(documents), settings);
  const at = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  // Where an object is given twice the later one counts.
  const objects = new Map(documents.map(({ object }) => [keyOf(object), object]));
  return { snapshot: { at, objects: [...objects.values()], ledger, settings }, cluster };
}

function keyOf({ kind, metadata }: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = (metadata ?? {}) as { namespace?: unknown; name?: unknown };
  return JSON.stringify([kind, namespace, name]);
}

/** A large cluster is listed first, which takes its time. */
const patience = 120_000;

async function snapshotOfServer(whom: AskServer, { output }: Flags, io: Io): Promise<Copied> {
  if (whom.isNear) tellWhom(whichServer(whom), output, io);
  io.progress?.('copying the cluster');
  const response = await fetchFrom(whom.server, '/api/snapshot', { signal: AbortSignal.timeout(patience) });
  const text = await response.text();
  io.progress?.('');
  if (!response.ok)
    throw wrongUsage(saidBy(text) ?? `${response.url} answers ${response.status}, which is not what a Lull says.`);
  try {
    return { snapshot: readSnapshot(text), ...clusterField(whom.cluster) };
  } catch (error) {
    if (error instanceof RecordingError)
      throw wrongUsage(`What ${response.url} answers is no snapshot: ${error.message}`);
    throw error;
  }
}

function saidBy(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
