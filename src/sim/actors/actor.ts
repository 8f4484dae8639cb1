// The framework for actors: table rows that change single objects after a delay, and controllers that reconcile keys.

import { asDuration, type Duration, second } from '../../time/instant.ts';
import { type KubeObject, keyOf, type ObjectKey } from '../kubeObject.ts';
import type { ObjectChange } from '../objects.ts';
import type { VirtualTimer } from '../virtualClock.ts';
import type { World } from '../world.ts';
import { conditionOf } from './rawObjects.ts';

export type ActorWrite =
  /** `next` returns the changed object, or undefined for no change. */
  | { readonly verb: 'change'; readonly kind: string; readonly key: ObjectKey; readonly next: Next }
  | { readonly verb: 'create'; readonly object: KubeObject }
  | {
      readonly verb: 'delete';
      readonly kind: string;
      readonly key: ObjectKey;
      readonly uid?: string;
      readonly graceSeconds?: number;
    }
  /** By the Eviction API: a PodDisruptionBudget may refuse it. */
  | { readonly verb: 'evict'; readonly key: ObjectKey; readonly uid?: string };

type Next = (object: KubeObject) => KubeObject | undefined;

export const change = (kind: string, key: ObjectKey, next: Next): ActorWrite => ({ verb: 'change', kind, key, next });

export const create = (object: KubeObject): ActorWrite => ({ verb: 'create', object });

/** A grace period of 0 removes a pod at once, as its kubelet does after the pod has stopped. */
export const remove = (
  kind: string,
  key: ObjectKey,
  more: { uid?: string; graceSeconds?: number } = {},
): ActorWrite => ({
  verb: 'delete',
  kind,
  key,
  ...more,
});

function carryOut({ objects }: World, by: string, writes: readonly ActorWrite[]): void {
  for (const write of writes) {
    switch (write.verb) {
      case 'change':
        objects.write(write.kind, write.key, by, write.next);
        break;
      case 'create':
        objects.create(write.object, by);
        break;
      case 'delete':
        objects.delete(write.kind, write.key, by, {
          ...(write.uid !== undefined && { uid: write.uid }),
          ...(write.graceSeconds !== undefined && { graceSeconds: write.graceSeconds }),
        });
        break;
      case 'evict':
        objects.evict(write.key, by, write.uid === undefined ? {} : { uid: write.uid });
    }
  }
}

export type RowCondition =
  /** Paths are dotted: `metadata.deletionTimestamp`. */
  | { readonly has: string }
  | { readonly lacks: string }
  | { readonly at: string; readonly is: unknown }
  | { readonly at: string; readonly isNot: unknown }
  /** A status condition; a missing one counts as Unknown. */
  | { readonly condition: string; readonly is: string }
  | { readonly condition: string; readonly isNot: string }
  | { readonly annotated: string }
  /** A predicate that may depend on other objects or on injected faults. */
  | { readonly so: string; readonly holds: (object: KubeObject, world: World) => boolean };

type Predicate = (object: KubeObject, world: World) => boolean;

export function allOf(conditions: readonly RowCondition[]): Predicate {
  const predicates = conditions.map(compileCondition);
  return (object, world) => {
    for (const holds of predicates) if (!holds(object, world)) return false;
    return true;
  };
}

/** Whether an injected fault could change the result. */
const dependsOnFaults = (conditions: readonly RowCondition[]): boolean => conditions.some((each) => 'so' in each);

function compileCondition(condition: RowCondition): Predicate {
  if ('so' in condition) return condition.holds;
  if ('annotated' in condition) return ({ metadata }) => metadata.annotations?.[condition.annotated] !== undefined;
  if ('condition' in condition) {
    const { condition: type } = condition;
    const status = (object: KubeObject): string => conditionOf(object, type)?.status ?? 'Unknown';
    return 'is' in condition
      ? (object) => status(object) === condition.is
      : (object) => status(object) !== condition.isNot;
  }
  if ('has' in condition) return reads(condition.has, (value) => value !== undefined);
  if ('lacks' in condition) return reads(condition.lacks, (value) => value === undefined);
  return 'is' in condition
    ? reads(condition.at, (value) => value === condition.is)
    : reads(condition.at, (value) => value !== condition.isNot);
}

function reads(path: string, test: (value: unknown) => boolean): Predicate {
  const read = reader(path);
  return (object) => test(read(object));
}

