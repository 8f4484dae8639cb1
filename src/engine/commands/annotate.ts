// How are annotations of an object changed so that nobody else's word is lost? By one patch that tests what was seen (N2, K4).
import type { PatchOperation } from './action.ts';

/** By key: what it said when it was seen; undefined = it was not there. */
export type Seen = Readonly<Record<string, string | undefined>>;

const whole = '/metadata/annotations';

const pathOf = (key: string): string => `${whole}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `seen` names every key that matters, `wanted` what they are to say. `bare`: the object has no annotation at all. */
export function annotate(seen: Seen, wanted: Seen, bare: boolean): readonly PatchOperation[] {
  if (bare) {
    const value = Object.fromEntries(Object.entries(wanted).filter(([, text]) => text !== undefined));
    return [
      { op: 'test', path: whole, value: null },
      { op: 'add', path: whole, value },
    ];
  }
  const tests = Object.entries(seen).map(
    ([key, text]) => ({ op: 'test', path: pathOf(key), value: text ?? null }) as const,
  );
  const changes = Object.entries(wanted).flatMap(([key, text]): PatchOperation[] => {
    if (text === seen[key]) return [];
    return text === undefined ? [{ op: 'remove', path: pathOf(key) }] : [{ op: 'add', path: pathOf(key), value: text }];
  });
  return [...tests, ...changes];
}
