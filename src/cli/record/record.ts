// `lull record`: records what was seen and decided, so that a replay can decide it again (J4): a scenario, or a running Lull.
import { isMap } from '../../kinds/read/reader.ts';
import { endLine } from '../../recording/recorder.ts';
import {
  after,
  asInstant,
  between,
  type Duration,
  earliest,
  hour,
  type Instant,
  latest,
  parseInstant,
} from '../../time/instant.ts';
import { fetchFrom } from '../askServer.ts';
import { Failure, messageOf, wrongUsage } from '../failure.ts';
import { usualServer } from '../flags.ts';
import { formatLength } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { scenarioIn } from '../scenarioInput.ts';
import { count } from '../span.ts';
import { openBox } from '../up/upBox.ts';
import { openRecordFile, type RecordFile } from './recordFile.ts';

interface RecordFlags {
  readonly scenario?: string;
  readonly server?: string | true;
  readonly to: string;
  readonly for?: Duration;
  readonly seed?: number;
}

export async function record(flags: RecordFlags, io: Io): Promise<void> {
  const { scenario } = flags;
  if ((scenario === undefined) === (flags.server === undefined))
    throw wrongUsage('Name either a scenario, or a running Lull with --server.');
  const tally = scenario === undefined ? await recordServer(flags, io) : await recordScenario(scenario, flags, io);
  const length =
    tally.from === undefined || tally.to === undefined ? '' : ` over ${formatLength(between(tally.from, tally.to))}`;
  const where = flags.to === '-' ? '' : `, in ${flags.to}`;
  io.stderr(`recorded ${count(tally.rounds, 'round')}${length}${where}\n`);
}

interface RecordingTally {
  readonly rounds: number;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

async function recordScenario(file: string, flags: RecordFlags, io: Io): Promise<RecordingTally> {
  const scenario = await scenarioIn(file, io);
  const target = await openRecordFile(flags.to, io);
  const box = openBox(scenario, {
    version: io.version,
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(flags.for !== undefined && { for: flags.for }),
  });
  let rounds = 0;
  // A recording begins with its first round.
  let from: Instant | undefined;
  const stop = box.record(target.write);
  box.subscribe((news) => {
    if (news.kind !== 'round') return;
    rounds++;
    from ??= news.decided.round.at;
  });
  const { simulation } = box;
  for (let until = simulation.from; until < simulation.to; ) {
    until = asInstant(Math.min(after(until, hour), simulation.to));
    simulation.runUntil(until);
    await target.drained();
  }
  stop();
  await target.close();
  return { rounds, from, to: simulation.to };
}

async function recordServer(flags: RecordFlags, io: Io): Promise<RecordingTally> {
  const stop = new AbortController();
  const forget = io.onInterrupt?.(() => stop.abort());
  const address = typeof flags.server === 'string' ? flags.server : usualServer(io);
  const response = await fetchFrom(address, '/api/recording', { signal: stop.signal });
  if (!response.ok) throw wrongUsage(`${response.url} answers ${response.status}: it cannot be recorded.`);
  const target = await openRecordFile(flags.to, io);
  const clock = (): Promise<Instant | undefined> => clockOf(address);
  const timer = flags.for === undefined ? undefined : stopAfter(flags.for, clock, stop);
  try {
    return await copyLines(response, target, { stop, limit: flags.for, clock });
  } finally {
    clearInterval(timer);
    forget?.();
    await target.close();
  }
}

/** The cluster's clock, which may run faster than ours; undefined = an older Lull, or one that is gone. */
async function clockOf(address: string): Promise<Instant | undefined> {
  try {
    const response = await fetchFrom(address, '/api/about', { signal: AbortSignal.timeout(clockWithin) });
    const about: unknown = await response.json();
    return isMap(about) && typeof about.now === 'string' ? parseInstant(about.now) : undefined;
  } catch {
    return undefined;
  }
}

const clockWithin = 2000;
const clockEvery = 1000;

/** Ends the recording when its time is over, whether or not anything happens. */
function stopAfter(length: Duration, clock: () => Promise<Instant | undefined>, stop: AbortController): NodeJS.Timeout {
  let from: Instant | undefined;
  return setInterval(async () => {
    const now = await clock();
    from ??= now;
    if (from !== undefined && now !== undefined && between(from, now) >= length) stop.abort();
  }, clockEvery);
}

interface CopyOptions {
  readonly stop: AbortController;
  readonly limit: Duration | undefined;
  readonly clock: () => Promise<Instant | undefined>;
}

/** Line by line, so that it ends after a complete line. The end is written here: the server writes none when the client disconnects. */
async function copyLines(
  response: Response,
  target: RecordFile,
  { stop, limit, clock }: CopyOptions,
): Promise<RecordingTally> {
  let rounds = 0;
  let from: Instant | undefined;
  let to: Instant | undefined;
  try {
    for await (const line of linesOf(response)) {
      if (line.startsWith('{"end":')) break;
      target.write(line);
      await target.drained();
      const at = /^\{"round":\{"at":"([^"]+)"/.exec(line)?.[1];
      if (at === undefined) continue;
      rounds++;
      to = parseInstant(at);
      from ??= to;
      if (limit !== undefined && from !== undefined && to !== undefined && between(from, to) >= limit) break;
    }
  } catch (error) {
    if (!stop.signal.aborted) {
      throw new Failure([
        { message: `The recorded Lull closed the connection after ${count(rounds, 'round')}: ${messageOf(error)}` },
      ]);
    }
  }
  stop.abort();
  const over = from === undefined || limit === undefined ? undefined : after(from, limit);
  const end = latest(to, earliest(over, await clock()));
  target.write(endLine(rounds, end));
  return { rounds, from, to: end };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
