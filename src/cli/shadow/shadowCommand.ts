// `lull shadow`: what Karpenter did, compared with what the policy allows.
import type { Settings } from '../../cluster/settings.ts';
import type { Refusal } from '../../engine/refusal.ts';
import type { Json } from '../../kinds/read/reader.ts';
import { type Shadow, type ShadowedNode, shadowRecording } from '../../recording/shadow.ts';
import { formatDuration } from '../../time/duration.ts';
import { formatInstant } from '../../time/instant.ts';
import { wrongUsage } from '../failure.ts';
import { timeAsJson, untilAsJson } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { type RecordingFlags, readingRecording, recordedPolicy, settingsOver } from '../recordingInput.ts';
import { readSources } from '../sources.ts';
import { type HoldTime, renderShadow, summarise, verdictOf, waitOf } from './shadowText.ts';

export async function shadow(flags: RecordingFlags & ZoneFlags, io: Io): Promise<void> {
  const [source] = await readSources([flags.recording], io);
  if (!source) throw wrongUsage('Name the file of one recording.');
  const objects = await recordedPolicy(flags, io);
  const settings = (recorded: Json): Settings => settingsOver(observed(recorded), flags.set ?? []);
  const outcome = readingRecording(source, () => shadowRecording(source.text, { objects, settings }));
  const zone = outputZone(flags, io);
  await printAnswer(io, flags.output, {
    value: () => shadowAsJson(outcome),
    lines: () => [...renderShadow(outcome, { width: io.width, zone }), ...zoneLines(zone)],
  });
}

/** In the other roles Lull itself decided which nodes were disrupted. */
function observed(recorded: Json): Json {
  const { role } = recorded;
  if (role === undefined || role === 'observe') return recorded;
  throw wrongUsage(
    `This recording was made in the role ${String(role)}: Lull itself decided which nodes were disrupted. Record in the role observe, or compare policies with \`lull replay --with\`.`,
  );
}

function shadowAsJson(shadow: Shadow): unknown {
  const { longestWait, byCode, atOnce, ...counts } = summarise(shadow);
  return {
    from: formatInstant(shadow.from),
    to: formatInstant(shadow.to),
    rounds: shadow.rounds,
    taken: shadow.taken.map(takenAsJson),
    before: shadow.before,
    summary: {
      ...counts,
      byCode: Object.fromEntries(byCode),
      longestWait: longestWait && { node: longestWait.node, reason: longestWait.reason, ...waitAsJson(longestWait) },
      atOnce: atOnce.map(({ zones, ...it }) => ({
        ...it,
        at: formatInstant(it.at),
        zones: zones.length > 0 ? zones : undefined,
      })),
    },
  };
}

function takenAsJson(it: ShadowedNode): unknown {
  const { opinion, notAsked, at, goneAt, releasedAt, ...about } = it;
  const wait = waitOf(it);
  return {
    ...about,
    at: formatInstant(at),
    goneAt: timeAsJson(goneAt),
    releasedAt: timeAsJson(releasedAt),
    verdict: verdictOf(it),
    notAsked,
    refusals: (opinion?.refusals ?? []).map(refusalAsJson),
    ...(opinion?.until && untilAsJson(opinion.until)),
    ...(wait && waitAsJson(wait)),
    limit: opinion?.pool.limit,
    inUse: opinion?.pool.inUse,
    domains: opinion && opinion.domains.length > 0 ? opinion.domains : undefined,
    inFlight: opinion?.inFlight,
    zones: opinion?.zones,
  };
}

const waitAsJson = ({ waits, isExact }: HoldTime): object => ({
  waits: formatDuration(waits),
  atLeast: isExact ? undefined : true,
});

const refusalAsJson = ({ liftsAt, ...rest }: Refusal): unknown => ({ ...rest, liftsAt: timeAsJson(liftsAt) });
