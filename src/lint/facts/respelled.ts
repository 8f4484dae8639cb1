// What has to be changed so that an older spelling becomes that of today? Only where the meaning stays the same for certain.
import type { Fault } from '../../cluster/fault.ts';
import { joinPath, splitPath } from '../../kinds/path.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import { reasonNamed } from '../../kinds/reasonName.ts';
import type { Edit } from '../rule.ts';

const newNames: ReadonlyMap<string, string> = new Map([
  ['maxUnavailable', 'nodes'],
  ['crontab', 'schedule'],
  ['reason', 'reasons'],
]);

/** Undefined where there is nothing that could be written here: within the text of an annotation. */
export function respelled({ path, value }: Fault, object: Json): Edit[] | undefined {
  const keys = splitPath(path);
  const [first, second] = keys;
  const key = keys.at(-1) ?? '';
  if (first !== 'spec' || keys.includes('annotations')) return undefined;
  if (keys.length === 2 && second !== undefined) return moved(second, value, object);
  const entry = keys.slice(0, -1).reduce(inside, object as unknown);
  if (Array.isArray(entry)) return [{ path, set: reasonNamed(String(value)) ?? value }];
  if (!isMap(entry)) return undefined;
  const name = newNames.get(key);
  if (name !== undefined && entry[name] !== undefined) return [{ path, remove: true }];
  const set = valueOfToday(name ?? key, value);
  if (set === undefined) return removed(path, entry);
  return [...(name === undefined ? [] : [{ path, rename: name }]), ...(set === value ? [] : [{ path, set }])];
}

const inside = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isMap(value) ? value[key] : undefined;

/** Undefined for a schedule of every minute without a duration: it says nothing. */
function valueOfToday(name: string, value: unknown): unknown {
  if (name === 'reasons' && typeof value === 'string') return [reasonNamed(value) ?? value];
  if (name === 'nodes' && typeof value === 'number') return String(value);
  return name === 'schedule' && typeof value === 'string' && /^\s*\*(\s+\*){4}\s*$/.test(value) ? undefined : value;
}

/** A zone without a schedule would be left over. */
function removed(path: string, { timeZone, duration }: Json): Edit[] {
  const zone = path.replace(/[^.]+$/, 'timeZone');
  if (duration !== undefined) return [{ path, rename: 'schedule' }];
  return [{ path, remove: true }, ...(timeZone === undefined ? [] : [{ path: zone, remove: true as const }])];
}

/** From `spec` to `spec.disruption`. */
function moved(key: string, value: unknown, object: Json): Edit[] {
  const place = joinPath('spec.disruption', key);
  const known = ['spec', 'disruption', key].reduce(inside, object as unknown);
  return [{ path: joinPath('spec', key), remove: true }, ...(known === undefined ? [{ path: place, set: value }] : [])];
}
