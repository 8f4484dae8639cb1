// Writes statuses and events while this Lull leads; failures are logged, each kind of failure once.
import type { Settings } from '../../cluster/settings.ts';
import type { Connection } from '../../kube/connection.ts';
import type { HeldLease } from '../../kube/lease.ts';
import type { Reporter } from '../../kube/reporter.ts';
import type { Meter } from '../../server/meter.ts';
import type { Log } from './liveLog.ts';

interface Reporting {
  readonly connection: Connection;
  readonly identity: string;
  readonly log: Log;
  readonly meter: Meter;
  readonly bornParked: () => boolean | undefined;
}

/** `status of NodePool web: 403: …` is the same failure for every pool. */
const troubleIn = (message: string): string => message.replace(/^(\w+ \w+ \w+) [^:]+/, '$1');

export function openReport(reporting: Reporting, settings: Settings, held: HeldLease): Reporter {
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
      if (trouble !== last) log({ kind: 'unreported', text: `${message}. Lull tries again.` });
      last = trouble;
    },
    onDropped: (count) => {
      meter.eventsLeftOut += count;
    },
  });
}
