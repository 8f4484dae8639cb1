// How does a Lull on a real cluster report to it? Statuses and events as long as it leads; what could not be written is logged, each kind of trouble once.
import type { Settings } from '../cluster/settings.ts';
import type { Connection } from '../kube/connection.ts';
import type { Held } from '../kube/leading.ts';
import type { Reporter } from '../kube/reporter.ts';
import type { Meter } from '../server/meter.ts';
import type { Log } from './liveLog.ts';

interface Reporting {
  readonly connection: Connection;
  readonly identity: string;
  readonly log: Log;
  readonly meter: Meter;
  readonly bornParked: () => boolean | undefined;
}

/** `status of NodePool web: 403: …` is the same trouble for every pool. */
const troubleIn = (message: string): string => message.replace(/^(\w+ \w+ \w+) [^:]+/, '$1');

export function openReport(reporting: Reporting, settings: Settings, held: Held): Reporter {
  const { connection, identity, log, meter, bornParked } = reporting;
  let last: string | undefined;
  return connection.openReporter({
    settings,
    identity,
    bornParked,
    mayAct: () => held.isHeld(),
    onFault: (message) => {
      meter.reportFaults++;
      const trouble = troubleIn(message);
      if (trouble !== last) log({ kind: 'unreported', text: `${message}. It is tried again.` });
      last = trouble;
    },
    onDropped: (count) => {
      meter.eventsLeftOut += count;
    },
  });
}
