// Small seeded clusters with rules that a linear model can express exactly.
import { mulberry32 } from '../../bench/random.ts';

export interface World {
  readonly types: readonly WorldType[];
  readonly pools: readonly WorldPool[];
  readonly nodes: readonly WorldNode[];
  readonly pods: readonly WorldPod[];
}

/** Milli-cores, Mi and an hourly price, which is the same in every zone. */
export interface WorldType {
  readonly name: string;
  readonly cpu: number;
  readonly memory: number;
  readonly price: number;
}

export interface WorldPool {
  readonly name: string;
  readonly types: readonly string[];
  readonly zones: readonly string[];
  /** Tainted: only pods of apps with a toleration may run there. */
  readonly dedicated: boolean;
  /** How many of its nodes may be disrupted at a time; absent = all. */
  readonly budget?: number;
}

export interface WorldNode {
  readonly name: string;
  readonly pool: string;
  readonly type: string;
  readonly zone: string;
  /** It has opted out: the node and its pods stay. */
  readonly stays: boolean;
}

/** All pods of an app are equal. */
export interface App {
  readonly name: string;
  readonly cpu: number;
  readonly memory: number;
  readonly zone?: string;
  readonly pool?: string;
  readonly toleratesDedicated: boolean;
  /** No two of them on one node. */
  readonly apart: boolean;
}

export interface WorldPod {
  readonly name: string;
  readonly app: App;
  readonly node: string;
}

/** Where a pod may run, by labels and taints. */
export interface Place {
  readonly pool: WorldPool;
  readonly zone: string;
}

/** Every node runs one daemon of this size. */
export const daemon = { cpu: 100, memory: 128 };

export const zones = ['zone-a', 'zone-b', 'zone-c'];

const types: readonly WorldType[] = [
  { name: 'c2', cpu: 2000, memory: 8192, price: 0.1 },
  { name: 'c4', cpu: 4000, memory: 16384, price: 0.2 },
  { name: 'c8', cpu: 8000, memory: 32768, price: 0.38 },
  { name: 'c16', cpu: 16000, memory: 65536, price: 0.74 },
  { name: 'r4', cpu: 4000, memory: 32768, price: 0.27 },
];

export interface Size {
  readonly nodes: number;
  readonly types: number;
  /** The maximum utilisation of nodes. */
  readonly fill: number;
}

/** Sizes that HiGHS solves in a moment. */
const mostPods = 60;

export const admits = ({ pool, zone }: Place, app: App): boolean =>
  (app.zone === undefined || app.zone === zone) &&
  (app.pool === undefined || app.pool === pool.name) &&
  (app.toleratesDedicated || !pool.dedicated);

export function smallWorld(seed: number, size: Partial<Size> = {}): World {
  const random = mulberry32(seed * 7919 + 17);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const chance = (share: number): boolean => random() < share;

  const known = types.slice(0, size.types ?? types.length);
  const pools: WorldPool[] = ['p', 'q', 'r'].slice(0, 1 + below(3)).map((name, index) => ({
    name,
    types: known.filter((_, at) => at === 0 || chance(0.8)).map((type) => type.name),
    zones,
    dedicated: index > 0 && chance(0.5),
    ...(chance(0.2) && { budget: 1 + below(3) }),
  }));
  const apps: App[] = Array.from({ length: 3 + below(6) }, (_, index) => ({
    name: `app-${index}`,
    cpu: pick([100, 250, 500, 500, 1000, 1500]),
    memory: pick([128, 512, 1024, 2048, 4096]),
    ...(chance(0.2) && { zone: pick(zones) }),
    ...(chance(0.1) && { pool: pick(pools).name }),
    toleratesDedicated: chance(0.4),
    apart: chance(0.2),
  }));
  const count = size.nodes ?? 3 + below(10);
  const nodes: WorldNode[] = Array.from({ length: count }, (_, index) => {
    const pool = pick(pools);
    const name = `n${String(index).padStart(2, '0')}`;
    return { name, pool: pool.name, type: pick(pool.types), zone: pick(zones), stays: chance(0.1) };
  });
  const pods: WorldPod[] = [];
  for (const node of nodes) {
    const type = types.find(({ name }) => name === node.type) as WorldType;
    const place = { pool: pools.find(({ name }) => name === node.pool) as WorldPool, zone: node.zone };
    const free = { cpu: type.cpu - daemon.cpu, memory: type.memory - daemon.memory };
    const target = type.cpu * (1 - (size.fill ?? 0.7) * random());
    const here = new Set<App>();
    for (let tries = 0; tries < 12 && free.cpu > target && pods.length < mostPods; tries++) {
      const app = pick(apps);
      if (!admits(place, app) || app.cpu > free.cpu || app.memory > free.memory || (app.apart && here.has(app)))
        continue;
      free.cpu -= app.cpu;
      free.memory -= app.memory;
      here.add(app);
      pods.push({ name: `${app.name}-${pods.length}`, app, node: node.name });
    }
  }
  return { types: known, pools, nodes, pods };
}

export const priceOf = ({ types: known, nodes }: World): number =>
  nodes.reduce((sum, { type }) => sum + (known.find(({ name }) => name === type)?.price ?? 0), 0);
