// Which lines differ between two texts? The shortest way from one to the other, with a few lines around each change.

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Beyond so many comparisons the middle is told as replaced as a whole: no one reads a thousand changes. */
const mostWork = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const middle = between(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ sign: ' ', text }));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

function between(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  if (before.length * after.length > mostWork) return [...before.map(removed), ...after.map(added)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i] as string, after[j] as string];
    if (i < before.length && j < after.length && left === right) {
      lines.push({ sign: ' ', text: left });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common(i + 1, j) >= common(i, j + 1))) {
      lines.push(removed(left));
      i++;
    } else {
      lines.push(added(right));
      j++;
    }
  }
  return lines;
}

/** How many lines the rests have in common, from a line of each on. */
function commonLengths(before: readonly string[], after: readonly string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** The changes with so many lines around them; what is left out between two is one empty line with `…`. */
export function withContext(lines: readonly DiffLine[], around: number): DiffLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    for (let near = Math.max(0, index - around); near <= Math.min(lines.length - 1, index + around); near++)
      isNear[near] = true;
  });
  return lines.flatMap((line, index): DiffLine[] => {
    if (isNear[index]) return [line];
    const isFirst = index > 0 && isNear[index - 1] === true;
    return isFirst && isNear.includes(true, index) ? [{ sign: ' ', text: '…' }] : [];
  });
}
