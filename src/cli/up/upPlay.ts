// Plays a simulation in real time, frame by frame by the wall clock, until it is interrupted.
import type { Scenario } from '../../sim/scenario/scenario.ts';
import type { Simulation } from '../../sim/simulate.ts';
import { after, asDuration, asInstant, between, type Duration, type Instant, second } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import type { Io } from '../io.ts';
import { eventLine, opening } from '../simulate/simulateText.ts';
import { paint } from '../span.ts';
import type { SimulatedBox } from './upBox.ts';
import { openScreen, renderUp } from './upView.ts';

interface PlayOptions {
  readonly scenario: Scenario;
  readonly url: string;
  readonly speed: number;
  /** What the user should know before it begins. */
  readonly notes: readonly string[];
  /** The zone that times are printed in. */
  readonly zone: Zone;
}

/** Smooth enough to follow, and little work. */
const frame = asDuration(second / 10);
/** A machine that slept does not catch up on hours at once. */
const longestFrame: Duration = second;
/** The most work in one frame, so that requests are answered in between. */
const mostWork = asDuration(frame * 0.8);

/** Ends when the user interrupts it; if that is not possible, when the scenario is over. */
export async function play(box: SimulatedBox, playing: PlayOptions, io: Io): Promise<void> {
  const { simulation } = box;
  const display = io.screen ? openPicture(box, playing, io) : openText(box, playing, io);
  let isStopped = false;
  let wake: (() => void) | undefined;
  const forget = io.onInterrupt?.(() => {
    isStopped = true;
    wake?.();
  });
  try {
    let target = simulation.from;
    for (let last = io.now(); !isStopped && (simulation.now < simulation.to || io.onInterrupt); ) {
      const now = io.now();
      const elapsed = Math.min(Math.max(frame, between(last, now)), longestFrame);
      last = now;
      target = runFor(simulation, after(target, asDuration(elapsed * playing.speed)), io);
      display.next(target);
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([io.wait?.(frame), ...(io.onInterrupt ? [woken] : [])]);
    }
  } finally {
    forget?.();
    display.close();
  }
}

/** Runs up to `target`, or as far as the time of a frame allows: time does not run away from a slow machine. Returns how far it got. */
function runFor(simulation: Simulation, target: Instant, io: Io): Instant {
  const { clock } = simulation.world;
  const end = asInstant(Math.min(target, simulation.to));
  const began = io.now();
  while (clock.nextAt !== undefined && clock.nextAt <= end) {
    if (!simulation.step()) break;
    if (between(began, io.now()) > mostWork) return simulation.now;
  }
  // Also if nothing happens: `lull pause --for 2h` counts by this clock.
  simulation.runUntil(end);
  return end;
}

interface Display {
  /** The cluster's clock is here now. */
  next(now: Instant): void;
  close(): void;
}

function openPicture(box: SimulatedBox, { scenario, url, speed, notes, zone }: PlayOptions, io: Io): Display {
  const screen = openScreen(io);
  const { simulation } = box;
  return {
    next: (now) => {
      const isOver = now >= simulation.to;
      const showing = { title: scenario.name, url, now, speed, isOver, notes, zone, decided: box.latest() };
      const size = io.screen?.() ?? { rows: 24, columns: io.width };
      screen.draw(renderUp({ ...showing, events: simulation.events }, size));
    },
    close: screen.close,
  };
}

/** For a pipe or a file: the events, line by line. */
function openText({ simulation }: SimulatedBox, { scenario, url, notes, zone }: PlayOptions, io: Io): Display {
  io.stdout(paint(opening(scenario, simulation, scenario.seed, { width: io.width, zone }), io.color));
  if (zone.name !== 'UTC') io.stdout(`times in ${zone.name}\n`);
  io.stdout(`listening on ${url}\nOpen it in a browser to watch.\n\n`);
  for (const note of notes) io.stderr(`${note}\n`);
  let told = 0;
  let isOver = false;
  return {
    next: (now) => {
      const fresh = simulation.events.slice(told);
      told += fresh.length;
      if (fresh.length > 0)
        io.stdout(
          paint(
            fresh.map((event) => eventLine(event, zone)),
            io.color,
          ),
        );
      if (now >= simulation.to && !isOver) io.stdout('the scenario is over; the cluster keeps running until Ctrl-C\n');
      isOver = now >= simulation.to;
    },
    close: () => undefined,
  };
}
