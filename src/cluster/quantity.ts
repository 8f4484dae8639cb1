// Kubernetes quantities ("1500m", "16Gi") as numbers: cpu in millicores, everything else in whole units.

/** By resource name. cpu in millicores, memory and storage in bytes, everything else in units. */
export type Resources = Readonly<Record<string, number>>;

const decimal: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
};
const binary: Record<string, number> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 };
const form = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** The value in whole units; undefined if the text is not a quantity. */
function parseQuantity(text: string | number): number | undefined {
  const match = form.exec(String(text).trim());
  if (!match) return undefined;
  const [, digits, exponent, suffix = ''] = match;
  if (exponent) return Number(`${digits}${exponent}`);
  return Number(digits) * (decimal[suffix] ?? binary[suffix] ?? 1);
}

/** A Kubernetes resource list as numbers. Entries that are not quantities are left out. */
export function parseResources(list: Readonly<Record<string, unknown>> | undefined): Resources {
  const resources: Record<string, number> = {};
  for (const [name, value] of Object.entries(list ?? {})) {
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const amount = parseQuantity(value);
    // Rounded up, as the API server does: a request of 0.1m counts as 1m.
    if (amount !== undefined) resources[name] = Math.ceil(capped(roundOff(name === 'cpu' ? amount * 1000 : amount)));
  }
  return resources;
}

/** The API server's cap. Without it, 1e300 would become infinite, and a node's free amount NaN. */
const largest = 2 ** 63;
const capped = (value: number): number => Math.max(-largest, Math.min(largest, value));

/** 0.1 × 1000 is not always 100 in floating point. A quantity cannot express less than a millionth. */
const roundOff = (value: number): number => Math.round(value * 1e6) / 1e6;

/** For messages: "1.5 cpu", "16 GiB memory". */
export function formatAmount(name: string, amount: number): string {
  if (name === 'cpu') return `${amount / 1000} cpu`;
  if (name !== 'memory' && !name.includes('storage')) return `${amount} ${name}`;
  for (const unit of ['Ti', 'Gi', 'Mi', 'Ki']) {
    const size = binary[unit] ?? Infinity;
    if (amount >= size) return `${Math.round((amount / size) * 10) / 10} ${unit}B ${name}`;
  }
  return `${amount} B ${name}`;
}
