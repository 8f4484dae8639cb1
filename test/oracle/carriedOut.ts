// The world after Lull's commands: nodes leave, replacements arrive, and a scheduler that does not know the plan places the
// pods; pods that it cannot place get another node.
import { admits, daemon, type World, type WorldNode, type WorldPod, type WorldType } from './smallWorld.ts';

export interface Ordered {
  readonly nodes: readonly string[];
  readonly replacements: readonly {
    readonly pool: string;
    readonly types: readonly string[];
    readonly zone?: string;
  }[];
}

export interface CarriedOut {
  readonly world: World;
  /** Pods for which an unplanned node had to be created. */
  readonly stranded: number;
}

export function carryOut(world: World, commands: readonly Ordered[], turn: number): CarriedOut {
  const gone = new Set(commands.flatMap(({ nodes }) => nodes));
  const nodes = world.nodes.filter(({ name }) => !gone.has(name));
  let made = 0;
  const add = (pool: string, type: string, zone: string): void => {
    nodes.push({ name: `t${String(turn).padStart(2, '0')}-${made++}`, pool, type, zone, stays: false });
  };
  for (const { pool, types, zone } of commands.flatMap(({ replacements }) => replacements)) {
    const pooled = world.pools.find(({ name }) => name === pool);
    const cheapest = types.map((type) => typeOf(world, type)).sort((a, b) => a.price - b.price)[0];
    if (!pooled || !cheapest) throw new Error(`no instance type for a replacement in ${pool} of ${types.join(', ')}`);
    add(pool, cheapest.name, zone ?? (pooled.zones[0] as string));
  }
  const pods = world.pods.filter(({ node }) => !gone.has(node));
  // Evicted one after another, the largest first, in the order in which they would be scheduled again.
  const moving = world.pods.filter(({ node }) => gone.has(node)).sort((a, b) => b.app.cpu - a.app.cpu);
  let stranded = 0;
  for (const pod of moving) {
    const now = { ...world, nodes, pods };
    let target = emptiest(now, pod);
    if (!target) {
      stranded++;
      const shape = cheapestFor(world, pod);
      add(shape.pool, shape.type, shape.zone);
      target = nodes.at(-1) as WorldNode;
    }
    pods.push({ ...pod, node: target.name });
  }
  return { world: { ...world, nodes, pods }, stranded };
}

/** Like the scheduler's default score: where most is left. */
function emptiest(world: World, pod: WorldPod): WorldNode | undefined {
  let best: WorldNode | undefined;
  let most = -1;
  for (const node of world.nodes) {
    const left = leftBy(world, node, pod);
    if (left === undefined || left <= most) continue;
    most = left;
    best = node;
  }
  return best;
}

/** The share of the node that is left with the pod on it; undefined = it may not run there. */
function leftBy(world: World, node: WorldNode, { app }: WorldPod): number | undefined {
  const pool = world.pools.find(({ name }) => name === node.pool);
  if (!pool || !admits({ pool, zone: node.zone }, app)) return undefined;
  const here = world.pods.filter((pod) => pod.node === node.name);
  if (app.apart && here.some((pod) => pod.app.name === app.name)) return undefined;
  const type = typeOf(world, node.type);
  const left = (resource: 'cpu' | 'memory'): number =>
    type[resource] - daemon[resource] - app[resource] - here.reduce((sum, pod) => sum + pod.app[resource], 0);
  if (left('cpu') < 0 || left('memory') < 0) return undefined;
  return left('cpu') / type.cpu + left('memory') / type.memory;
}

function cheapestFor(world: World, { app }: WorldPod): { pool: string; type: string; zone: string } {
  const shapes = world.pools.flatMap((pool) =>
    pool.zones
      .filter((zone) => admits({ pool, zone }, app))
      .flatMap((zone) => pool.types.map((type) => ({ pool: pool.name, type, zone, ...typeOf(world, type) }))),
  );
  const fitting = shapes.filter(
    ({ cpu, memory }) => app.cpu <= cpu - daemon.cpu && app.memory <= memory - daemon.memory,
  );
  const [first] = fitting.sort((a, b) => a.price - b.price);
  if (!first) throw new Error(`${app.name} fits on no instance type`);
  return first;
}

function typeOf({ types }: World, name: string): WorldType {
  const found = types.find((type) => type.name === name);
  if (!found) throw new Error(`no type ${name}`);
  return found;
}
