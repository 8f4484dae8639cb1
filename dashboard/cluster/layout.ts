// The size of a node's tile: the largest with which all nodes fit on the screen, from cards to dots.

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

/** Smaller tiles have no sign. */
export const signSize = 16;
export const isCard = ({ width, height }: Cell): boolean => width > height;

export interface Room {
  /** The width of one group. */
  readonly width: number;
  readonly count: number;
}

export const columnsIn = (width: number, { width: size, gap }: Cell): number =>
  Math.max(1, Math.floor((width + gap) / (size + gap)));

export const heightOf = ({ width, count }: Room, cell: Cell): number =>
  Math.max(1, Math.ceil(count / columnsIn(width, cell))) * (cell.height + cell.gap) - cell.gap;

/** The largest cell with which all rows of groups fit into the height. */
export function chooseCell(rows: readonly (readonly Room[])[], height: number): Cell {
  const fits = (cell: Cell): boolean =>
    rows.reduce((sum, row) => sum + Math.max(0, ...row.map((room) => heightOf(room, cell))), 0) <= height;
  return cells.find(fits) ?? (cells.at(-1) as Cell);
}

/** The place at a point; undefined = between two columns. */
export function placeAt(x: number, y: number, width: number, cell: Cell): number | undefined {
  const [column, row] = [Math.floor(x / (cell.width + cell.gap)), Math.floor(y / (cell.height + cell.gap))];
  const columns = columnsIn(width, cell);
  return column < 0 || row < 0 || column >= columns ? undefined : row * columns + column;
}
