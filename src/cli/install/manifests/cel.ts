// CEL expressions for "only this may differ" between the old and the new object; absent fields count as empty.

/** A CEL string literal. */
export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export const listOf = (texts: readonly string[]): string => `[${texts.map(quote).join(', ')}]`;

export const allOf = (...parts: readonly string[]): string => parts.map((part) => `(${part})`).join(' && ');

/** Other operations have nothing to compare. */
export const onUpdate = (expression: string): string => `request.operation != 'UPDATE' || (${expression})`;

/** The map at `path`, such as `metadata.annotations`, or an empty one. dyn: the object may be of any kind. */
export const mapAt = (root: 'object' | 'oldObject', path: string): string => {
  const steps = path.split('.');
  const places = steps.map((_, index) => [root, ...steps.slice(0, index + 1)].join('.'));
  return `${places.map((place) => `has(${place})`).join(' && ')} ? dyn(${places.at(-1)}) : dyn({})`;
};

/** Two maps that are equal except for these keys, both ways. */
export const sameBut = (is: string, was: string, keys: readonly string[]): string => {
  const free = keys.length === 0 ? '' : `k in ${listOf(keys)} || `;
  return allOf(`${is}.all(k, ${free}(k in ${was} && ${was}[k] == ${is}[k]))`, `${was}.all(k, ${free}k in ${is})`);
};

/** The keys under which two maps differ. */
export const changedKeys = (is: string, was: string): string =>
  `${is}.filter(k, !(k in ${was}) || ${was}[k] != ${is}[k]) + ${was}.filter(k, !(k in ${is}))`;

/** Two lists whose items that do not match `isMeant` are the same, in any order. */
export const sameOthers = (is: string, was: string, isMeant: string): string => {
  const others = (list: string): string => `${list}.filter(it, !(${isMeant}))`;
  return allOf(
    `size(${others(is)}) == size(${others(was)})`,
    `${others(was)}.all(one, ${others(is)}.exists(other, other == one))`,
  );
};
