import { Objects } from '../src/sim/objects.ts';
import { Random } from '../src/sim/random.ts';
import { SimPort } from '../src/sim/simPort.ts';
import { VirtualClock } from '../src/sim/virtualClock.ts';
import { after, asDuration, type Instant, parseInstant } from '../src/time/instant.ts';
import { describePort, type Opened } from './port.contract.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

/** Longer than any lag, and than the port's retry delay. */
const long = asDuration(5000);

function open(repeats: number): () => Promise<Opened> {
  return async () => {
    const clock = new VirtualClock(noon);
    const objects = new Objects(clock);
    const random = new Random(1);
    const ports: SimPort[] = [];
    const openPort = (): SimPort => {
      const port = new SimPort(objects, clock, { name: `lull-${ports.length + 1}`, random, repeats });
      ports.push(port);
      return port;
    };
    const port = openPort();
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
      settle: async () => {
        const end = after(clock.now, long);
        clock.at(end, () => {});
        while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
        // Events are processed only when the view is read.
        for (const each of ports) each.view();
      },
      cutOff: async (isAway) => {
        port.faults.away = isAway;
      },
    };
  };
}

describePort('the simulator', open(0));
describePort('the simulator, whose watches repeat themselves', open(1));
