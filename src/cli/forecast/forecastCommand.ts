// `lull forecast`: copies the cluster and simulates it forward to find out when a roll finishes. Nothing is written.
import { answerBy, type Deadline } from '../../forecast/deadline.ts';
import { type Forecast, type ForecastOptions, forecastFor, forecastRuns } from '../../forecast/poolForecasts.ts';
import type { ClusterSnapshot } from '../../forecast/restore.ts';
import { type StagedRoll, stage } from '../../forecast/stagedRoll.ts';
import { isMap } from '../../kinds/read/reader.ts';
import { RecordingError } from '../../recording/recordingLine.ts';
import { readSnapshot } from '../../recording/snapshot.ts';
import type { ClusterIdentity } from '../../server/roundSource.ts';
import { asDuration, type Instant } from '../../time/instant.ts';
import { fetchFrom, refusedWith } from '../askServer.ts';
import { wrongUsage } from '../failure.ts';
import type { ObjectFlags } from '../flags.ts';
import { documentsIn, factsOf, gatherDocuments } from '../input.ts';
import type { Io } from '../io.ts';
import { decisionTime, loadTexts, reportOrigin } from '../loadInput.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { type AskServer, type Whom, whichServer, whomToAsk } from '../pause/commandTarget.ts';
import { scenarioIn } from '../scenarioInput.ts';
import { readSources } from '../sources.ts';
import { clusterField, clusterLines, identityOfFiles } from '../whichCluster.ts';
import { deadlineAsJson, forecastAsJson, renderDeadline, renderTruth, truthAsJson } from './forecastJson.ts';
import { renderForecast } from './forecastText.ts';

interface ForecastFlags extends ObjectFlags, ZoneFlags {
  readonly at?: Instant;
  readonly server?: string;
  readonly all?: boolean;
  readonly by?: Instant;
  readonly check?: boolean;
  readonly output: OutputFormat;
}

const aScenario = /^\s*"?kind"?\s*:\s*"?Scenario\b/m;

/** The file, if it is the only one and contains a Scenario. Stdin can be read only once, so it is taken for one. */
async function scenarioAmong([file, ...others]: readonly string[], io: Io): Promise<string | undefined> {
  if (file === undefined || others.length > 0) return undefined;
  if (file === '-') return file;
  const sources = await readSources([file], io);
  return sources.some(({ text }) => aScenario.test(text)) ? file : undefined;
}

export async function forecast(
  { files, ...given }: ForecastFlags & { readonly files: readonly string[] },
  io: Io,
): Promise<void> {
  const scenario = await scenarioAmong(files, io);
  const isNamed = scenario === undefined && files.length > 0;
  const flags: ForecastFlags = isNamed ? { ...given, file: [...(given.file ?? []), ...files] } : given;
  const staged = scenario === undefined ? undefined : await stagedIn(scenario, flags, io);
  if (flags.check && !staged) throw wrongUsage('--check needs a scenario: the future of a real cluster is not known.');
  const { snapshot, cluster } = staged
    ? { snapshot: staged.snapshot, cluster: identityOfFiles([scenario ?? '']) }
    : await snapshotAsked(flags, io);
  const options = optionsFor(snapshot, flags);
  const result = playForward(snapshot, options, io);
  const deadline =
    flags.by === undefined ? undefined : answerDeadline(flags.by, { snapshot, forecast: result, options }, io);
  const truth = flags.check ? staged?.goOn() : undefined;
  const view = { all: flags.all ?? false, width: io.width, now: result.at, zone: outputZone(flags, io) };
  await printAnswer(io, flags.output, {
    value: () => ({
      ...forecastAsJson(result),
      ...clusterField(cluster),
      ...(deadline && { deadline: deadlineAsJson(deadline) }),
      ...(truth && { truth: truthAsJson(result, truth) }),
    }),
    lines: () => [
      ...renderForecast(result, view),
      ...(deadline ? renderDeadline(deadline, view) : []),
      ...(truth ? renderTruth(result, truth, view.zone) : []),
      ...zoneLines(view.zone),
      ...clusterLines(cluster),
    ],
  });
}

interface SnapshotOf {
  readonly snapshot: ClusterSnapshot;
  readonly cluster?: ClusterIdentity;
}