/** Returns a reader for a dotted path. */
function reader(path: string): (object: KubeObject) => unknown {
  const keys = path.split('.');
  return (object) => {
    let value: unknown = object;
    for (const key of keys) {
      if (value === undefined || value === null) return undefined;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  };
}

export interface ActorRow {
  /** Unique. It seeds the row's random numbers, so a new name changes every simulation. */
  readonly name: string;
  /** The component that acts. */
  readonly by: string;
  readonly kind: string;
  readonly when: readonly RowCondition[];
  /** How long the conditions must hold. */
  readonly after: DelayRange | ((object: KubeObject, world: World) => DelayRange);
  /** The delay starts again when the value at this path changes. */
  readonly restartsOn?: string;
  /** Objects of the row's kind to check again when an object of another kind changes. */
  readonly also?: Readonly<Record<string, (change: ObservedChange, world: World) => Iterable<KubeObject>>>;
  readonly becomes: (object: KubeObject, world: World) => readonly ActorWrite[];
}

/** A change; objects that exist at the start are reported as ADDED. */
export type ObservedChange = Pick<ObjectChange, 'type' | 'object' | 'was'>;

/** A range in seconds. */
export type DelayRange = readonly [from: number, to: number];

/** Delays are rounded to tenths of a second. */
const grain = 100;

export function drawDelay([from, to]: DelayRange, chance: () => number): Duration {
  const seconds = from === to ? from : from + chance() * (to - from);
  return asDuration(Math.round((seconds * second) / grain) * grain);
}

interface CompiledRow {
  readonly row: ActorRow;
  readonly holds: Predicate;
  readonly dependsOnFaults: boolean;
  readonly mark: (object: KubeObject) => unknown;
  /** By uid. */
  readonly waiting: Map<string, { readonly timer: VirtualTimer; readonly mark: unknown }>;
}

/** Applies the rows to all existing objects and to every change. */
export function playTable(world: World, rows: readonly ActorRow[]): void {
  const byKind = Map.groupBy(rows.map(compile), ({ row }) => row.kind);
  const others = Map.groupBy(
    [...byKind.values()]
      .flat()
      .flatMap((compiled) => Object.keys(compiled.row.also ?? {}).map((kind) => ({ kind, compiled }))),
    ({ kind }) => kind,
  );
  const see = (change: ObservedChange): void => {
    const { type, object } = change;
    for (const compiled of byKind.get(object.kind) ?? []) {
      if (type === 'DELETED') forget(compiled, object);
      else check(compiled, object, world);
    }
    for (const { kind, compiled } of others.get(object.kind) ?? []) {
      for (const own of compiled.row.also?.[kind]?.(change, world) ?? []) check(compiled, own, world);
    }
  };
  for (const kind of byKind.keys()) for (const object of [...world.objects.list(kind)]) see({ type: 'ADDED', object });
  world.objects.onChange(see);
  world.faults.onChange(() => {
    for (const [kind, all] of byKind) {
      const affected = all.filter((compiled) => compiled.dependsOnFaults);
      if (affected.length === 0) continue;
      for (const object of world.objects.list(kind)) for (const compiled of affected) check(compiled, object, world);
    }
  });
}

const compile = (row: ActorRow): CompiledRow => ({
  row,
  holds: allOf(row.when),
  dependsOnFaults: dependsOnFaults(row.when),
  mark: row.restartsOn === undefined ? () => undefined : reader(row.restartsOn),
  waiting: new Map(),
});

function check(compiled: CompiledRow, object: KubeObject, world: World): void {
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

function fire(compiled: CompiledRow, { key, uid }: { key: ObjectKey; uid: string }, world: World): void {
  compiled.waiting.delete(uid);
  const { row, holds } = compiled;
  const object = world.objects.get(row.kind, key);
  if (object?.metadata.uid !== uid || !holds(object, world)) return;
  carryOut(world, row.by, row.becomes(object, world));
}

function forget({ waiting }: CompiledRow, { metadata }: KubeObject): void {
  const uid = metadata.uid ?? '';
  waiting.get(uid)?.timer.cancel();
  waiting.delete(uid);
}

export interface ActorController {
  readonly name: string;
  /** By kind: the keys to reconcile after a change. */
  readonly wakes: Readonly<Record<string, (change: ObjectChange) => Iterable<string>>>;
  /** The delay between a change and the reconciliation, in seconds. */
  readonly after: DelayRange;
  /** Computes the writes for a key from the current state alone; called again after each change. */
  readonly reconcile: (key: string) => ReconcileResult;
}

export interface ReconcileResult {
  readonly writes: readonly ActorWrite[];
  /** Reconcile again after this many seconds. */
  readonly again?: number;
}

/** In seconds. A delay that rounds to zero would reconcile forever without advancing the clock. */
const soonest = 0.1;

export const noWrites: ReconcileResult = { writes: [] };

/** Runs a controller for all existing objects and for every change. */
export function runController(world: World, controller: ActorController): void {
  const { name, wakes, after } = controller;
  const random = world.random.fork(name);
  const waiting = new Map<string, { readonly at: number; readonly timer: VirtualTimer }>();
  const wake = (key: string, span: DelayRange): void => {
    const delay = drawDelay(span, () => random.next());
    const at = world.clock.now + delay;
    const waits = waiting.get(key);
    // The earliest timer wins: further changes do not postpone it.
    if (waits && waits.at <= at) return;
    waits?.timer.cancel();
    waiting.set(key, { at, timer: world.clock.in(delay, () => run(key)) });
  };
  const run = (key: string): void => {
    waiting.delete(key);
    const { writes, again } = controller.reconcile(key);
    carryOut(world, name, writes);
    if (again !== undefined) wake(key, [Math.max(again, soonest), Math.max(again, soonest)]);
  };
  const see = (change: ObjectChange): void => {
    const keys = wakes[change.object.kind]?.(change);
    if (keys) for (const key of keys) wake(key, after);
  };
  for (const kind of Object.keys(wakes)) {
    for (const object of [...world.objects.list(kind)]) see({ type: 'ADDED', object, version: 0, by: 'start' });
  }
  world.objects.onChange(see);
}
