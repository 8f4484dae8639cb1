// The cheapest possible cluster: an integer linear model, solved by HiGHS, of which nodes stay, which new ones are launched, and
// where the pods of leaving nodes go. Pods of a node that stays stay too, as in any consolidation.
import loadHighs from 'highs';
import {
  type App,
  admits,
  daemon,
  type Place,
  priceOf,
  type World,
  type WorldPool,
  type WorldType,
} from './smallWorld.ts';

export interface Optimum {
  readonly cost: number;
  readonly removed: readonly string[];
  /** `pool/type/zone` of each new node. */
  readonly added: readonly string[];
}

export interface Question {
  /** A feasible cost: nothing more expensive is considered. Default: the cost of the cluster. */
  readonly atMost?: number;
  /** One step, with no more nodes of a pool than its budget allows; otherwise as many steps as needed. */
  readonly isOneStep?: boolean;
}

/** A node, existing or possible. `on` is the variable for whether it runs. */
interface Target {
  readonly id: string;
  readonly on: string;
  readonly price: number;
  readonly place: Place;
  readonly free: { readonly cpu: number; readonly memory: number };
  /** How many pods of an app are on it while it stays. */
  readonly own: ReadonlyMap<App, number>;
  readonly stays: boolean;
  readonly label: string;
}

/** Long enough for all but a few; the caller leaves out what is not settled by then. */
const seconds = 20;

const highs = loadHighs();

export async function optimumOf(world: World, question: Question = {}): Promise<Optimum | undefined> {
  const model = modelOf(world, question);
  const solver = await highs;
  const solved = solver.solve(model.text, {
    time_limit: seconds,
    mip_rel_gap: 0,
    mip_abs_gap: 1e-6,
    output_flag: false,
  });
  if (solved.Status !== 'Optimal') return undefined;
  const isOn = ({ on }: Target): boolean => ((solved.Columns[on] as { Primal?: number }).Primal ?? 0) > 0.5;
  return {
    // Summed from prices, not read from the solver, so that it can be compared exactly.
    cost: [...model.nodes, ...model.slots].filter(isOn).reduce((sum, { price }) => sum + price, 0),
    removed: model.nodes.filter((it) => !isOn(it)).map(({ label }) => label),
    added: model.slots.filter(isOn).map(({ label }) => label),
  };
}

/** The model as text in CPLEX's LP format. */
function modelOf(
  world: World,
  { isOneStep = false, atMost = priceOf(world) }: Question = {},
): { text: string; nodes: readonly Target[]; slots: readonly Target[] } {
  const nodes = world.nodes.map((_, index) => existing(world, index));
  const apps = [...new Set(world.pods.map(({ app }) => app))];
  const slots = newNodes(world, apps, atMost);
  const targets = [...nodes, ...slots];
  const rows: string[] = [];
  const integers: string[] = [];
  const moves = new Map<string, string>();
  const move = (app: App, target: Target): string => `x_${apps.indexOf(app)}_${target.id}`;
  const mayMove = (app: App, target: Target): boolean =>
    admits(target.place, app) && app.cpu <= target.free.cpu && app.memory <= target.free.memory;

  for (const app of apps) {
    // All pods of removed nodes are placed somewhere.
    const there = targets.filter((target) => mayMove(app, target));
    const sources = nodes.filter(({ own, stays }) => !stays && own.has(app));
    if (sources.length === 0) continue;
    const total = sources.reduce((sum, { own }) => sum + (own.get(app) ?? 0), 0);
    const left = [
      ...there.map((target) => move(app, target)),
      ...sources.map(({ own, on }) => `${own.get(app)} ${on}`),
    ].join(' + ');
    rows.push(`${left} = ${total}`);
    for (const target of there) {
      integers.push(move(app, target));
      moves.set(move(app, target), target.id);
      // Tighter than capacity alone, which helps the solver.
      const most = app.apart ? Math.max(0, 1 - (target.own.get(app) ?? 0)) : fitting(app, target, total);
      rows.push(`${move(app, target)} - ${most} ${target.on} <= 0`);
    }
  }
  for (const target of targets) {
    const here = apps.filter((app) => moves.has(move(app, target)));
    if (here.length === 0) continue;
    for (const resource of ['cpu', 'memory'] as const) {
      const used = here.map((app) => `${app[resource] / 1000} ${move(app, target)}`).join(' + ');
      rows.push(`${used} - ${target.free[resource] / 1000} ${target.on} <= 0`);
    }
  }
  for (const target of nodes) if (target.stays) rows.push(`${target.on} = 1`);
  if (isOneStep) rows.push(...budgetRows(world, nodes));
  rows.push(`${targets.map(({ price, on }) => `${price} ${on}`).join(' + ')} <= ${atMost + 1e-6}`);
  // Slots of one shape are interchangeable: they are filled in order.
  slots.forEach((slot, index) => {
    const next = slots[index + 1];
    if (next?.label === slot.label) rows.push(`${slot.on} - ${next.on} >= 0`);
  });
  const text = [
    'Minimize',
    ` cost: ${targets.map(({ price, on }) => `${price} ${on}`).join(' + ')}`,
    'Subject To',
    ...rows.map((row, index) => ` r${index}: ${row}`),
    'General',
    ` ${integers.join(' ')}`,
    'Binary',
    ` ${targets.map(({ on }) => on).join(' ')}`,
    'End',
    '',
  ].join('\n');
  return { text, nodes, slots };
}

