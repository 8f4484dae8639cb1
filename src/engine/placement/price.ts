// Prices of nodes, as far as known (F5), and how they are compared and formatted.
import { memo } from '../../cluster/memo.ts';
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';

/** Per hour; undefined if neither the catalogue nor a label has a price. */
export type PriceOf = (view: NodeView) => number | undefined;

/** For many nodes: indexes the catalogue once and returns the same function while it is unchanged. */
export const pricesOf = ({ catalogue }: Settings): PriceOf => pricesIn(catalogue);

const pricesIn = memo((catalogue: Settings['catalogue']): PriceOf => {
  const types = new Map<string, InstanceType>();
  for (const type of catalogue) if (!types.has(type.name)) types.set(type.name, type);
  return ({ node }) => priceIn(node.labels, types.get(node.labels[label.instanceType] ?? ''));
});

/** Per hour; undefined if neither the catalogue nor a label has a price. */
export const priceOf = (view: NodeView, settings: Settings): number | undefined => pricesOf(settings)(view);

function priceIn(labels: NodeView['node']['labels'], type: InstanceType | undefined): number | undefined {
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === labels[label.zone] && capacityType === labels[label.capacityType],
  );
  if (offering) return offering.price;
  const written = Number(labels[label.price]);
  return written > 0 ? written : undefined;
}

/** The settings plus the instance types from Karpenter's metrics. The catalogue takes precedence. */
export const withTypes = (settings: Settings, types: readonly InstanceType[] | undefined): Settings =>
  types && types.length > 0 ? merged(settings, types) : settings;

const merged = memo((settings: Settings, types: readonly InstanceType[]): Settings => {
  const own = settings.catalogue;
  const names = new Set(own.map(({ name }) => name));
  return { ...settings, catalogue: [...own, ...types.filter(({ name }) => !names.has(name))] };
});

/** Tolerance: prices are sums of fractions, and their last digits are rounding errors. */
const nothing = 1e-9;

export const isMoreThan = (a: number, b: number): boolean => a > b + nothing;

/** Rounded to four decimals. */
export const formatPrice = (amount: number): string => String(Number(amount.toFixed(4)));
