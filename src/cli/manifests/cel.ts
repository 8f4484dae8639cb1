// How is "only this may differ" said in CEL? Expressions over what an object is and was; whatever is absent counts as empty.

/** As CEL writes a text. */
export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export const listOf = (texts: readonly string[]): string => `[${texts.map(quote).join(', ')}]`;

export const allOf = (...parts: readonly string[]): string => parts.map((part) => `(${part})`).join(' && ');

/** On every other operation than this there is nothing to compare. */
export const onUpdate = (expression: string): string => `request.operation != 'UPDATE' || (${expression})`;

/** `path` such as `metadata.annotations`: of the object, or an empty map. dyn: any kind of object may be meant. */
export const mapAt = (root: 'object' | 'oldObject', path: string): string => {
  const steps = path.split('.');
  const places = steps.map((_, index) => [root, ...steps.slice(0, index + 1)].join('.'));
  return `${places.map((place) => `has(${place})`).join(' && ')} ? dyn(${places.at(-1)}) : dyn({})`;
};

/** Two maps that are alike but for these keys, both ways. */
export const sameBut = (is: string, was: string, keys: readonly string[]): string => {
  const free = keys.length === 0 ? '' : `k in ${listOf(keys)} || `;
  return allOf(`${is}.all(k, ${free}(k in ${was} && ${was}[k] == ${is}[k]))`, `${was}.all(k, ${free}k in ${is})`);
};

/** The keys under which two maps differ. */
export const changedKeys = (is: string, was: string): string =>
  `${is}.filter(k, !(k in ${was}) || ${was}[k] != ${is}[k]) + ${was}.filter(k, !(k in ${is}))`;

/** Two lists of which everything that is not meant is the same, in whatever order. */
export const sameOthers = (is: string, was: string, isMeant: string): string => {
  const others = (list: string): string => `${list}.filter(it, !(${isMeant}))`;
  return allOf(
    `size(${others(is)}) == size(${others(was)})`,
    `${others(was)}.all(one, ${others(is)}.exists(other, other == one))`,
  );
};
