// Who runs at once, and what may be done to them? The controllers of a simulation, each with a way of its own into the cluster.
import type { Port, Tenant } from '../../runtime/port.ts';
import { after, asInstant } from '../../time/instant.ts';
import type { Checks } from '../checks/checks.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { Random } from '../random.ts';
import type { Controllers } from '../scenario/happening.ts';
import { type PortFaults, type Sent, SimPort } from '../simPort.ts';
import type { Story } from '../story/story.ts';
import type { World } from '../world.ts';
import { type Crash, type OpenPort, Pump } from './pump.ts';

const forEver = asInstant(Number.MAX_SAFE_INTEGER);

export interface Engagement {
  readonly world: World;
  readonly story: Story;
  readonly checks: Pick<Checks, 'disturbed'>;
  readonly tenant: (port: Port, name: string) => Tenant;
  readonly count: number;
  /** By name. */
  readonly crashes: Readonly<Record<string, readonly Crash[]>>;
  readonly note: (sent: Sent) => void;
  readonly onRead?: (name: string, object: KubeObject, isGone: boolean) => void;
}

export interface Crew {
  readonly pumps: ReadonlyMap<string, Pump>;
  readonly controllers: Controllers;
}

export function engage(engagement: Engagement): Crew {
  const names = Array.from({ length: engagement.count }, (_, index) => `lull-${index + 1}`);
  const wires = new Map<string, PortFaults>();
  const pumps = new Map<string, Pump>();
  for (const name of names) {
    const wire = { away: false, lossy: false, lag: {} };
    wires.set(name, wire);
    pumps.set(name, pumpFor(name, wire, engagement));
  }
  const { clock } = engagement.world;
  const controllers: Controllers = {
    names,
    crash: (name, downFor) => pumps.get(name)?.crash(downFor),
    disturbed: (length) =>
      engagement.checks.disturbed(clock.now, length === undefined ? forEver : after(clock.now, length)),
    wires: (name) => [...wires].filter(([it]) => name === undefined || it === name).map(([, wire]) => wire),
  };
  return { pumps, controllers };
}

function pumpFor(name: string, wire: PortFaults, engagement: Engagement): Pump {
  const { world, story, checks, tenant, crashes } = engagement;
  const random = world.random.fork(name);
  let starts = 0;
  return new Pump({
    clock: world.clock,
    random,
    crashes: crashes[name] ?? [],
    open: () => {
      const port = openPort(name, wire, random.fork(`start ${++starts}`), engagement);
      return { port, tenant: tenant(port, name) };
    },
    onCrash: (downFor) => {
      checks.disturbed(world.clock.now, after(world.clock.now, downFor));
      story.tell({ kind: 'Fault', controller: name, text: `${name} dies.` });
    },
    onStart: (again) => {
      if (!again) return;
      const text = `${name} is back, and knows nothing but what the cluster remembers.`;
      story.tell({ kind: 'Fault', controller: name, text });
    },
  });
}

/** The story hears of a request while it is carried out, to tell what came of it. */
function openPort(name: string, faults: PortFaults, random: Random, engagement: Engagement): OpenPort {
  const { world, story, note, onRead } = engagement;
  const port = new SimPort(world.objects, world.clock, {
    name,
    random,
    faults,
    observe: note,
    ...(onRead && { onRead: (object, isGone) => onRead(name, object, isGone) }),
  });
  return {
    view: () => port.view(),
    send: (request) => story.during(request, name, () => port.send(request)),
    onWake: (listener) => port.onWake(listener),
    close: () => port.close(),
  };
}
