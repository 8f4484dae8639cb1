// When does a row of an actor's table hold? Conditions are data: what an object must say, and what must be so around it.
import type { KubeObject } from '../kubeObject.ts';
import type { World } from '../world.ts';
import { conditionOf } from './status.ts';

export type Condition =
  /** Paths are dotted: `metadata.deletionTimestamp`. */
  | { readonly has: string }
  | { readonly lacks: string }
  | { readonly at: string; readonly is: unknown }
  | { readonly at: string; readonly isNot: unknown }
  /** A status condition. One that is missing is Unknown. */
  | { readonly condition: string; readonly is: string }
  | { readonly condition: string; readonly isNot: string }
  | { readonly annotated: string }
  /** Anything that other objects, or what is wrong on purpose, have a say in. */
  | { readonly so: string; readonly holds: (object: KubeObject, world: World) => boolean };

export type Predicate = (object: KubeObject, world: World) => boolean;

export function allOf(conditions: readonly Condition[]): Predicate {
  const predicates = conditions.map(compile);
  return (object, world) => {
    for (const holds of predicates) if (!holds(object, world)) return false;
    return true;
  };
}

/** Whether a change of what is wrong on purpose could change the answer. */
export const looksAround = (conditions: readonly Condition[]): boolean => conditions.some((each) => 'so' in each);

function compile(condition: Condition): Predicate {
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

/** Reads what stands at a dotted path. */
export function reader(path: string): (object: KubeObject) => unknown {
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
