// Mutations of a text: single characters, pieces, words of the dictionary, numbers, and pieces of another text.

export interface Mutating {
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  readonly words: readonly string[];
  /** A text to take a piece from. */
  readonly other: () => string;
}

export const longestText = 8192;

/** Characters that parsers treat specially. */
const odd = [
  ...'\0\t\n\r "\'\\/#:,-[]{}()*&!|>%@`=+.~<?_$0179aAzZé\u0085\u00a0\u2028\ufeff\u200b\u202e',
  '\ud800',
  '\udc00',
  '👩‍👧',
  '\n  ',
  '\n- ',
  ': ',
  '---\n',
  '...\n',
];

export function mutate(text: string, mutating: Mutating): string {
  const { chance } = mutating;
  // Most single-character changes of JSON are not valid JSON.
  const value = text.startsWith('{') && chance() < 0.8 ? parsed(text) : undefined;
  if (value !== undefined) {
    try {
      return JSON.stringify(mutateValue(value, mutating)).slice(0, longestText);
    } catch {
      // Nested too deeply for the fuzzer itself; the text as such can still be changed.
    }
  }
  let mutated = text;
  for (let times = 1 + Math.floor(chance() ** 3 * 8); times > 0; times--) mutated = once(mutated, mutating);
  return mutated.slice(0, longestText);
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  [],
  {},
  [[]],
  [null],
  [{}],
  '0',
  'true',
  '*',
];

/** Changes, drops or duplicates some values, keys or entries, or takes them from elsewhere. */
function mutateValue(value: object, mutating: Mutating): object {
  const { chance, words, other } = mutating;
  const below = (limit: number): number => Math.floor(chance() * limit);
  const holders = (from: object): object[] => [
    from,
    ...Object.values(from).flatMap((each: unknown) => (typeof each === 'object' && each !== null ? holders(each) : [])),
  ];
  for (let times = 1 + Math.floor(chance() ** 2 * 6); times > 0; times--) {
    const all = holders(value);
    const holder = all[below(all.length)] as Record<string, unknown>;
    const keys = Object.keys(holder);
    const key = keys[below(keys.length)] ?? '0';
    const was = holder[key];
    switch (below(8)) {
      case 0:
        holder[key] = values[below(values.length)];
        break;
      case 1:
        holder[key] = words[below(words.length)];
        break;
      case 2:
        if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
        break;
      case 3:
        if (Array.isArray(holder)) holder.push(was);
        else holder[words[below(words.length)] ?? key] = was;
        break;
      case 4: {
        const source = holders(parsed(other()) ?? {});
        holder[key] = source[below(source.length)];
        break;
      }
      case 5:
        if (typeof was === 'number') holder[key] = was + below(5) - 2;
        else holder[key] = all.length > 1 ? structuredClone(all[1 + below(all.length - 1)]) : null;
        break;
      default:
        if (typeof was === 'string') holder[key] = once(was, mutating);
        else holder[key] = [was];
    }
  }
  return value;
}

function once(text: string, { chance, words, other }: Mutating): string {
  const below = (limit: number): number => Math.floor(chance() * limit);
  const one = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)];
  const at = below(text.length + 1);
  const size = 1 + Math.floor(chance() ** 3 * Math.max(1, text.length / 2));
  const spliced = (removed: number, put: string): string => text.slice(0, at) + put + text.slice(at + removed);
  switch (below(11)) {
    case 0:
      return spliced(1, one(odd) ?? '');
    case 1:
      return spliced(0, one(odd) ?? '');
    case 2:
      return spliced(1, String.fromCharCode(32 + below(95)));
    case 3:
      return spliced(size, '');
    case 4:
      return spliced(0, text.slice(at, at + size));
    case 5:
      return spliced(0, one(words) ?? '');
    case 6:
      return spliced(size, one(words) ?? '');
    case 7: {
      const source = other();
      const from = below(source.length);
      return spliced(below(2) * size, source.slice(from, from + size));
    }
    case 8:
      return text.replace(/-?\d+(?!.*\d)|\d/s, (digits) => numberNear(digits, below));
    case 9: {
      const found = [...text.matchAll(/\d+/g)];
      const { 0: digits = '', index = 0 } = one(found) ?? {};
      return digits === ''
        ? text
        : text.slice(0, index) + numberNear(digits, below) + text.slice(index + digits.length);
    }
    default: {
      const source = other();
      return text.slice(0, at) + source.slice(below(source.length + 1));
    }
  }
}

const edges = [
  '0',
  '-1',
  '1',
  '59',
  '60',
  '1e3',
  '1e999',
  '-0',
  '0.1',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9'.repeat(40),
];

function numberNear(digits: string, below: (limit: number) => number): string {
  const edge = edges[below(edges.length * 2)];
  return edge ?? String(Number(digits) + below(5) - 2);
}
