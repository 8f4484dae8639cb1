// How many of some pods does a number or a percentage of a PodDisruptionBudget mean?

const percentage = /^(\d+)%$/;

/** As the disruption controller reads it: percentages round up; undefined where it is neither. */
export function shareOf(value: unknown, pods: number): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? percentage.exec(value)?.[1] : undefined;
  return percent === undefined ? undefined : Math.ceil((Number(percent) * pods) / 100);
}
