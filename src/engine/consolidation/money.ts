// How are prices compared, and how are they said? They are sums of fractions: the last digits mean nothing.

/** Less than anybody is billed. */
const nothing = 1e-9;

export const isMoreThan = (a: number, b: number): boolean => a > b + nothing;

/** An amount an hour, to the tenth of a cent of a cent. */
export const price = (amount: number): string => String(Number(amount.toFixed(4)));
