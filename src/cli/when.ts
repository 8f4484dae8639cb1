// `lull when`: when does a schedule fire, and when is its window open?
import type { Command } from 'commander';
import { useCron, useZone } from '../kinds/schedule.ts';
import { type Cron, parseCron } from '../time/cron.ts';
import { formatDuration, parseDuration } from '../time/duration.ts';
import { asInstant, type Duration, type Instant, minute, second } from '../time/instant.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import { findZone } from '../time/zone.ts';
import { namesCluster } from './asked.ts';
import { openShare } from './calendar.ts';
import { addClusterFlags, type ClusterFlags } from './clusterFlags.ts';
import { Failure, wrongUsage } from './failure.ts';
import { instantFlag, listFlag, wholeFlag, withFiles } from './flags.ts';
import type { Io } from './io.ts';
import { hitsAfter, openingsFrom, outlookAsJson } from './openingsFrom.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { renderOutlook, type View } from './renderWhen.ts';
import { whenInObjects } from './whenInObjects.ts';

interface Flags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly duration?: string;
  readonly zone?: string;
  readonly from?: Instant;
  readonly count: number;
  readonly output: Form;
}

const examples = `
Examples:
  # the next five hits
  $ lull when '0 9 * * mon-fri'

  # a window: office hours in Berlin, seen from a Friday
  $ lull when '0 9 * * mon-fri' --duration 8h --zone Europe/Berlin --from 2026-11-13T12:00:00Z

  # every schedule in a snapshot: budgets, maintenance windows, pods
  $ lull when -f snapshot.yaml -o json

  # every schedule in a cluster
  $ lull when --context production
`;

export function addWhen(program: Command, io: Io): void {
  const command = program
    .command('when')
    .summary('say when a schedule fires and its window opens')
    .description(
      'Says when a schedule fires and, with a duration, when its window is open; or the same for every schedule in files or in a cluster.',
    )
    .argument('[cron...]', 'minute, hour, day of month, month, day of week; in quotes. Or files, as with -f')
    .option(
      '-f, --file <path>',
      'every schedule in these objects instead; - for stdin, or a folder; repeatable',
      listFlag,
    )
    .option('-d, --duration <length>', 'how long each opening lasts, such as 8h or 1h30m')
    .option('-z, --zone <name>', 'the time zone of the schedule, such as Europe/Berlin (default: UTC)')
    .option('--from <instant>', 'where to look from, RFC 3339 (default: now)', instantFlag)
    .option('-n, --count <number>', 'how many to show', wholeFlag(1, 10_000), 5)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: Flags) =>
      words.every(isFile) ? when([], withFiles(words, flags), io) : when(words, flags, io),
    );
  addClusterFlags(command);
}

/** No cron ends so. */
const isFile = (word: string): boolean => /\.(ya?ml|json|ndjson)(\.gz)?$/i.test(word);

async function when(words: readonly string[], flags: Flags, io: Io): Promise<void> {
  const now = asInstant(Math.floor(io.now() / second) * second);
  const from = flags.from ?? now;
  if (flags.file || namesCluster(flags)) {
    const given = flags.file ? '-f' : '--context';
    if (words.length > 0 || flags.duration !== undefined || flags.zone !== undefined)
      throw wrongUsage(
        `${given} stands alone: the objects say schedule, duration and zone. Leave out one or the other.`,
      );
    return whenInObjects(flags, { from, now, count: flags.count }, io);
  }
  if (words.length === 0)
    throw wrongUsage(`There is no schedule. ${useCron} Or name files with -f, or a cluster with --context.`);
  const cron = readCron(words.join(' '), flags.zone);
  const duration = readDuration(flags.duration);
  const view: View = { zone: cron.zone, from, now, localZone: io.localZone, width: io.width };
  printAnswer(
    io,
    flags.output,
    duration === undefined ? hitsAnswer(cron, flags, view) : windowAnswer(cron, duration, flags.count, view),
  );
}

function hitsAnswer(cron: Cron, { count }: Flags, view: View) {
  const outlook = hitsAfter(cron, view.from, count);
  const share = (start: Instant, end: Instant): number => ((cron.next(asInstant(start - 1)) ?? end) < end ? 1 : 0);
  return {
    value: () => outlookAsJson(outlook),
    lines: () => renderOutlook(titleOf(cron, undefined), outlook, view, share),
  };
}

function windowAnswer(cron: Cron, duration: Duration, count: number, view: View) {
  const window = scheduleWindow([{ cron, duration }]);
  const outlook = openingsFrom(window, view.from, count);
  const share = (start: Instant, end: Instant): number => openShare(window, start, end);
  return {
    value: () => outlookAsJson(outlook),
    lines: () => renderOutlook(titleOf(cron, duration), outlook, view, share),
  };
}

const titleOf = ({ text, zone }: Cron, duration: Duration | undefined): string =>
  `${text}${duration === undefined ? '' : ` for ${formatDuration(duration)}`} (${zone.name})`;

function readCron(text: string, zone: string | undefined): Cron {
  if (zone !== undefined && !findZone(zone)) throw wrongUsage(`${JSON.stringify(zone)} is no time zone. ${useZone}`);
  const parsed = parseCron(text, zone);
  if ('fault' in parsed) throw wrongUsage(`${JSON.stringify(text)} is no schedule: ${parsed.fault}. ${useCron}`);
  if (!parsed.cron.fires) throw wrongUsage(`${JSON.stringify(text)} can never fire. Use a date that exists.`);
  return parsed.cron;
}

/** A minute at least, as everywhere in Lull. */
function readDuration(text: string | undefined): Duration | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  if (text === undefined || (duration !== undefined && duration >= minute)) return duration;
  throw new Failure([
    { message: `${JSON.stringify(text)} is no duration of a minute or more. Use a Go duration such as 8h or 1h30m.` },
  ]);
}
