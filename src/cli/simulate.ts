// `lull simulate`: how would a scenario go? A cluster in memory, under a clock of its own, with Lull let loose on it.
import type { Command } from 'commander';
import { InlineSearcher } from '../engine/pacedSearch.ts';
import { openController } from '../runtime/controller.ts';
import { type Simulation, simulate } from '../sim/simulate.ts';
import type { StoryEvent } from '../sim/story/event.ts';
import { after, asDuration, asInstant, type Duration, type Instant, second } from '../time/instant.ts';
import { Found } from './failure.ts';
import { durationFlag, speedFlag, wholeFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { scenarioIn } from './scenarioInput.ts';
import { heldLines, lastRound } from './simulateHeld.ts';
import { simulationAsJson } from './simulateJson.ts';
import { eventLine, opening, storyLines, summaryLines } from './simulateText.ts';
import { paint } from './span.ts';

interface Flags {
  readonly for?: Duration;
  readonly seed?: number;
  readonly speed?: number;
  readonly output: Form;
}

const examples = `
Examples:
  # a pool is rolled zone by zone
  $ lull simulate scenarios/zone-by-zone.yaml

  # the first two hours only, with other chances, for a program to read
  $ lull simulate scenarios/bad-image.yaml --for 2h --seed 7 -o json

  # watch it: a minute a second
  $ lull simulate scenarios/zone-by-zone.yaml --speed 60
`;

const largestSeed = 2 ** 53 - 1;

export function addSimulate(program: Command, io: Io): void {
  program
    .command('simulate')
    .argument('<scenario>', 'a file with a Scenario and the objects of its cluster; - for stdin')
    .summary('play a scenario in a cluster in memory, and tell what happened')
    .description(
      'Plays a scenario in a cluster in memory and tells what happened. The same seed tells the same story, to the byte.\nExits with 1 where a limit was broken, or what the scenario expects did not come.',
    )
    .option('--for <duration>', 'how long to play, as a Go duration (default: what the scenario says)', durationFlag)
    .option('--seed <number>', 'another run of chance (default: what the scenario says)', wholeFlag(0, largestSeed))
    .option('--speed <factor>', 'seconds played in a second (default: max, as fast as it goes)', speedFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((file: string, flags: Flags) => run(file, flags, io));
}

async function run(file: string, flags: Flags, io: Io): Promise<void> {
  const scenario = await scenarioIn(file, io);
  const seed = flags.seed ?? scenario.seed;
  const { speed = Number.POSITIVE_INFINITY } = flags;
  const isLive = speed < Number.POSITIVE_INFINITY;
  const show = (event: StoryEvent): void => io.stdout(paint([eventLine(event)], io.color));
  const simulation = simulate(scenario, {
    seed,
    ...(flags.for !== undefined && { for: flags.for }),
    tenant: (port) => openController(port, scenario.settings, {}, new InlineSearcher()),
    ...(isLive && flags.output === 'text' && { onEvent: show }),
  });
  const head = opening(scenario, simulation, seed, io.width);
  if (isLive && flags.output === 'text') io.stdout(paint(head, io.color));
  await play(simulation, speed, io);
  const result = simulation.result();
  printAnswer(io, flags.output, {
    value: () => simulationAsJson(scenario, simulation, seed),
    lines: () => [
      ...(isLive ? [] : [...head, ...storyLines(result.events, io.width)]),
      ...heldLines(lastRound(simulation, scenario.settings), io.width),
      ...summaryLines(scenario, result, io.width),
    ],
  });
  if (result.violations.length > 0 || result.broken.length > 0) throw new Found();
}

/** How much is played between two looks at the wall. */
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
