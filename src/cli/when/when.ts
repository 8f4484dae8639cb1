// `lull when`: when a schedule fires, and when its window is open.
import { useCron } from '../../kinds/read/scheduleFields.ts';
import { type Cron, parseCron } from '../../time/cron.ts';
import { formatDuration, parseDuration } from '../../time/duration.ts';
import { asInstant, type Duration, type Instant, minute, second } from '../../time/instant.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { Failure, wrongUsage } from '../failure.ts';
import { type ClusterFlags, namesCluster } from '../flags.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone } from '../outputZone.ts';
import { hitsAfter, openingsFrom, openShare, outlookAsJson, renderOutlook, type WhenView } from './renderWhen.ts';

interface WhenFlags extends ClusterFlags {
  /** The fields of a schedule, or files. */
  readonly cron: readonly string[];
  readonly file?: readonly string[];
  readonly duration?: string;
  readonly zone?: string;
  readonly from?: Instant;
  readonly count: number;
  readonly output: OutputFormat;
}

/** No cron expression ends like a file name. */
const isFile = (word: string): boolean => /\.(ya?ml|json|ndjson)(\.gz)?$/i.test(word);

export async function when({ cron: given, ...rest }: WhenFlags, io: Io): Promise<void> {
  const areFiles = given.length > 0 && given.every(isFile);
  const words = areFiles ? [] : given;
  const flags = areFiles ? { ...rest, file: [...(rest.file ?? []), ...given] } : rest;
  const now = asInstant(Math.floor(io.now() / second) * second);
  const from = flags.from ?? now;
  if (flags.file || namesCluster(flags)) {
    const named = flags.file ? '-f' : '--context';
    if (words.length > 0 || flags.duration !== undefined)
      throw wrongUsage(`${named} cannot be combined with a schedule or --duration: the objects have both.`);
    const { whenInObjects } = await import('./whenInObjects.ts');
    const zone = flags.zone === undefined ? undefined : outputZone(flags, io);
    return whenInObjects(flags, { from, now, count: flags.count, zone }, io);
  }
  if (words.length === 0)
    throw wrongUsage(`No schedule given. ${useCron} Or name files with -f, or a cluster with --context.`);
  const zone = flags.zone === 'local' ? io.localZone() : flags.zone;
  const cron = readCron(words.join(' '), zone);
  const duration = readDuration(flags.duration);
  const { localZone, localOffset, width } = io;
  const view: WhenView = { zone: cron.zone, from, now, localZone, localOffset, width };
  await printAnswer(
    io,
    flags.output,
    duration === undefined ? hitsAnswer(cron, flags.count, view) : windowAnswer(cron, duration, flags.count, view),
  );
}

function hitsAnswer(cron: Cron, count: number, view: WhenView) {
  const outlook = hitsAfter(cron, view.from, count);
  const share = (start: Instant, end: Instant): number => ((cron.next(asInstant(start - 1)) ?? end) < end ? 1 : 0);
  return {
    value: () => outlookAsJson(outlook),
    lines: () => renderOutlook(titleOf(cron, undefined), outlook, view, share),
  };
}

function windowAnswer(cron: Cron, duration: Duration, count: number, view: WhenView) {
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
  const parsed = parseCron(text, zone);
  if ('fault' in parsed)
    throw wrongUsage(`${JSON.stringify(text)} is not a valid schedule: ${parsed.fault}. ${useCron}`);
  if (!parsed.cron.fires) throw wrongUsage(`${JSON.stringify(text)} never fires. Use a date that exists.`);
  return parsed.cron;
}

/** At least a minute, as in all objects. */
function readDuration(text: string | undefined): Duration | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  if (text === undefined || (duration !== undefined && duration >= minute)) return duration;
  throw new Failure([
    {
      message: `${JSON.stringify(text)} is not a duration of a minute or more. Use a Go duration such as 8h or 1h30m.`,
    },
  ]);
}
