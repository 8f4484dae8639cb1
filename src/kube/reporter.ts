// What do people see of a round in the cluster itself (J2, J5, D8)? Statuses and events, written beside the loop; it waits for neither.
import type { Settings } from '../cluster/settings.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Remembered } from '../runtime/notice.ts';
import { noticesOf } from '../runtime/notices.ts';
import { statusesOf } from '../runtime/statuses.ts';
import type { Told } from '../runtime/wantedStatus.ts';
import { asDuration, type Instant, second } from '../time/instant.ts';
import type { Client } from './client.ts';
import { EventWriter } from './eventWriter.ts';
import { StatusWriter } from './statusWriter.ts';

export interface ReporterOptions {
  readonly client: Pick<Client, 'request'>;
  /** One that never goes back. */
  readonly clock: Clock;
  /** What is written as the time, for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  readonly chance: () => number;
  readonly settings: Settings;
  /** The name of this process. */
  readonly identity: string;
  /** Whether new nodes are parked from birth (N2). Absent or undefined = not known. */
  readonly bornParked?: () => boolean | undefined;
  /** Only whoever leads reports. */
  readonly mayAct?: () => boolean;
  /** What could not be written, in words. */
  readonly onFault?: (message: string) => void;
  /** So many events were left out. */
  readonly onDropped?: (count: number) => void;
}

export interface Reporter {
  /** After every round, as `Watcher.onRound` has it. Returns at once. */
  onRound(round: Told['round'], facts: Told['facts']): void;
  /** What is on its way is waited for. */
  close(): Promise<void>;
}

/** C13: a domain that does not get well is called stuck after a while, though nothing happens any more. */
const lookAgain = asDuration(30 * second);

export function openReporter(options: ReporterOptions): Reporter {
  const { clock, settings, wallNow } = options;
  const statuses = new StatusWriter(options);
  const events = new EventWriter(options);
  let before: Remembered | undefined;
  let timer: Timer | undefined;

  function report(told: Told): void {
    const { notices, remembered } = noticesOf(before, told);
    before = remembered;
    events.tell(notices);
    statuses.want(statusesOf(told));
    timer?.cancel();
    timer = told.round.domains.some(({ unwell }) => unwell)
      ? clock.in(lookAgain, () => report({ ...told, now: wallNow?.() ?? clock.now }))
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