async function snapshotAsked(flags: ForecastFlags, io: Io): Promise<SnapshotOf> {
  const whom = await whomFor(flags, io);
  return whom.via === 'server' ? snapshotOfServer(whom, flags, io) : snapshotHere(flags, io);
}

async function stagedIn(file: string, flags: ForecastFlags, io: Io): Promise<StagedRoll> {
  if (flags.file || flags.server !== undefined || isWhatIf(flags))
    throw wrongUsage(
      'A scenario has its own objects, clock and settings: it cannot be combined with -f, --server, --at, --settings or --set.',
    );
  const scenario = await scenarioIn(file, io);
  const staged = stage(scenario, scenario.seed);
  if (!staged) throw wrongUsage(`No node drifts in ${scenario.name}: there is no roll to forecast.`);
  return staged;
}

/** Simulates at least up to the deadline. */
function optionsFor({ at, objects }: ClusterSnapshot, { by }: ForecastFlags): ForecastOptions {
  const usual = forecastFor(objects.filter(({ kind }) => kind === 'Node').length);
  return by === undefined ? usual : { ...usual, for: asDuration(Math.max(usual.for, by - at)) };
}

interface DeadlineQuestion {
  readonly snapshot: ClusterSnapshot;
  readonly forecast: Forecast;
  readonly options: ForecastOptions;
}

function answerDeadline(by: Instant, { snapshot, forecast, options }: DeadlineQuestion, io: Io): Deadline {
  const trials = answerBy(by, snapshot, forecast, options);
  let step = trials.next();
  for (; !step.done; step = trials.next()) io.progress?.(step.value);
  io.progress?.('');
  return step.value;
}

function playForward(snapshot: ClusterSnapshot, options: ForecastOptions, io: Io): Forecast {
  let last: Forecast | undefined;
  io.progress?.(`simulating, run 1 of ${options.runs}`);
  for (const next of forecastRuns(snapshot, options)) {
    last = next;
    if (next.runs < options.runs) io.progress?.(`simulating, run ${next.runs + 1} of ${options.runs}`);
  }
  io.progress?.('');
  if (!last) throw new Error('no run was made');
  return last;
}

const isWhatIf = ({ at, settings, set }: ForecastFlags): boolean =>
  at !== undefined || settings !== undefined || set !== undefined;

/** A running Lull answers for its own objects, clock and settings. */
async function whomFor(flags: ForecastFlags, io: Io): Promise<Whom> {
  if (flags.server !== undefined && (flags.file || isWhatIf(flags)))
    throw wrongUsage(
      'A running Lull has its own objects, clock and settings: --server cannot be combined with -f, --at, --settings or --set.',
    );
  if (flags.file || isWhatIf(flags)) return { via: 'cluster' };
  return whomToAsk(flags, io);
}

async function snapshotHere(flags: ForecastFlags, io: Io): Promise<SnapshotOf> {
  const { sources, settings, origin, cluster } = await loadTexts(flags, io);
  reportOrigin(origin, flags.output, io);
  const documents = documentsIn(sources);
  const { ledger } = factsOf(gatherDocuments(documents), settings);
  const at = decisionTime(flags, io);
  // The later of two objects with the same name wins.
  const objects = new Map(documents.map(({ object }) => [keyOf(object), object]));
  return { snapshot: { at, objects: [...objects.values()], ledger, settings }, cluster };
}

function keyOf({ kind, metadata }: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = isMap(metadata) ? metadata : {};
  return JSON.stringify([kind, namespace, name]);
}

/** A Lull lists a large cluster before it answers. */
const snapshotTimeout = 120_000;

async function snapshotOfServer(whom: AskServer, { output }: ForecastFlags, io: Io): Promise<SnapshotOf> {
  if (whom.isNear) reportOrigin(whichServer(whom), output, io);
  io.progress?.('copying the cluster');
  const response = await fetchFrom(whom.server, '/api/snapshot', { signal: AbortSignal.timeout(snapshotTimeout) });
  const text = await response.text();
  io.progress?.('');
  if (!response.ok) throw refusedWith(response, text);
  try {
    return { snapshot: readSnapshot(text), ...clusterField(whom.cluster) };
  } catch (error) {
    if (error instanceof RecordingError)
      throw wrongUsage(`${response.url} did not return a snapshot: ${error.message}`);
    throw error;
  }
}
