import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { type Client, openClient } from '../../src/kube/client.ts';
import { fixedIdentity } from '../../src/kube/clusterAccess.ts';
import { KubePort } from '../../src/kube/kubePort.ts';
import { openController } from '../../src/runtime/controller.ts';
import { runLoop } from '../../src/runtime/loop.ts';
import type { ApiRequest, ApiResponse } from '../../src/runtime/port.ts';
import { readScenario } from '../../src/sim/scenario/readScenario.ts';
import { type Simulation, simulate } from '../../src/sim/simulate.ts';
import { after, asDuration, type Duration, minute, second } from '../../src/time/instant.ts';
import { root } from '../architecture/sources.ts';
import { openFront } from './front.ts';
import { turn } from './turns.ts';

const name = 'lull-1';
/** How long until the next process has started. */
const downtime = asDuration(5 * second);

function read(file: string) {
  const { documents } = readDocuments(readFileSync(resolve(root, 'scenarios', file), 'utf8'), file);
  const { scenario } = readScenario(documents);
  if (!scenario) throw new Error(`${file} is not a scenario`);
  return scenario;
}

interface Trouble {
  /** The controller dies each time it has sent this many requests; 0 = there is none at all. */
  readonly diesAfter?: number;
  /** Every half hour the server is down for this long. */
  readonly awayFor?: Duration;
}

/** Runs a scenario whose controller is outside, behind HTTP. */
async function play(file: string, { diesAfter = Infinity, awayFor }: Trouble = {}) {
  const scenario = read(file);
  const reconciler = (): never => {
    throw new Error('The simulation must not have its own controller');
  };
  const simulation = simulate(scenario, { controllers: 0, reconciler });
  const { clock, objects } = simulation.world;
  const front = await openFront(objects, { by: name });
  let underway = 0;
  let sent = 0;
  let lives = 0;
  let errors: unknown[] = [];

  function live(): void {
    lives++;
    const stop = new AbortController();
    const client = openClient({ server: front.url, tls: {}, ...fixedIdentity({}) }, clock);
    const counted: Client = {
      ...client,
      request: async (call) => {
        underway++;
        return client.request(call).finally(() => underway--);
      },
    };
    const port = new KubePort({ client: counted, clock, chance: () => 0.5 });
    const die = (): void => {
      stop.abort();
      port.close();
      client.close();
    };
    const noted = {
      view: () => port.view(),
      onWake: (listener: () => void) => port.onWake(listener),
      send: async (request: ApiRequest): Promise<ApiResponse> => {
        const { seen } = port.view();
        const answer = await port.send(request);
        sent++;
        simulation.checks.note({ request, answer, n: sent, at: clock.now, by: name, seen });
        if (sent % diesAfter === 0) {
          die();
          clock.in(downtime, live);
        }
        return answer;
      },
    };
    const controller = openController(noted, scenario.settings);
    runLoop({ port: noted, reconciler: controller, clock, signal: stop.signal }).catch((error) => {
      errors = [...errors, error];
    });
  }
  const goAway = (length: Duration): void => {
    clock.in(asDuration(30 * minute), () => {
      simulation.checks.disturbed(clock.now, after(clock.now, length));
      front.cutOff(true);
      clock.in(length, () => front.cutOff(false));
      goAway(length);
    });
  };
  const tick = (): void => {
    front.bookmark();
    clock.in(minute, tick);
  };
  clock.in(minute, tick);
  if (diesAfter > 0) live();
  if (awayFor) goAway(awayFor);
  await playOut(simulation, () => underway);
  await front.close();
  return { result: simulation.result(), sent, lives, errors };
}

/** After each event everything on the wire is delivered, as far as a few turns of the event loop allow. */
async function playOut(simulation: Simulation, underway: () => number): Promise<void> {
  while (simulation.step()) for (let quiet = 0; quiet < 4; quiet = underway() > 0 ? 0 : quiet + 1) await turn();
}

describe('a whole scenario over HTTP meets its expectations, and violates nothing', () => {
  it.each<{ name: string; file: string; trouble?: Trouble }>([
    { name: 'drive', file: 'zone-by-zone.yaml' },
    { name: 'G2: drive, killed after every seven requests', file: 'zone-by-zone.yaml', trouble: { diesAfter: 7 } },
    { name: 'K2: drive, the server down', file: 'zone-by-zone.yaml', trouble: { awayFor: asDuration(30 * second) } },
    { name: 'drive, a bad image', file: 'bad-image.yaml' },
    { name: 'drive, a replacement that does not come', file: 'fault-no-replacement.yaml' },
    { name: 'guide', file: 'guide-zone-by-zone.yaml' },
    // Not before all nine are parked: unparked nodes without a ledger count as offered.
    { name: 'G2: guide, killed after every ten requests', file: 'guide-zone-by-zone.yaml', trouble: { diesAfter: 10 } },
    { name: 'guide, a freeze', file: 'guide-freeze-mid-roll.yaml' },
    { name: 'guide, a nudge', file: 'guide-expiry-nudge.yaml' },
  ])('$name: $file', async ({ file, trouble }) => {
    const { result, sent, lives, errors } = await play(file, trouble);
    expect(errors).toEqual([]);
    expect(result.violations).toEqual([]);
    expect(result.broken).toEqual([]);
    expect(sent).toBeGreaterThan(10);
    expect(lives > 1).toBe(trouble?.diesAfter !== undefined);
  });

  it('which it would not without the controller', async () => {
    const { result } = await play('zone-by-zone.yaml', { diesAfter: 0 });
    expect(result.broken.length).toBeGreaterThan(0);
  });
});
