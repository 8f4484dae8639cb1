// Where in an object does a field stand? Paths as faults name them: dotted, with `[i]` for places and `[key]` for keys that hold dots.

const plainKey = /^[A-Za-z_][\w-]*$/;
const step = /\[([^\]]*)\]|([^.[\]]+)/g;

/** `spec` + `budgets` + 1 = `spec.budgets[1]`; `metadata.annotations` + `lull.dev/hold` = `metadata.annotations[lull.dev/hold]`. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number' || !plainKey.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The keys and places of a path, from the outside in. */
export function splitPath(path: string): string[] {
  return Array.from(path.matchAll(step), (match) => match[1] ?? match[2] ?? '');
}
