// Events on the pools whose nodes a stale release leaves parked (N10).
import type { Connection } from '../kube/connection.ts';
import { EventWriter } from '../kube/eventWriter.ts';
import { chance, steadyClock } from '../kube/machine.ts';
import { pause } from '../kube/pause.ts';
import { sayNet } from '../lint/words/netWords.ts';
import type { Notice } from '../runtime/notice.ts';
import { asDuration, second } from '../time/instant.ts';
import type { Io } from './io.ts';
import type { PoolRelease } from './releasePlan.ts';
import { count } from './scene.ts';

/** A server that is away is not waited for longer. */
const longest = asDuration(30 * second);

/** Returns when they are written. What cannot be written is printed: the answer has said it already. */
export async function tellKept({ client }: Connection, pools: readonly PoolRelease[], io: Io): Promise<void> {
  const writer = new EventWriter({
    client,
    clock: steadyClock,
    wallNow: () => io.now(),
    chance,
    identity: 'lull-release',
    onFault: (message) => io.stderr(`${message}\n`),
  });
  writer.tell(pools.map((pool) => noticeOf(pool, io)));
  const done = new AbortController();
  await Promise.race([writer.finish(), pause(steadyClock, longest, done.signal)]);
  done.abort();
  await writer.close();
}

function noticeOf({ pool, uid, nodes, net }: PoolRelease, io: Io): Notice {
  return {
    about: { kind: 'NodePool', name: pool, ...(uid !== undefined && { uid }) },
    type: 'Warning',
    reason: 'StaysParked',
    message: `${count(nodes.length, 'node')} stay parked though Lull is away: Karpenter's own limit is: ${sayNet(net, io.now())}. Write a limit in spec.disruption.budgets, such as 10%; then lull release --if-stale releases them. Or start Lull.`,
    key: 'stays parked',
    weight: 3,
  };
}
