// Field values that occur only by mistake or malice.

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const longText = 'x'.repeat(20_000);
const longList = Array.from({ length: 1500 }, (_, index) => index);
const longMap = Object.fromEntries(longList.map((index) => [`k${index}`, index]));

export interface HostileValue {
  readonly name: string;
  readonly value: unknown;
}

const values: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['0', 0],
  ['-1', -1],
  ['1.5', 1.5],
  ['a whole number beyond 2^53', 1e20],
  ['1e308', 1e308],
  ['1e400', Number.POSITIVE_INFINITY],
  ['.nan', Number.NaN],
  ['no text', ''],
  ['spaces', '   '],
  ['NaN as text', 'NaN'],
  ['400 digits', '9'.repeat(400)],
  ['escape sequences', '\u0000\u001b[2J\u001b]0;x\u0007\n'],
  ['right to left', '\u202eתישארב\u202c'],
  ['a lone surrogate', '\ud800'],
  ['a long text', longText],
  ['an empty list', []],
  ['a list of null', [null]],
  ['a list of lists', [[[]]]],
  ['a long list', longList],
  ['an empty map', {}],
  ['a long map', longMap],
  ['a deep list', deep(150)],
  ['the text __proto__', '__proto__'],
  ['the text constructor', 'constructor'],
  // As JSON.parse creates it: the key is an own field, not the prototype.
  ['a map with __proto__', JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}}')],
  ['a map that looks like an object', { toString: 1, valueOf: null, toJSON: 'x', hasOwnProperty: 1, length: -1 }],
];

export const hostileValues: readonly HostileValue[] = values.map(([name, value]) => ({ name, value }));
