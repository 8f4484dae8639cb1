// The checks of HealthGates while this Lull leads: failures to write are logged, results are counted.
import type { Connection } from '../../kube/connection.ts';
import type { HeldLease } from '../../kube/lease.ts';
import { chance, steadyClock, wallClock } from '../../kube/machine.ts';
import { Prober } from '../../probes/prober.ts';
import { runCheck } from '../../probes/runCheck.ts';
import type { Log } from './liveLog.ts';
import type { LiveSource } from './liveSource.ts';

interface ProberPlace {
  readonly connection: Pick<Connection, 'client'>;
  readonly namespace: string;
  readonly source: Pick<LiveSource, 'meter'>;
  readonly log: Log;
}

export function openProber({ connection, namespace, source, log }: ProberPlace, held: HeldLease): Prober {
  const { client } = connection;
  let last: string | undefined;
  return new Prober({
    client,
    run: (check, signal) => runCheck(check, { client, namespace, signal }),
    clock: steadyClock,
    wallNow: () => wallClock.now,
    chance,
    mayAct: () => held.isHeld(),
    onChecked: (name, { health }) => source.meter.gateChecks.add({ name, result: health }),
    onFault: (message) => {
      if (message !== last) log({ kind: 'unreported', text: `${message}. Lull tries again.` });
      last = message;
    },
  });
}
