// The optimum by trying everything, for clusters of a few nodes and pods, to check the model.
import { admits, daemon, type Place, type World, type WorldPod, type WorldType } from './smallWorld.ts';

interface Machine {
  readonly place: Place;
  cpu: number;
  memory: number;
  readonly apps: string[];
}

/** The least cost, over all choices of nodes to remove and places for their pods. */
export function leastCost(world: World, isOneStep = false): number {
  const subsets = 2 ** world.nodes.length;
  let least = Number.POSITIVE_INFINITY;
  for (let subset = 0; subset < subsets; subset++) {
    const isGone = (index: number): boolean => (subset >> index) % 2 === 1;
    if (world.nodes.some(({ stays }, index) => stays && isGone(index))) continue;
    if (isOneStep && world.pools.some(({ name, budget = 99 }) => goneOf(world, name, isGone) > budget)) continue;
    const standing = world.nodes.filter((_, index) => !isGone(index)).map((node) => machineOf(world, node));
    const cost = world.nodes
      .filter((_, index) => !isGone(index))
      .reduce((sum, { type }) => sum + typeOf(world, type).price, 0);
    const moving = world.pods.filter(({ node }) => isGone(world.nodes.findIndex(({ name }) => name === node)));
    least = Math.min(least, settle(world, { moving, machines: standing, cost, least }));
  }
  return least;
}

const goneOf = (world: World, pool: string, isGone: (index: number) => boolean): number =>
  world.nodes.filter((node, index) => node.pool === pool && isGone(index)).length;

interface Trial {
  readonly moving: readonly WorldPod[];
  readonly machines: readonly Machine[];
  readonly cost: number;
  readonly least: number;
}

function settle(world: World, { moving, machines, cost, least }: Trial): number {
  if (cost >= least) return least;
  const [pod, ...others] = moving;
  if (!pod) return cost;
  let best = least;
  for (const machine of machines) {
    if (!takes(machine, pod)) continue;
    put(machine, pod);
    best = settle(world, { moving: others, machines, cost, least: best });
    machine.apps.pop();
    machine.cpu += pod.app.cpu;
    machine.memory += pod.app.memory;
  }
  for (const pool of world.pools) {
    for (const zone of pool.zones) {
      for (const name of pool.types) {
        const type = typeOf(world, name);
        const machine = empty({ pool, zone }, type);
        if (!takes(machine, pod)) continue;
        put(machine, pod);
        best = settle(world, {
          moving: others,
          machines: [...machines, machine],
          cost: cost + type.price,
          least: best,
        });
      }
    }
  }
  return best;
}

const takes = ({ place, cpu, memory, apps }: Machine, { app }: WorldPod): boolean =>
  admits(place, app) && app.cpu <= cpu && app.memory <= memory && !(app.apart && apps.includes(app.name));

function put(machine: Machine, { app }: WorldPod): void {
  machine.cpu -= app.cpu;
  machine.memory -= app.memory;
  machine.apps.push(app.name);
}

const empty = (place: Place, type: WorldType): Machine => ({
  place,
  cpu: type.cpu - daemon.cpu,
  memory: type.memory - daemon.memory,
  apps: [],
});

function machineOf(world: World, node: World['nodes'][number]): Machine {
  const pool = world.pools.find(({ name }) => name === node.pool);
  if (!pool) throw new Error(`no pool ${node.pool}`);
  const machine = empty({ pool, zone: node.zone }, typeOf(world, node.type));
  for (const pod of world.pods) if (pod.node === node.name) put(machine, pod);
  return machine;
}

function typeOf(world: World, name: string): WorldType {
  const found = world.types.find((type) => type.name === name);
  if (!found) throw new Error(`no type ${name}`);
  return found;
}
