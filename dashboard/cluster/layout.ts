// How large is a node drawn? As large as all of them fit on the screen: a card with words for six, a dot for ten thousand.

export interface Cell {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

const cells: readonly Cell[] = [
  { width: 144, height: 58, gap: 7 },
  { width: 124, height: 46, gap: 6 },
  { width: 92, height: 34, gap: 5 },
  ...[30, 24, 20, 16, 13, 11, 9, 7, 6, 5, 4].map((size) => ({
    width: size,
    height: size,
    gap: size > 13 ? 3 : size > 6 ? 2 : 1,
  })),
];

/** Below this there is no room for a sign. */
export const signSize = 16;
export const isCard = ({ width, height }: Cell): boolean => width > height;

export interface Room {
  /** Of one group. */
  readonly width: number;
  readonly count: number;
}

export const columnsIn = (width: number, { width: size, gap }: Cell): number =>
  Math.max(1, Math.floor((width + gap) / (size + gap)));

export const heightOf = ({ width, count }: Room, cell: Cell): number =>
  Math.max(1, Math.ceil(count / columnsIn(width, cell))) * (cell.height + cell.gap) - cell.gap;

/** `rows`: groups that stand side by side. The largest cell with which all rows together are no higher than that. */
export function chooseCell(rows: readonly (readonly Room[])[], height: number): Cell {
  const fits = (cell: Cell): boolean =>
    rows.reduce((sum, row) => sum + Math.max(0, ...row.map((room) => heightOf(room, cell))), 0) <= height;
  return cells.find(fits) ?? (cells.at(-1) as Cell);
}

/** Which place is at this point; undefined = between two. */
export function placeAt(x: number, y: number, width: number, cell: Cell): number | undefined {
  const [column, row] = [Math.floor(x / (cell.width + cell.gap)), Math.floor(y / (cell.height + cell.gap))];
  const columns = columnsIn(width, cell);
  return column < 0 || row < 0 || column >= columns ? undefined : row * columns + column;
}
