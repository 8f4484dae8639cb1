// The edits that turn an unknown name into the one it was meant as, where there is exactly one candidate.
import type { Fault } from '../../cluster/fault.ts';
import { steering } from '../../kinds/annotationName.ts';
import { isSame } from '../../kinds/edit/value.ts';
import { joinPath, splitPath } from '../../kinds/path.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import { parseText } from '../../kinds/text.ts';
import type { Edit } from '../rule.ts';

/** The two sentences of such a fault: what is wrong, and what to write instead. */
export function parted(message: string): { readonly message: string; readonly suggestion: string } {
  const end = message.indexOf('. ') + 1;
  return { message: message.slice(0, end), suggestion: message.slice(end + 1) };
}

/** Undefined where several names may have been meant, or the right one is given too. */
export function renamed({ path, meant = [] }: Fault, object: Json): Edit[] | undefined {
  const [name, ...others] = meant;
  if (name === undefined || others.length > 0) return undefined;
  const keys = splitPath(path);
  const at = keys.indexOf(steering.budgets);
  if (at >= 0 && at < keys.length - 1) return renamedInText(object, keys.slice(0, at + 1), keys.slice(at + 1), name);
  const holder = keys.slice(0, -1).reduce(inside, object as unknown);
  return isMap(holder) && holder[name] === undefined ? [{ path, rename: name }] : undefined;
}

const inside = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isMap(value) ? value[key] : undefined;

/** Within the text of lull.dev/budgets: kept only where it then reads as meant. */
function renamedInText(object: Json, holder: string[], within: string[], name: string): Edit[] | undefined {
  const text = holder.reduce(inside, object as unknown);
  const [index = '', key = ''] = within;
  if (typeof text !== 'string' || within.length !== 2) return undefined;
  const list = listIn(text);
  const entry = list?.[Number(index)];
  if (!list || !isMap(entry) || entry[name] !== undefined) return undefined;
  const wanted = list.map((each) => (each === entry ? withName(entry, key, name) : each));
  const places = [...text.matchAll(new RegExp(`(?<![\\w.-])${escaped(key)}(?=["']?\\s*:)`, 'g'))];
  const texts = places.map(({ index: start }) => `${text.slice(0, start)}${name}${text.slice(start + key.length)}`);
  const set = texts.find((each) => isSame(listIn(each), wanted));
  return set === undefined ? undefined : [{ path: holder.reduce((path, each) => joinPath(path, each), ''), set }];
}

function listIn(text: string): readonly unknown[] | undefined {
  const { values, errors } = parseText(text);
  const value = values[0]?.value;
  return errors.length === 0 && Array.isArray(value) ? value : undefined;
}

const withName = (entry: Json, key: string, name: string): Json =>
  Object.fromEntries(Object.entries(entry).map(([each, value]) => [each === key ? name : each, value]));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
