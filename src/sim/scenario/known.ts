// Is every word of a scenario one we know? Unlike a cluster's objects, a scenario is ours: what is not known in it is an error.
import { brief } from '../../kinds/findings.ts';
import { nearest } from '../../kinds/nearMiss.ts';
import { orList, type Reader, useDuration } from '../../kinds/reader.ts';
import { parseDuration } from '../../time/duration.ts';
import { after, type Duration, type Instant, parseInstant } from '../../time/instant.ts';

/** Names every key that is none of these, with the one that was probably meant. */
export function refuseUnknown(reader: Reader, known: readonly string[]): void {
  for (const key of Object.keys(reader.values)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const remedy = meant ? `Did you mean ${meant}?` : `Use ${orList(known)}.`;
    reader.fault(key, `${brief(key)} is not known here. ${remedy}`);
  }
}

/** A text that may not be absent. */
export function needText(reader: Reader, key: string, example: string): string {
  if (!reader.has(key)) reader.fault(key, `There is no ${key}. Give one, such as ${example}.`);
  return reader.text(key) ?? '';
}

export function needDuration(reader: Reader, key: string): Duration | undefined {
  if (!reader.has(key)) reader.fault(key, `There is no ${key}. ${useDuration}`);
  return reader.duration(key);
}

/** The name of something that is in the scenario. */
export function needName(reader: Reader, key: string, known: readonly string[]): string {
  const name = needText(reader, key, known[0] ?? 'a name');
  if (name === '' || known.includes(name)) return name;
  const meant = nearest(name, known);
  const remedy = meant ? `Did you mean ${meant}?` : known.length > 0 ? `There is ${orList(known)}.` : 'Add one.';
  reader.fault(key, `There is no ${key} ${brief(name)} in this scenario. ${remedy}`);
  return name;
}

/** One of the keys must be there, and no other of them beside it. */
export function theOnly(reader: Reader, keys: readonly string[], what: string): string | undefined {
  const given = keys.filter((key) => reader.has(key));
  if (given.length === 1) return given[0];
  const found = given.length === 0 ? `says nothing that is ${what}` : `says ${given.join(' and ')} at once`;
  const own = reader.path().slice(reader.path().lastIndexOf('.') + 1);
  reader.findings.add(reader.path(), undefined, `${own} ${found}. Use one of ${orList(keys)}.`);
  return undefined;
}

/** A moment of the run: so long after the start (`2h`), or an instant. */
export function readMoment(reader: Reader, key: string, from: Instant): Instant | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const elapsed = typeof value === 'string' ? parseDuration(value) : undefined;
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (elapsed !== undefined && elapsed >= 0) return after(from, elapsed);
  if (instant !== undefined && instant >= from) return instant;
  return reader.wrong(
    key,
    'moment of this scenario',
    'Use a time since its start such as 90m, or a later instant in RFC 3339.',
  );
}
