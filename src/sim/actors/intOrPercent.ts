// How many is "25%" of so many? Kubernetes' IntOrString, which is rounded up for some and down for others.

/** undefined where it is neither a number nor a percentage. */
export function amountOf(value: unknown, total: number, round: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;
  if (percent === undefined) return undefined;
  // Multiplied first, so that what divides exactly stays exact.
  return round === 'up' ? Math.ceil((percent * total) / 100) : Math.floor((percent * total) / 100);
}
