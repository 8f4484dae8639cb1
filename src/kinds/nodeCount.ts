// How many nodes are "3" or "10%"? Counts and percentages of budgets, windows and settings.
import type { NodeCount } from '../cluster/model.ts';

const maxInt32 = 2 ** 31 - 1;

export const useNodeCount = `Use a whole number up to ${maxInt32}, such as "3", or a percentage from "0%" to "100%".`;

export function parseNodeCount(value: unknown): NodeCount | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? countOf(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const match = /^(\d+)(%?)$/.exec(value);
  if (!match) return undefined;
  const number = Number(match[1]);
  if (match[2] === '') return countOf(number);
  return number <= 100 ? { percent: number } : undefined;
}

/** Karpenter silently wraps larger counts around to something else. */
const countOf = (count: number): NodeCount | undefined => (count >= 0 && count <= maxInt32 ? { count } : undefined);

export const formatNodeCount = (nodes: NodeCount): string =>
  'count' in nodes ? String(nodes.count) : `${nodes.percent}%`;
