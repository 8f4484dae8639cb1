// `lull decide`: one round over files or a cluster. Nothing is written to the cluster.
import type { Settings } from '../../cluster/settings.ts';
import { decideRound } from '../../engine/round.ts';
import { decideSearched } from '../../engine/search.ts';
import { type Facts, observe } from '../../engine/situation.ts';
import type { Round } from '../../engine/verdict.ts';
import { isWorthTelling } from '../../engine/why/wishWhy.ts';
import { asDuration, between, type Instant, second } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import type { ObjectFlags } from '../flags.ts';
import { factsOf } from '../input.ts';
import type { Io } from '../io.ts';
import { decisionTime, loadObjects, reportOrigin } from '../loadInput.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { clusterField, clusterLines } from '../whichCluster.ts';
import type { RoundView } from './renderPool.ts';
import { renderRound } from './renderRound.ts';
import { roundAsJson } from './roundJson.ts';

interface DecideFlags extends ObjectFlags, ZoneFlags {
  readonly at?: Instant;
  readonly all?: boolean;
  /** False = --no-search. */
  readonly search: boolean;
  readonly output: OutputFormat;
}

export async function decide(flags: DecideFlags, io: Io): Promise<void> {
  const { input, settings, origin, cluster } = await loadObjects(flags, io);
  const facts = factsOf(input, settings);
  const now = decisionTime(flags, io);
  const decided = flags.search ? searched(facts, now, settings, io) : decideRound(facts, now, settings);
  const round: Round = {
    ...decided,
    verdicts: flags.all ? decided.verdicts : decided.verdicts.filter(isWorthTelling),
    faults: [...decided.faults, ...input.faults],
  };
  const zone = outputZone(flags, io);
  reportOrigin(origin, flags.output, io);
  await printAnswer(io, flags.output, {
    value: () => ({ ...roundAsJson(round, facts.ledger), ...clusterField(cluster) }),
    lines: () => [
      ...renderRound(round, viewOf(facts, now, { settings, all: flags.all ?? false, width: io.width, zone })),
      ...zoneLines(zone),
      ...clusterLines(cluster),
    ],
  });
}

/** How long the search runs before progress is shown. */
const quietFor = asDuration(2 * second);

/** A round with the search for groups that a running Lull does between rounds. */
function searched(facts: Facts, now: Instant, settings: Settings, io: Io): Round {
  const began = io.now();
  const onBreath = (): void => {
    if (between(began, io.now()) >= quietFor)
      io.progress?.('searching for nodes that can be consolidated together (--no-search skips this)');
  };
  const { round } = decideSearched(facts, now, settings, { onBreath });
  io.progress?.('');
  return round;
}

interface ViewOptions {
  readonly settings: Settings;
  readonly all: boolean;
  readonly width: number;
  readonly zone: Zone;
}

function viewOf(facts: Facts, now: Instant, { settings, all, width, zone }: ViewOptions): RoundView {
  const { tallies } = observe(facts, now, settings);
  const counted = new Map([...tallies].map(([pool, tally]) => [pool, tally.counted]));
  return { cluster: facts.cluster, counted, role: settings.role, all, width, now, zone };
}
