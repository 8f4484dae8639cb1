// `lull record`: what was seen and decided, so that it can be decided again (J4)? A scenario as it plays, or a Lull as it runs.
import type { Command } from 'commander';
import { endLine } from '../recording/recorder.ts';
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
} from '../time/instant.ts';
import { fetchFrom, usualServer } from './askServer.ts';
import { Failure, wrongUsage } from './failure.ts';
import { durationFlag, wholeFlag } from './flags.ts';
import type { Io } from './io.ts';
import { sayLength } from './moment.ts';
import { openRecordFile, type RecordFile } from './recordFile.ts';
import { scenarioIn } from './scenarioInput.ts';
import { count } from './scene.ts';
import { openBox } from './upBox.ts';

interface Flags {
  readonly server?: string | true;
  readonly to: string;
  readonly for?: Duration;
  readonly seed?: number;
}

const examples = `
Examples:
  # a scenario, from its beginning to its end
  $ lull record scenarios/zone-by-zone.yaml --to roll.gz

  # what a running \`lull up\` sees and decides, for an hour of its time or until Ctrl-C
  $ lull record --server --to live.gz --for 1h

  # then decide it all again
  $ lull replay roll.gz
`;

const largestSeed = 2 ** 53 - 1;

export function addRecord(program: Command, io: Io): void {
  program
    .command('record')
    .summary('record what is seen and decided, to be decided again')
    .description(
      'Records everything that rounds are decided from, and the rounds: a scenario as it plays, or a running Lull.\n`lull replay` decides them again.',
    )
    .argument('[scenario]', 'a file with a Scenario and the objects of its cluster; - for stdin')
    .requiredOption('--to <file>', 'where to write it: packed, or plain where the name ends in .ndjson; - for stdout')
    .option('--server [url]', `a running Lull instead (default: ${usualServer()})`)
    .option('--for <duration>', "how long, on the cluster's clock", durationFlag)
    .option('--seed <number>', 'another run of chance', wholeFlag(0, largestSeed))
    .addHelpText('after', examples)
    .action((scenario: string | undefined, flags: Flags) => record(scenario, flags, io));
}

async function record(scenario: string | undefined, flags: Flags, io: Io): Promise<void> {
  if ((scenario === undefined) === (flags.server === undefined))
    throw wrongUsage('Name a scenario, or a running Lull with --server: one of both.');
  const tally = scenario === undefined ? await recordServer(flags, io) : await recordScenario(scenario, flags, io);
  const length =
    tally.from === undefined || tally.to === undefined ? '' : ` over ${sayLength(between(tally.from, tally.to))}`;
  const where = flags.to === '-' ? '' : `, in ${flags.to}`;
  io.stderr(`recorded ${count(tally.rounds, 'round')}${length}${where}\n`);
}

interface Tally {
  readonly rounds: number;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

async function recordScenario(file: string, flags: Flags, io: Io): Promise<Tally> {
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

async function recordServer(flags: Flags, io: Io): Promise<Tally> {
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

/** What the clock of the cluster says, which may run faster than ours; undefined = an older Lull, or one that is gone. */
async function clockOf(address: string): Promise<Instant | undefined> {
  try {
    const response = await fetchFrom(address, '/api/about', { signal: AbortSignal.timeout(clockWithin) });
    const { now } = (await response.json()) as { now?: unknown };
    return typeof now === 'string' ? parseInstant(now) : undefined;
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

interface Copying {
  readonly stop: AbortController;
  readonly limit: Duration | undefined;
  readonly clock: () => Promise<Instant | undefined>;
}

/** Line by line, so that it ends after a whole one; the end is written here, since the server does not end a stream that is hung up. */
async function copyLines(response: Response, target: RecordFile, { stop, limit, clock }: Copying): Promise<Tally> {
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
        { message: `The Lull that was recorded hung up after ${count(rounds, 'round')}: ${(error as Error).message}` },
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
