// Chooses the instance types to launch as a replacement, filtered as Karpenter does so that any of them is cheaper.
import type { Settings } from '../../cluster/settings.ts';
import type { NodeShape } from '../placement/nodeShapes.ts';
import { formatPrice, isMoreThan } from '../placement/price.ts';

/** An instance type of a pool and its offerings. */
export interface LaunchType {
  readonly name: string;
  readonly offers: readonly Offer[];
}

/** An offering that is available and allowed by the pool. */
export interface Offer {
  readonly shape: NodeShape;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  /** Whether all pods that need a new node fit on it. */
  readonly holds: boolean;
}

export interface LaunchQuestion {
  readonly types: readonly LaunchType[];
  /** The pool's minValues requirements. */
  readonly minValues: readonly MinValues[];
  readonly leaving: readonly LeavingNode[];
  readonly podsMoved: number;
  readonly rules: SavingsRules;
}

export type SavingsRules = Pick<Settings, 'minimumSavings' | 'podMoveCost' | 'spotToSpot'>;

export interface MinValues {
  readonly key: string;
  readonly least: number;
}

interface LeavingNode {
  readonly price: number;
  readonly instanceType: string | undefined;
  readonly capacityType: string | undefined;
}

export interface LaunchPlan {
  /** Cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly zones: readonly string[];
  /** The cheapest offering of the first type: what will most likely be launched. */
  readonly shape: NodeShape;
  readonly price: number;
}

/** Why nothing is launched. */
export interface NotLaunched {
  readonly why: string;
  /** One of Lull's settings prevents it: other instance types would not help. */
  readonly isSetting?: true;
}

/** The capacity types in the order in which Karpenter prefers them. */
const capacityOrder = ['reserved', 'spot', 'on-demand'];

/** A spot node is replaced by a spot node only if at least this many types remain, so that the new one is not interrupted soon. */
const leastSpotTypes = 15;

/** The maximum of minValues. More would only fill the ledger. */
const mostTypes = 50;

export function chooseLaunch(question: LaunchQuestion): LaunchPlan | NotLaunched {
  const { leaving, rules, minValues } = question;
  const holding = question.types.filter(({ offers }) => offers.some(({ holds }) => holds));
  const isSpotToSpot = leaving.every(({ capacityType }) => capacityType === 'spot') && holding.some(maySpot);
  if (isSpotToSpot && !rules.spotToSpot)
    return { why: 'it is a spot node, its replacement would be spot too, and spotToSpot is off', isSetting: true };
  const pinned = pinCapacity(isSpotToSpot ? holding.map(onlySpot).filter(isLeft) : holding, question);
  const cheaper = dropTakenTypes(pinned, leaving);
  if (cheaper.length === 0) return notCheaper(holding, question);
  const lacking = minValues.find((it) => valuesOf(it.key, cheaper) < it.least);
  if (lacking) return { why: tooFew(lacking, cheaper, leaving) };
  const isAlone = isSpotToSpot && leaving.length === 1;
  if (isAlone && cheaper.length < leastSpotTypes)
    return { why: `spotToSpot requires ${leastSpotTypes} cheaper spot instance types, found ${cheaper.length}` };
  return planOf(cheapestOf(cheaper, isAlone ? leastSpotTypes : mostTypes, minValues));
}

const maySpot = ({ offers }: LaunchType): boolean => offers.some((it) => it.holds && it.capacityType === 'spot');

const onlySpot = (type: LaunchType): LaunchType => onlyOffers(type, ({ capacityType }) => capacityType === 'spot');

const onlyOffers = ({ name, offers }: LaunchType, isMeant: (offer: Offer) => boolean): LaunchType => ({
  name,
  offers: offers.filter(isMeant),
});

const isLeft = ({ offers }: LaunchType): boolean => offers.length > 0;

/** A type with the offerings that may be launched, and their lowest and highest price. */
interface Priced extends LaunchType {
  readonly cheapest: number;
  readonly dearest: number;
}

/**
 * The types whose most expensive offering is still cheaper, limited to the preferred capacity type and to zones where the pods fit. What
 * was priced as spot must not be launched as on-demand.
 */
function pinCapacity(types: readonly LaunchType[], question: LaunchQuestion): readonly Priced[] {
  const worthy = types.filter((type) => isWorth(dearest(type), question));
  const kind = firstKind(worthy);
  const ofKind = worthy.map((type) => onlyOffers(type, ({ capacityType }) => capacityType === kind));
  const unfit = new Set(ofKind.flatMap(({ offers }) => offers.flatMap(({ zone, holds }) => (holds ? [] : [zone]))));
  return ofKind
    .map((type) => onlyOffers(type, ({ zone }) => !unfit.has(zone)))
    .filter(isLeft)
    .map((type) => ({ ...type, cheapest: cheapest(type), dearest: dearest(type) }))
    .sort((a, b) => a.cheapest - b.cheapest || (a.name < b.name ? -1 : 1));
}

