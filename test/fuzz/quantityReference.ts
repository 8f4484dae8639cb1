// An independent reading of Kubernetes quantities: exact fractions of whole numbers, rounded up.

const powers: Readonly<Record<string, readonly [bigint, number]>> = {
  n: [10n, -9],
  u: [10n, -6],
  m: [10n, -3],
  '': [10n, 0],
  k: [10n, 3],
  M: [10n, 6],
  G: [10n, 9],
  T: [10n, 12],
  P: [10n, 15],
  E: [10n, 18],
  Ki: [2n, 10],
  Mi: [2n, 20],
  Gi: [2n, 30],
  Ti: [2n, 40],
  Pi: [2n, 50],
  Ei: [2n, 60],
};

/** The API server caps larger amounts. */
const largest = 2n ** 63n;
/** At most this many digits of an exponent are evaluated; more is out of every range. */
const longestExponent = 4;

/** The amount times `scale`, rounded up; undefined if the text is not a quantity. */
export function quantityCeiling(text: string, scale: bigint): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match;
  if (whole + fraction === '') return undefined;
  if (exponent !== undefined && exponent.replace(/^[+-]?0*/, '').length > longestExponent) {
    const isNothing = /^0*$/.test(whole + fraction) || exponent.startsWith('-');
    return isNothing ? 0n : sign === '-' ? -largest : largest;
  }
  const [base, power] = exponent === undefined ? (powers[suffix] ?? [10n, 0]) : ([10n, Number(exponent)] as const);
  const up = base ** BigInt(Math.max(0, power));
  const down = base ** BigInt(Math.max(0, -power)) * 10n ** BigInt(fraction.length);
  const over = BigInt(`${whole}${fraction}`) * up * scale;
  const exact = sign === '-' ? -(over / down) : (over + down - 1n) / down;
  if (exact > largest) return largest;
  if (exact < -largest) return -largest;
  return exact;
}
