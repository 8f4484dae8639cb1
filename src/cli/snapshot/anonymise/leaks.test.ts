// Secret words planted in every place of every kind of object: none of them is found in an anonymised snapshot.
import { describe, expect, it } from 'vitest';
import { specimens } from '../../../../test/hostile/specimens.ts';
import { isMap, type Json } from '../../../kinds/read/reader.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { slim } from '../slim.ts';
import { anonymise } from './anonymise.ts';

/** Four of these letters in a row are in no word of the allow-list, and in no digest. */
const secret = 'qxzjqzxj';
const leak = /[jqxz]{4}/i;
const digits = '770123456789';

type Path = readonly (string | number)[];

/** Every value in an object, with the way to it; the kind alone must stay what it is. */
function* placesIn(value: unknown, path: Path = []): Generator<readonly [Path, unknown]> {
  if (path.length > 0 && path.join() !== 'kind') yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inside] of Object.entries(value))
    yield* placesIn(inside, [...path, Array.isArray(value) ? Number(key) : key]);
}

function replaced(value: unknown, path: Path, change: (inside: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((inside, at) => (at === key ? replaced(inside, rest, change) : inside));
  return { ...(value as Json), [key]: replaced((value as Json)[key], rest, change) };
}

/** What is written in the place of a value, or beside it. */
const plants: Readonly<Record<string, (value: unknown) => unknown>> = {
  'a word': () => secret,
  'a word after it': (value) => (typeof value === 'string' ? `${value} ${secret}` : undefined),
  'a word before it': (value) => (typeof value === 'string' ? `${secret}-${value}` : undefined),
  'a path': (value) => (typeof value === 'string' ? `${value}/${secret}` : undefined),
  'a zone': (value) => (typeof value === 'string' ? `TZ=${secret} ${value}` : undefined),
  'one of several': (value) => (typeof value === 'string' ? `${value};${secret},${secret}__${secret}` : undefined),
  'a key': (value) => (isMap(value) ? { ...value, [secret]: secret, [`karpenter.sh/${secret}`]: 1 } : undefined),
  'a role': (value) => (isMap(value) ? { ...value, [`node-role.kubernetes.io/${secret}`]: '' } : undefined),
  'a map': () => ({ [secret]: secret, name: secret, key: secret }),
  'a list': () => [secret, { name: secret, key: secret, values: [secret] }],
  'an item': (value) => (Array.isArray(value) ? [...value, secret, { [secret]: secret, type: secret }] : undefined),
};

const shown = (object: unknown): string => JSON.stringify(anonymise([slim(object as Json) as Json]).objects);
/** Without the fields that a snapshot leaves out: the masks alone must hold. */
const whole = new Set(['a word', 'a key', 'a list']);
const shownWhole = (object: unknown): string => JSON.stringify(anonymise([object as Json]).objects);

const kinds = specimens.map((object, index) => ({ object, title: `${String(object.kind)} (${index})` }));

describe('L9: no planted secret is found in the output', () => {
  it.each(kinds)('$title', ({ object }) => {
    expect(shown(object)).not.toBe('[]');
    const found: string[] = [];
    for (const [path, value] of placesIn(object)) {
      for (const [what, plant] of Object.entries(plants)) {
        if (plant(value) === undefined) continue;
        const planted = replaced(object, path, plant);
        const text = whole.has(what) ? shownWhole(planted) : shown(planted);
        if (leak.test(text)) found.push(`${path.join('.')}: ${what}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('all at once, and in field names and capitals', () => {
    const everywhere = specimens.map((object) =>
      [...placesIn(object)].reduceRight<unknown>(
        (planted, [path, value]) =>
          isMap(value)
            ? replaced(planted, path, (inside) => ({ ...(inside as Json), [secret]: secret.toUpperCase() }))
            : replaced(planted, path, (inside) => (typeof inside === 'string' ? `${inside}${secret}` : inside)),
        object,
      ),
    );
    const text = JSON.stringify(anonymise(everywhere.map((object) => slim(object as Json) as Json)).objects);
    expect(text).not.toMatch(leak);
  });
});

/** The fields in which a text of digits survives anonymisation. */
describe('L9: digits are kept only in amounts, counts and ports', () => {
  it('an account or telephone number is kept in no other field', () => {
    const kept = new Set<string>();
    for (const object of specimens) {
      for (const [path, value] of placesIn(object)) {
        if (typeof value !== 'string') continue;
        if (shown(replaced(object, path, () => digits)).includes(digits))
          kept.add(path.map((key) => (typeof key === 'number' ? '*' : key)).join(' '));
      }
    }
    expect([...kept].sort()).toMatchInlineSnapshot(`
      [
        "metadata annotations controller.kubernetes.io/pod-deletion-cost",
        "metadata annotations karpenter.sh/disruption-cost",
        "spec containers * resources requests cpu",
        "spec containers * resources requests memory",
        "spec disruption budgets * maxUnavailable",
        "spec disruption budgets * nodes",
        "spec disruption budgets * waves *",
        "spec initContainers * resources requests cpu",
        "spec initContainers * resources requests memory",
        "spec limits cpu",
        "spec limits memory",
        "spec limits resources cpu",
        "spec nodes",
        "spec overhead cpu",
        "spec resources requests cpu",
        "spec template spec containers * resources requests cpu",
        "spec template spec containers * resources requests memory",
        "spec template spec initContainers * resources requests cpu",
        "spec template spec initContainers * resources requests memory",
        "spec template spec overhead cpu",
        "status allocatable cpu",
        "status allocatable memory",
        "status allocatable pods",
        "status containerStatuses * allocatedResources cpu",
        "status containerStatuses * resources requests cpu",
        "status initContainerStatuses * allocatedResources cpu",
        "status initContainerStatuses * resources requests cpu",
      ]
    `);
  });
});

/** Values of the wrong form, one after another in every place. */
const wrongs: readonly unknown[] = [`${secret}!`, 7, true, null, [secret], { [secret]: secret }];
const rules = kinds.filter(({ object }) => !['Node', 'NodeClaim', 'Pod', 'DaemonSet'].includes(String(object.kind)));

describe('L9: a rule that cannot be read still cannot be read', () => {
  it.each(rules)('$title', ({ object }) => {
    const changed: string[] = [];
    for (const [path] of placesIn(object)) {
      if (path[0] === 'apiVersion') continue;
      for (const wrong of wrongs) {
        const broken = slim(replaced(object, path, () => wrong) as Json) as Json;
        const [after] = anonymise([broken]).objects;
        if (after && hasError(after) !== hasError(broken)) changed.push(`${path.join('.')}: ${JSON.stringify(wrong)}`);
      }
    }
    expect(changed).toEqual([]);
  });
});

function hasError(object: Json): boolean {
  const read = readObject(object);
  return 'faults' in read && read.faults.some(({ severity }) => severity === 'error');
}
