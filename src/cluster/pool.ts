// Does a pool say the same as before? Its status changes with every node, and most of that is nothing that any rule reads.
import type { Pool } from './model.ts';

export const saysTheSame = (a: Pool, b: Pool): boolean => meaningOf(a) === meaningOf(b);

/** All of it as text; of a window what people call it. */
const meaningOf = (pool: Pool): string =>
  JSON.stringify(pool, (_, value: unknown) => {
    if (value instanceof Set) return [...value];
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  });
