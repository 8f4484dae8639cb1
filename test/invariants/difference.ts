// The first difference between two texts, with a few words around it.

const around = 120;

/** Undefined if they are equal. */
export function difference(one = '', other = ''): string | undefined {
  if (one === other) return undefined;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [before, after] = [one, other].map((text) => text.slice(Math.max(start - around, 0), start + around));
  return `…${before}… and …${after}…`;
}
