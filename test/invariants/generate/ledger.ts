// Random ledgers: commands under way, turns, rolls, back-offs.

import { asInstant, formatInstant } from '../../../src/time/instant.ts';
import { Dice } from '../dice.ts';
import {
  type PlainCommand,
  type PlainLedger,
  type PlainNode,
  type PlainPool,
  type PlainRoll,
  type PlainTurn,
  poolKey,
  rackKey,
  zoneKey,
} from '../plain.ts';
import { starts } from './pace.ts';
import { ago, near, odd, type World } from './world.ts';

const reasons = ['Drifted', 'Drifted', 'Drifted', 'Empty', 'Underutilized', 'Unhealthy', 'Expired'];

interface Ruled {
  readonly pools: readonly PlainPool[];
  /** Names of maintenance windows. */
  readonly windows: readonly string[];
}

export function ledger(world: World, nodes: readonly PlainNode[], { pools, windows }: Ruled): PlainLedger {
  const { dice, theme, now } = world;
  const taken = theme === 'roll' && dice.chance(0.6) ? dice.some(nodes, 3) : nodes.filter(() => odd(world, 0.04));
  const names = nodes.map(({ metadata }) => metadata.name);
  const claims = names.map((name) => `claim-${name}`);
  const commands = taken.map((node, index) => command(world, { node, index, names }));
  if (odd(world, 0.04)) commands.push(goneCommand(world, pools));
  return {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'DisruptionLedger',
    metadata: { name: 'lull' },
    spec: {
      version: 1,
      commands,
      turns: pools.filter(() => dice.chance(theme === 'roll' ? 0.95 : 0.4)).map((pool) => turn(world, pool, names)),
      rolls: rolls(world, pools, commands),
      backoffs: pools
        .filter(() => odd(world, 0.06))
        .map(({ metadata }) => ({ pool: metadata.name, until: near(world, 10), delay: '2m' })),
      declined: names
        .filter((_, index) => index % 6 === 0)
        .map((node, index) => ({ node, at: formatInstant(asInstant(now - (4 + 12 * index) * 60_000)) })),
      starts: [
        ...windows.flatMap((name) => starts(world, 'MaintenanceWindow', name, claims)),
        ...pools.flatMap(({ metadata }) => starts(world, 'NodePool', metadata.name, claims)),
      ],
    },
  };
}

function command(
  world: World,
  { node, index, names }: { node: PlainNode; index: number; names: readonly string[] },
): PlainCommand {
  const { dice, theme } = world;
  const { name, labels = {} } = node.metadata;
  const hands = dice.pick(['lull', 'karpenter'] as const);
  const pool = labels[poolKey] ?? 'gone';
  const domain = labels[zoneKey];
  const startedAt = ago(world, 0, 30);
  return {
    id: `earlier-${index}`,
    reason: theme === 'roll' ? 'Drifted' : dice.pick(reasons),
    pool,
    hands,
    nodes: [{ name, claim: `claim-${name}`, ...(domain && dice.chance(0.7) && { domain }) }],
    ...(dice.chance(0.4) && { replacements: [{ name: `earlier-${index}-0`, pool }] }),
    ...(dice.chance(0.3) && { promisedTo: [dice.pick(names)] }),
    step:
      hands === 'lull'
        ? dice.pick(['chosen', 'tainted', 'replacing', 'draining'])
        : dice.pick(['offered', 'taken', 'withdrawn']),
    startedAt,
    stepAt: startedAt,
  };
}

/** Its node is gone already; the command is not. */
function goneCommand(world: World, pools: readonly PlainPool[]): PlainCommand {
  const { dice, zones } = world;
  const startedAt = ago(world, 0, 60);
  return {
    id: 'earlier-gone',
    reason: 'Drifted',
    pool: dice.pick(pools).metadata.name,
    hands: 'lull',
    nodes: [{ name: 'gone', ...(dice.chance(0.8) && { domain: dice.pick(zones) }) }],
    step: 'terminating',
    startedAt,
    stepAt: startedAt,
  };
}

/** Drawn separately, so that the other parts of a ledger do not depend on them. */
function rolls(world: World, pools: readonly PlainPool[], commands: readonly PlainCommand[]): PlainRoll[] {
  const apart = { ...world, dice: new Dice(Math.floor(world.now / 1000) + pools.length) };
  const { dice } = apart;
  return pools
    .filter(() => dice.chance(0.85))
    .map(({ metadata: { name } }) => {
      const startedAt = ago(apart, 16, dice.pick([40, 40, 600]));
      const mine = commands.filter(({ pool, reason }) => pool === name && reason === 'Drifted');
      return {
        pool: name,
        startedAt,
        waveAt: startedAt,
        counted: dice.whole(1, 12),
        done: dice.pick([0, 1, 2, 3, 5, 9]),
        wave: dice.pick([0, 0, 0, 0, 1, 1, 7]),
        inFlight: mine.flatMap(({ nodes }) => nodes.map((node) => node.name)),
        ...(dice.chance(0.4) && { wellSince: ago(apart, 0, 15) }),
        ...(dice.chance(0.15) && { failures: dice.pick([1, 2, 3]) }),
        ...(dice.chance(0.22) && { haltedAt: ago(apart, 0, 15) }),
        ...(dice.chance(0.1) && { expected: [{ owner: 'ReplicaSet-web', name: 'web', running: dice.whole(0, 5) }] }),
      };
    });
}

function turn(world: World, pool: PlainPool, names: readonly string[]): PlainTurn {
  const { dice, theme, zones } = world;
  const progressAt = ago(world, 0, dice.pick([20, 120, 600]));
  const onRacks = dice.chance(0.1);
  const domains = onRacks ? ['r1', 'r2'] : zones;
  return {
    pool: pool.metadata.name,
    topologyKey: onRacks ? rackKey : zoneKey,
    ...(!odd(world, 0.05) && {
      domain: theme === 'roll' && dice.chance(0.8) ? (domains[0] as string) : dice.pick(domains),
    }),
    takenAt: progressAt,
    progressAt,
    ...(dice.chance(0.5) && { unreadyAtStart: dice.some(names, 2) }),
    ...(odd(world, 0.1) && { replacements: [dice.pick(['never-seen', `claim-${dice.pick(names)}`])] }),
    ...(odd(world, 0.1) && { expected: [{ owner: 'ReplicaSet-web', name: 'web', running: dice.whole(0, 5) }] }),
    ...(dice.chance(0.3) && { wellSince: ago(world, 0, 15) }),
    ...(dice.chance(0.2) && { passedOver: [dice.pick([...domains, null])] }),
  };
}