const rank = (capacityType: string): number => (capacityOrder.indexOf(capacityType) + 4) % 4;

const firstKind = (types: readonly LaunchType[]): string | undefined =>
  types
    .flatMap(({ offers }) => offers.filter(({ holds }) => holds).map(({ capacityType }) => capacityType))
    .reduce<string | undefined>((first, it) => (first === undefined || rank(it) < rank(first) ? it : first), undefined);

/** The highest price, in the capacity type that is preferred. */
function dearest(type: LaunchType): number {
  const kind = firstKind([type]);
  const compatible = type.offers.filter(({ holds, capacityType }) => holds && capacityType === kind);
  return Math.max(...compatible.map(({ price }) => price));
}

const cheapest = ({ offers }: LaunchType): number => Math.min(...offers.map(({ price }) => price));

const priceOf = (leaving: readonly LeavingNode[]): number => leaving.reduce((sum, { price }) => sum + price, 0);

/** Saves something, and at least as much as the settings require. */
function isWorth(newPrice: number, { leaving, podsMoved, rules }: LaunchQuestion): boolean {
  const old = priceOf(leaving);
  const savings = old - newPrice;
  return isMoreThan(savings, podsMoved * rules.podMoveCost) && !isMoreThan((old * rules.minimumSavings) / 100, savings);
}

/**
 * If a launchable type is also one of the removed ones, keeping one of those nodes would do as well. Then only types that are cheaper than
 * the cheapest of those are worth it, so a node is never replaced by the same type at the same price.
 */
function dropTakenTypes(types: readonly Priced[], leaving: readonly LeavingNode[]): readonly Priced[] {
  const names = new Set(types.map(({ name }) => name));
  const taken = leaving.filter(({ instanceType }) => instanceType !== undefined && names.has(instanceType));
  const least = Math.min(...taken.map(({ price }) => price));
  return types.filter((type) => isMoreThan(least, type.dearest));
}

const valuesOf = (key: string, types: readonly LaunchType[]): number =>
  new Set(types.flatMap(({ offers }) => offers.flatMap(({ shape }) => shape.labels[key] ?? []))).size;

/** The cheapest `most` types, or as many as minValues require. */
function cheapestOf(types: readonly Priced[], most: number, minValues: readonly MinValues[]): readonly Priced[] {
  let length = most;
  while (length < types.length && minValues.some(({ key, least }) => valuesOf(key, types.slice(0, length)) < least))
    length++;
  return types.slice(0, length);
}

function planOf(types: readonly Priced[]): LaunchPlan {
  const offers = types.flatMap((type) => type.offers);
  const likely = (types[0]?.offers ?? []).reduce((best, it) => (it.price < best.price ? it : best));
  return {
    instanceTypes: types.map(({ name }) => name),
    capacityTypes: eachOnce(offers.map(({ capacityType }) => capacityType)),
    zones: eachOnce(offers.map(({ zone }) => zone)),
    shape: likely.shape,
    price: likely.price,
  };
}

const eachOnce = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

/** The message with the prices of the removed nodes and the best replacement. */
function notCheaper(types: readonly LaunchType[], { leaving, podsMoved, rules }: LaunchQuestion): NotLaunched {
  const old = priceOf(leaving);
  const best = types
    .map((type) => ({ name: type.name, price: dearest(type) }))
    .reduce((least, it) => (it.price < least.price ? it : least));
  const savings = old - best.price;
  if (!isMoreThan(savings, 0))
    return {
      why: `the cheapest replacement, ${best.name}, may cost ${formatPrice(best.price)} per hour (now ${formatPrice(old)})`,
    };
  const saved = `a replacement by ${best.name} saves ${formatPrice(savings)} per hour`;
  const share = (old * rules.minimumSavings) / 100;
  if (isMoreThan(share, savings))
    return {
      why: `${saved} of ${formatPrice(old)}; minimumSavings requires ${rules.minimumSavings}%`,
      isSetting: true,
    };
  if (!isMoreThan(savings, podsMoved * rules.podMoveCost))
    return {
      why: `${saved} for ${podsMoved} moved pods; podMoveCost requires more than ${formatPrice(podsMoved * rules.podMoveCost)}`,
      isSetting: true,
    };
  return { why: `${saved}, but keeping one of the nodes of that type would do as well` };
}

const tooFew = ({ key, least }: MinValues, types: readonly LaunchType[], leaving: readonly LeavingNode[]): string =>
  `the types cheaper than ${formatPrice(priceOf(leaving))} per hour have ${valuesOf(key, types)} values of ${key}; minValues requires ${least}`;
