// `lull simulate`: runs a scenario in a simulated cluster and prints what happened.
import type { Settings } from '../../cluster/settings.ts';
import { shortSearch } from '../../engine/consolidation/searchGroups.ts';
import { decideSearched, InlineSearcher } from '../../engine/search.ts';
import type { Round } from '../../engine/verdict.ts';
import { isWorthTelling } from '../../engine/why/wishWhy.ts';
import { openController } from '../../runtime/controller.ts';
import type { Scenario } from '../../sim/scenario/scenario.ts';
import { type Simulation, simulate } from '../../sim/simulate.ts';
import { eventAsJson, instantAsText, type StoryEvent } from '../../sim/story/storyEvent.ts';
import { formatDuration } from '../../time/duration.ts';
import {
  after,
  asDuration,
  asInstant,
  type Duration,
  formatInstant,
  type Instant,
  second,
} from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import { groupHeld, type HeldGroup } from '../decide/heldGroups.ts';
import { ExitWithFindings } from '../failure.ts';
import { describeUntil, messageInZone } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { scenarioIn } from '../scenarioInput.ts';
import { alignColumns, bold, count, emptyLine, type Line, paint, plain, styled } from '../span.ts';
import { eventLine, opening, type StoryView, storyLines, summaryLines } from './simulateText.ts';

interface SimulateFlags extends ZoneFlags {
  readonly scenario: string;
  readonly for?: Duration;
  readonly seed?: number;
  readonly speed?: number;
  readonly output: OutputFormat;
}

export async function simulateScenario(flags: SimulateFlags, io: Io): Promise<void> {
  const scenario = await scenarioIn(flags.scenario, io);
  const seed = flags.seed ?? scenario.seed;
  const { speed = Number.POSITIVE_INFINITY } = flags;
  const isLive = speed < Number.POSITIVE_INFINITY;
  const view = { width: io.width, zone: outputZone(flags, io) };
  const show = (event: StoryEvent): void => io.stdout(paint([eventLine(event, view.zone)], io.color));
  const simulation = simulate(scenario, {
    seed,
    ...(flags.for !== undefined && { for: flags.for }),
    reconciler: (port) => openController(port, scenario.settings, {}, new InlineSearcher()),
    ...(isLive && flags.output === 'text' && { onEvent: show }),
  });
  const head = opening(scenario, simulation, seed, view);
  if (isLive && flags.output === 'text') io.stdout(paint(head, io.color));
  await play(simulation, speed, io);
  const result = simulation.result();
  await printAnswer(io, flags.output, {
    value: () => simulationAsJson(scenario, simulation, seed),
    lines: () => [
      ...(isLive ? [] : [...head, ...storyLines(result.events, view)]),
      ...heldLines(lastRound(simulation, scenario.settings), view),
      ...summaryLines(scenario, result, view),
      ...zoneLines(view.zone),
    ],
  });
  if (result.violations.length > 0 || result.broken.length > 0) throw new ExitWithFindings();
}

/** With --speed: how much real time passes between two steps. */
const frame = asDuration(second / 10);
const hourly = asDuration(3_600_000);

async function play(simulation: Simulation, speed: number, io: Io): Promise<void> {
  if (speed < Number.POSITIVE_INFINITY) {
    for (let until = simulation.from; until < simulation.to; ) {
      until = after(until, asDuration(frame * speed));
      simulation.runUntil(until);
      await io.wait?.(frame);
    }
  } else {
    for (let until = after(simulation.from, hourly); simulation.now < simulation.to; until = after(until, hourly)) {
      simulation.runUntil(atMost(until, simulation.to));
      io.progress?.(`${Math.round((100 * (simulation.now - simulation.from)) / (simulation.to - simulation.from))} %`);
      if (until >= simulation.to) break;
    }
    io.progress?.('');
  }
  simulation.runUntil(simulation.to);
}

const atMost = (a: Instant, b: Instant): Instant => asInstant(Math.min(a, b));

function simulationAsJson(scenario: Scenario, simulation: Simulation, seed: number): Record<string, unknown> {
  const { events, rounds, requests, summary, violations, broken, missing } = simulation.result();
  const { simulated, longestWait, ...rest } = summary;
  return {
    scenario: scenario.name,
    seed,
    from: formatInstant(simulation.from),
    to: formatInstant(simulation.to),
    events: events.map(eventAsJson),
    rounds,
    summary: {
      simulated: formatDuration(simulated),
      rounds,
      requests,
      ...rest,
      longestWait: longestWait && { ...longestWait, waited: formatDuration(longestWait.waited) },
      violations: violations.map(({ at, rule, message }) => ({ at: instantAsText(at), rule, message })),
      expected: scenario.expect.map(({ text }) => text),
      broken,
      missing,
    },
  };
}

/** Undefined where the controller is down or has not read everything. */
function lastRound({ port, now }: Simulation, settings: Settings): Round | undefined {
  const view = port('lull-1')?.view();
  if (!view?.ledger || view.unsynced.length > 0) return undefined;
  return decideSearched({ cluster: view.cluster, ledger: view.ledger.record }, now, settings, { steps: shortSearch })
    .round;
}

function heldLines(round: Round | undefined, view: StoryView): Line[] {
  const held = round?.verdicts.filter((verdict) => verdict.outcome === 'held' && isWorthTelling(verdict)) ?? [];
  if (!round || held.length === 0) return [];
  const rows = groupHeld(held).map((group) => rowOf(group, round, view.zone));
  return [[bold('Still held at the end')], ...alignColumns(rows, { indent: 2, width: view.width }), emptyLine];
}

const mostNamed = 3;

function rowOf({ reason, nodes, until, refusals }: HeldGroup, { at }: Round, zone: Zone): Line[] {
  const who = nodes.length <= mostNamed ? nodes.join(', ') : count(nodes.length, 'node');
  const why = refusals.map(({ message, others }) => `${message}${others > 0 ? `, and ${others} more like it` : ''}`);
  const end = describeUntil(until, { now: at, zone });
  return [[plain(who)], [plain(reason)], [styled('yellow', `${end}: `), plain(messageInZone(why.join('; '), zone))]];
}
