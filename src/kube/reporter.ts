// Reports a round in the cluster itself (J2, J5, D8): statuses and events. The loop waits for neither.
import type { Settings } from '../cluster/settings.ts';
import type { Timer } from '../runtime/clock.ts';
import { openNotices } from '../runtime/notices.ts';
import { type StatusRound, statusesOf } from '../runtime/statuses.ts';
import { asDuration, second } from '../time/instant.ts';
import { EventWriter, type EventWriterOptions } from './eventWriter.ts';
import { StatusWriter } from './statusWriter.ts';

export interface ReporterOptions extends EventWriterOptions {
  readonly settings: Settings;
  /** Whether new nodes are parked at creation (N2). Absent or undefined = not known. */
  readonly bornParked?: () => boolean | undefined;
}

export interface Reporter {
  /** Called after every round, like `Watcher.onRound`. Returns at once. */
  onRound(round: StatusRound['round'], facts: StatusRound['facts']): void;
  /** Waits for requests in flight. */
  close(): Promise<void>;
}

/** A domain that does not become healthy counts as stuck after a while, even if no round follows (C13). */
const lookAgain = asDuration(30 * second);

export function openReporter(options: ReporterOptions): Reporter {
  const { clock, settings, wallNow } = options;
  const statuses = new StatusWriter(options);
  const events = new EventWriter(options);
  const noticesOf = openNotices();
  let timer: Timer | undefined;

  function report(seen: StatusRound): void {
    events.tell(noticesOf(seen));
    statuses.want(statusesOf(seen));
    timer?.cancel();
    timer = seen.round.domains.some(({ unwell }) => unwell)
      ? clock.in(lookAgain, () => report({ ...seen, now: wallNow?.() ?? clock.now }))
      : undefined;
  }

  return {
    onRound: (round, facts) => {
      const bornParked = options.bornParked?.();
      report({ round, facts, settings, now: round.at, ...(bornParked !== undefined && { bornParked }) });
    },
    close: async () => {
      timer?.cancel();
      await Promise.all([statuses.close(), events.close()]);
    },
  };
}
