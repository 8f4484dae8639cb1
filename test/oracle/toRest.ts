// The cost of a small world once Lull finds nothing more to do: decide, search, carry out, repeat.
import { type Command, emptyLedger } from '../../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../src/cluster/settings.ts';
import { decideRound } from '../../src/engine/round.ts';
import { decideSearched } from '../../src/engine/search.ts';
import type { Facts } from '../../src/engine/situation.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { instant, storeOf } from '../vectors/decide.ts';
import { carryOut, type Ordered } from './carriedOut.ts';
import { priceOf, type World } from './smallWorld.ts';
import { catalogueOf, objectsOf } from './worldObjects.ts';

export interface AtRest {
  /** The cost at the start, after each turn, and at the end. */
  readonly costs: readonly number[];
  readonly world: World;
  readonly moved: number;
  readonly stranded: number;
  /** It was still finding something when it was stopped. */
  readonly isUnfinished: boolean;
}

/** More than a small cluster needs: each turn makes it cheaper. */
const mostTurns = 40;
const now = instant('2026-11-16T12:00:00Z');

export function toRest(start: World, isSearching = true): AtRest {
  let world = start;
  const costs = [priceOf(world)];
  let moved = 0;
  let stranded = 0;
  for (let turn = 0; turn < mostTurns; turn++) {
    const commands = chosen(world, isSearching);
    if (commands.length === 0) return { costs, world, moved, stranded, isUnfinished: false };
    const gone = new Set(commands.flatMap(({ nodes }) => nodes));
    moved += world.pods.filter(({ node }) => gone.has(node)).length;
    const after = carryOut(world, commands, turn);
    stranded += after.stranded;
    world = after.world;
    costs.push(priceOf(world));
  }
  return { costs, world, moved, stranded, isUnfinished: true };
}

/** What Lull would start now. */
function chosen(world: World, isSearching: boolean): readonly Ordered[] {
  const { catalogue } = readSettings({ catalogue: catalogueOf(world) }).settings;
  const settings: Settings = { ...defaultSettings, role: 'drive', catalogue };
  const facts: Facts = { cluster: storeOf(objectsOf(world)), ledger: emptyLedger };
  const round = isSearching ? decideSearched(facts, now, settings).round : decideRound(facts, now, settings);
  return round.commands.map(orderOf);
}

const orderOf = ({ nodes, replacements }: Command): Ordered => ({
  nodes: nodes.map(({ name }) => name),
  replacements: replacements.map(({ pool, instanceType, launch }) => ({
    pool,
    types: launch?.instanceTypes ?? (instanceType === undefined ? [] : [instanceType]),
    ...(launch?.zones[0] !== undefined && { zone: launch.zones[0] }),
  })),
});
