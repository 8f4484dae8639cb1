// What happens to an object by itself? Tables of rows: when it looks so, after a while it becomes that.
import { asDuration, type Duration, second } from '../../time/instant.ts';
import type { Timer } from '../clock.ts';
import { type Key, type KubeObject, keyOf } from '../kubeObject.ts';
import type { Changed } from '../objects.ts';
import type { World } from '../world.ts';
import { allOf, type Condition, looksAround, type Predicate, reader } from './condition.ts';
import { carryOut, type Write } from './write.ts';

export interface Row {
  /** Unique: chance is drawn by it. */
  readonly name: string;
  /** Who does it. */
  readonly by: string;
  readonly kind: string;
  readonly when: readonly Condition[];
  /** Must hold for so long. */
  readonly after: Span | ((object: KubeObject, world: World) => Span);
  /** The wait starts anew when what stands at this path changes. */
  readonly anew?: string;
  /** Objects of its own kind to look at again when one of another kind changes. */
  readonly also?: Readonly<Record<string, (change: Seen, world: World) => Iterable<KubeObject>>>;
  readonly becomes: (object: KubeObject, world: World) => readonly Write[];
}

/** A change, or (as ADDED) an object that was there before anybody looked. */
export type Seen = Pick<Changed, 'type' | 'object' | 'was'>;

/** From and to, in seconds. */
export type Span = readonly [from: number, to: number];

/** Time in the box comes in tenths of a second: less is nothing that anybody watches. */
const grain = 100;

export function drawDelay([from, to]: Span, chance: () => number): Duration {
  const seconds = from === to ? from : from + chance() * (to - from);
  return asDuration(Math.round((seconds * second) / grain) * grain);
}

interface Compiled {
  readonly row: Row;
  readonly holds: Predicate;
  readonly looksAround: boolean;
  readonly mark: (object: KubeObject) => unknown;
  /** By uid. */
  readonly waiting: Map<string, { readonly timer: Timer; readonly mark: unknown }>;
}

/** Plays the rows on everything that is there, and on every change. */
export function playTable(world: World, rows: readonly Row[]): void {
  const byKind = Map.groupBy(rows.map(compile), ({ row }) => row.kind);
  const others = Map.groupBy(
    [...byKind.values()]
      .flat()
      .flatMap((compiled) => Object.keys(compiled.row.also ?? {}).map((kind) => ({ kind, compiled }))),
    ({ kind }) => kind,
  );
  const see = (change: Seen): void => {
    const { type, object } = change;
    for (const compiled of byKind.get(object.kind) ?? []) {
      if (type === 'DELETED') forget(compiled, object);
      else look(compiled, object, world);
    }
    for (const { kind, compiled } of others.get(object.kind) ?? []) {
      for (const own of compiled.row.also?.[kind]?.(change, world) ?? []) look(compiled, own, world);
    }
  };
  for (const kind of byKind.keys()) for (const object of [...world.objects.list(kind)]) see({ type: 'ADDED', object });
  world.objects.onChange(see);
  world.conditions.onChange(() => {
    for (const [kind, all] of byKind) {
      const meant = all.filter((compiled) => compiled.looksAround);
      if (meant.length === 0) continue;
      for (const object of world.objects.list(kind)) for (const compiled of meant) look(compiled, object, world);
    }
  });
}

const compile = (row: Row): Compiled => ({
  row,
  holds: allOf(row.when),
  looksAround: looksAround(row.when),
  mark: row.anew === undefined ? () => undefined : reader(row.anew),
  waiting: new Map(),
});

function look(compiled: Compiled, object: KubeObject, world: World): void {
  const uid = object.metadata.uid ?? '';
  const waits = compiled.waiting.get(uid);
  if (!compiled.holds(object, world)) {
    if (waits) forget(compiled, object);
    return;
  }
  const mark = compiled.mark(object);
  if (waits?.mark === mark && waits) return;
  waits?.timer.cancel();
  const { row } = compiled;
  const span = typeof row.after === 'function' ? row.after(object, world) : row.after;
  const delay = drawDelay(span, () => world.random.fork(`${row.name} ${uid}`).next());
  const key = keyOf(object);
  compiled.waiting.set(uid, { mark, timer: world.clock.in(delay, () => fire(compiled, { key, uid }, world)) });
}

function fire(compiled: Compiled, { key, uid }: { key: Key; uid: string }, world: World): void {
  compiled.waiting.delete(uid);
  const { row, holds } = compiled;
  const object = world.objects.get(row.kind, key);
  if (object?.metadata.uid !== uid || !holds(object, world)) return;
  carryOut(world, row.by, row.becomes(object, world));
}

function forget({ waiting }: Compiled, { metadata }: KubeObject): void {
  const uid = metadata.uid ?? '';
  waiting.get(uid)?.timer.cancel();
  waiting.delete(uid);
}
