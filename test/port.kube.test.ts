import { afterEach } from 'vitest';
import { factKinds } from '../src/kube/apiKind.ts';
import { openClient } from '../src/kube/client.ts';
import { fixedIdentity } from '../src/kube/clusterAccess.ts';
import { KubePort } from '../src/kube/kubePort.ts';
import { describeUnsynced } from '../src/runtime/port.ts';
import { Objects } from '../src/sim/objects.ts';
import { Random } from '../src/sim/random.ts';
import { VirtualClock } from '../src/sim/virtualClock.ts';
import { after, type Instant, parseInstant, second } from '../src/time/instant.ts';
import { type FrontOptions, openFront } from './kube/front.ts';
import { turn } from './kube/turns.ts';
import { describePort, type Opened } from './port.contract.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(options: FrontOptions): () => Promise<Opened> {
  return async () => {
    const clock = new VirtualClock(noon);
    const objects = new Objects(clock);
    const random = new Random(1);
    const front = await openFront(objects, options);
    closing.push(() => front.close());
    const ports: KubePort[] = [];
    const openPort = (): KubePort => {
      const access = { server: front.url, tls: {}, ...fixedIdentity({}) };
      const client = openClient(access, clock);
      // Virtual time does not advance while requests are sent: no token bucket would ever fill.
      const rate = { perSecond: 1000, burst: 1000 };
      const port = new KubePort({ client, clock, chance: () => random.next(), rate });
      closing.push(() => {
        port.close();
        client.close();
      });
      ports.push(port);
      return port;
    };
    const hasSettled = (): boolean =>
      ports.every((port) => {
        const { unsynced, seen } = port.view();
        return unsynced.length === 0 && factKinds.every(({ kind }) => Number(seen[kind]) >= objects.version);
      });
    const settle = async (): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        front.bookmark();
        for (let turns = 0; turns < 200; turns++) {
          await turn();
          if (turns % 20 === 19 && hasSettled()) return;
        }
        // Pending retries run now.
        const end = after(clock.now, second);
        clock.at(end, () => {});
        while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
      }
      throw new Error(
        `It does not settle: ${ports.flatMap((port) => port.view().unsynced.map(describeUnsynced)).join(', ')}`,
      );
    };
    const port = openPort();
    await settle();
    return {
      port,
      another: async () => openPort(),
      stage: {
        apply: async (object) => {
          const result = objects.create(object, 'stage');
          if (!result.ok) throw new Error(result.message);
        },
        setStatus: async (kind, key, status) => {
          if (!objects.write(kind, key, 'stage', (object) => ({ ...object, status })))
            throw new Error(`${kind} ${key} not found`);
        },
        delete: async (kind, key) => {
          objects.delete(kind, key, 'stage');
        },
        read: async (kind, key) => objects.get(kind, key),
      },
      settle,
      cutOff: async (isAway) => front.cutOff(isAway),
    };
  };
}

describePort('a server over HTTP', open({}));
describePort('a server over HTTP that cannot stream lists', open({ streamsLists: false }));
