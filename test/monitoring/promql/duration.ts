// Durations in Prometheus' notation.
const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** In seconds: `1h30m`. */
export function secondsOf(text: string): number {
  if (!/^(\d+(ms|[smhdw]))+$/.test(text)) throw new Error(`not a duration: ${text}`);
  return [...text.matchAll(/(\d+)(ms|[smhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0),
    0,
  );
}
