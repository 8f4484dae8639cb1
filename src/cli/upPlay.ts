// How is a simulation played in real time? Frame by frame, as far as the clock on the wall says, until it is told to end.
import type { Scenario } from '../sim/scenario/scenario.ts';
import type { Simulation } from '../sim/simulate.ts';
import { after, asDuration, asInstant, between, type Duration, type Instant, second } from '../time/instant.ts';
import type { Io } from './io.ts';
import { eventLine, opening } from './simulateText.ts';
import { paint } from './span.ts';
import type { Box } from './upBox.ts';
import { openScreen } from './upScreen.ts';
import { renderUp } from './upView.ts';

export interface Playing {
  readonly scenario: Scenario;
  readonly url: string;
  readonly speed: number;
  /** What a person should know before it begins. */
  readonly notes: readonly string[];
}

/** Smooth enough to follow, and little work. */
const frame = asDuration(second / 10);
/** A machine that slept does not catch up on hours at once. */
const longestFrame: Duration = second;
/** Work in one frame, so that whoever asks meanwhile is answered. */
const mostWork = asDuration(frame * 0.8);

/** Ends when the user wants it to; where nobody can say so, when the scenario is over. */
export async function play(box: Box, playing: Playing, io: Io): Promise<void> {
  const { simulation } = box;
  const show = io.screen ? openPicture(box, playing, io) : openText(box, playing, io);
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
      show.next(target);
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([io.wait?.(frame), ...(io.onInterrupt ? [woken] : [])]);
    }
  } finally {
    forget?.();
    show.close();
  }
}

/** Up to that instant, or as far as one gets: time does not run away from a slow machine. Gives how far it is. */
function runFor(simulation: Simulation, target: Instant, io: Io): Instant {
  const { clock } = simulation.world;
  const end = asInstant(Math.min(target, simulation.to));
  const began = io.now();
  while (clock.nextAt !== undefined && clock.nextAt <= end) {
    if (!simulation.step()) break;
    if (between(began, io.now()) > mostWork) return simulation.now;
  }
  // Also where nothing happens: `lull pause --for 2h` counts from this clock.
  simulation.runUntil(end);
  return end;
}

interface Show {
  /** The clock of the cluster is here now. */
  next(now: Instant): void;
  close(): void;
}

function openPicture(box: Box, { scenario, url, speed, notes }: Playing, io: Io): Show {
  const screen = openScreen(io);
  const { simulation } = box;
  return {
    next: (now) => {
      const isOver = now >= simulation.to;
      const showing = { title: scenario.name, url, now, speed, isOver, notes, decided: box.latest() };
      const size = io.screen?.() ?? { rows: 24, columns: io.width };
      screen.draw(renderUp({ ...showing, events: simulation.events }, size));
    },
    close: screen.close,
  };
}

/** For a pipe or a file: what happens, line by line. */
function openText({ simulation }: Box, { scenario, url, notes }: Playing, io: Io): Show {
  io.stdout(paint(opening(scenario, simulation, scenario.seed, io.width), io.color));
  io.stdout(`listening on ${url}\nOpen it in a browser to watch.\n\n`);
  for (const note of notes) io.stderr(`${note}\n`);
  let told = 0;
  let isOver = false;
  return {
    next: (now) => {
      const fresh = simulation.events.slice(told);
      told += fresh.length;
      if (fresh.length > 0) io.stdout(paint(fresh.map(eventLine), io.color));
      if (now >= simulation.to && !isOver) io.stdout('the scenario is over; the cluster stays until Ctrl-C\n');
      isOver = now >= simulation.to;
    },
    close: () => undefined,
  };
}