/** How many pods of an app fit on a target at most. */
const fitting = (app: App, { free }: Target, total: number): number =>
  Math.min(total, Math.floor(free.cpu / app.cpu), Math.floor(free.memory / app.memory));

const budgetRows = (world: World, nodes: readonly Target[]): string[] =>
  world.pools.flatMap(({ name, budget }) => {
    const mine = nodes.filter(({ place, stays }) => place.pool.name === name && !stays);
    if (budget === undefined || mine.length <= budget) return [];
    return [`${mine.map(({ on }) => on).join(' + ')} >= ${mine.length - budget}`];
  });

function existing(world: World, index: number): Target {
  const node = world.nodes[index] as World['nodes'][number];
  const type = typeOf(world, node.type);
  const own = new Map<App, number>();
  const free = { cpu: type.cpu - daemon.cpu, memory: type.memory - daemon.memory };
  for (const { app } of world.pods.filter((pod) => pod.node === node.name)) {
    own.set(app, (own.get(app) ?? 0) + 1);
    free.cpu -= app.cpu;
    free.memory -= app.memory;
  }
  const pool = world.pools.find(({ name }) => name === node.pool) as WorldPool;
  return {
    id: `n${index}`,
    on: `y_n${index}`,
    price: type.price,
    place: { pool, zone: node.zone },
    free,
    own,
    stays: node.stays,
    label: node.name,
  };
}

/** As many slots of every shape as could be paid for: more would save nothing. */
function newNodes(world: World, apps: readonly App[], atMost: number): Target[] {
  const leaving = new Set(world.nodes.filter(({ stays }) => !stays).map(({ name }) => name));
  const movable = world.pods.filter(({ node }) => leaving.has(node));
  const standing = priceOf({ ...world, nodes: world.nodes.filter(({ name }) => !leaving.has(name)) });
  return shapesOf(world, apps).flatMap(({ place, type, takes }) => {
    const takers = movable.filter(({ app }) => takes.has(app)).length;
    const copies = Math.min(takers, Math.floor((atMost - standing) / type.price + 1e-9));
    const label = `${place.pool.name}/${type.name}/${place.zone}`;
    return Array.from({ length: copies }, (_, copy): Target => {
      const id = `${label.replaceAll(/[^a-z0-9]/g, '_')}_${copy}`;
      const free = { cpu: type.cpu - daemon.cpu, memory: type.memory - daemon.memory };
      return { id, on: `y_${id}`, price: type.price, place, free, own: new Map(), stays: false, label };
    });
  });
}

interface NewShape {
  readonly place: Place;
  readonly type: WorldType;
  readonly takes: ReadonlySet<App>;
}

/** Of two shapes of one type the one that accepts fewer apps is never better: prices are the same everywhere. */
function shapesOf({ pools, types }: World, apps: readonly App[]): NewShape[] {
  const kept: NewShape[] = [];
  for (const type of types) {
    const all = pools
      .filter((pool) => pool.types.includes(type.name))
      .flatMap((pool) =>
        pool.zones.map((zone): NewShape => {
          const place = { pool, zone };
          const fits = ({ cpu, memory }: App) => cpu <= type.cpu - daemon.cpu && memory <= type.memory - daemon.memory;
          return { place, type, takes: new Set(apps.filter((app) => admits(place, app) && fits(app))) };
        }),
      )
      .sort((a, b) => b.takes.size - a.takes.size);
    for (const shape of all) {
      const isCovered = kept.some((other) => other.type === type && shape.takes.isSubsetOf(other.takes));
      if (!isCovered) kept.push(shape);
    }
  }
  return kept;
}

const typeOf = (world: World, name: string): WorldType => {
  const found = world.types.find((type) => type.name === name);
  if (!found) throw new Error(`no type ${name}`);
  return found;
};
