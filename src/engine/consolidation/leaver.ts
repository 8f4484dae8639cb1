// What is known of a node that is to leave, as far as its price and its pods go?

/** A node that leaves. */
export interface Leaver {
  readonly pool: string;
  /** Undefined = nobody knows. */
  readonly price: number | undefined;
  /** F3. */
  readonly cost: number;
  /** How many of its pods move. */
  readonly pods: number;
  readonly instanceType: string | undefined;
  readonly capacityType: string | undefined;
}

/** What leaves costs so much an hour; undefined where it is not known of one of them. */
export function priceOfAll(leavers: readonly Leaver[]): number | undefined {
  let sum = 0;
  for (const { price } of leavers) {
    if (price === undefined) return undefined;
    sum += price;
  }
  return sum;
}

export const podsOfAll = (leavers: readonly Leaver[]): number => leavers.reduce((sum, { pods }) => sum + pods, 0);
