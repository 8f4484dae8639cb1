// Of the types that would hold the pods, which may be launched so that it is sure to be cheaper? As Karpenter filters them.
import type { Settings } from '../../cluster/settings.ts';
import type { Shape } from '../placement/shapes.ts';
import { isMoreThan, price as say } from './money.ts';

/** One instance type of one pool, and where it can be had. */
export interface LaunchType {
  readonly name: string;
  readonly offers: readonly Offer[];
}

/** Available, and allowed by the pool. */
export interface Offer {
  readonly shape: Shape;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  /** Whether all pods that need a new node fit on it there. */
  readonly holds: boolean;
}

export interface LaunchQuestion {
  readonly types: readonly LaunchType[];
  /** Of the pool: so many different values of a label must remain. */
  readonly minValues: readonly MinValues[];
  readonly leaving: readonly LeavingNode[];
  readonly podsMoved: number;
  readonly rules: Thrift;
}

export type Thrift = Pick<Settings, 'minimumSavings' | 'podMoveCost' | 'spotToSpot'>;

export interface MinValues {
  readonly key: string;
  readonly least: number;
}

export interface LeavingNode {
  readonly price: number;
  readonly instanceType: string | undefined;
  readonly capacityType: string | undefined;
}

export interface LaunchPlan {
  /** Any of these, the cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly zones: readonly string[];
  /** The cheapest way to launch the first of them: what it will most likely be. */
  readonly shape: Shape;
  readonly price: number;
}

/** Why none may be launched. */
export interface NotLaunched {
  readonly why: string;
  /** A setting of Lull's own stands against it: another type would not help. */
  readonly isSetting?: true;
}

/** What a launch takes first where there is a choice. */
const capacityOrder = ['reserved', 'spot', 'on-demand'];

/** Spot nodes are replaced by spot nodes only where so many types remain that the new one is not interrupted at once. */
const leastSpotTypes = 15;

/** As many as any minValues may ask for; the ledger is no place for more. */
const mostTypes = 50;

export function chooseLaunch(question: LaunchQuestion): LaunchPlan | NotLaunched {
  const { leaving, rules, minValues } = question;
  const holding = question.types.filter(({ offers }) => offers.some(({ holds }) => holds));
  const isSpotToSpot = leaving.every(({ capacityType }) => capacityType === 'spot') && holding.some(maySpot);
  if (isSpotToSpot && !rules.spotToSpot)
    return { why: 'it is spot and so would its replacement be, and spotToSpot is off', isSetting: true };
  const pinned = pinCapacity(isSpotToSpot ? holding.map(onlySpot).filter(isLeft) : holding, question);
  const cheaper = dropTakenTypes(pinned, leaving);
  if (cheaper.length === 0) return notCheaper(holding, question);
  const lacking = minValues.find((it) => valuesOf(it.key, cheaper) < it.least);
  if (lacking) return { why: tooFew(lacking, cheaper, leaving) };
  const isAlone = isSpotToSpot && leaving.length === 1;
  if (isAlone && cheaper.length < leastSpotTypes)
    return { why: `of ${leastSpotTypes} cheaper spot types that spotToSpot asks for there are ${cheaper.length}` };
  return planOf(cheapestOf(cheaper, isAlone ? leastSpotTypes : mostTypes, minValues));
}

const maySpot = ({ offers }: LaunchType): boolean => offers.some((it) => it.holds && it.capacityType === 'spot');

const onlySpot = (type: LaunchType): LaunchType => onlyOffers(type, ({ capacityType }) => capacityType === 'spot');

const onlyOffers = ({ name, offers }: LaunchType, isMeant: (offer: Offer) => boolean): LaunchType => ({
  name,
  offers: offers.filter(isMeant),
});

const isLeft = ({ offers }: LaunchType): boolean => offers.length > 0;

/** A type as it may be launched, and the most that it may cost then. */
interface Priced extends LaunchType {
  readonly cheapest: number;
  readonly dearest: number;
}

/**
 * Those that are cheaper at their dearest, in the kind of capacity that a launch takes first, and in the zones where the pods fit. What
 * was counted as spot must not be launched as on-demand.
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

/** What it costs at worst, in the kind of capacity that is taken first. */
function dearest(type: LaunchType): number {
  const kind = firstKind([type]);
  const compatible = type.offers.filter(({ holds, capacityType }) => holds && capacityType === kind);
  return Math.max(...compatible.map(({ price }) => price));
}

const cheapest = ({ offers }: LaunchType): number => Math.min(...offers.map(({ price }) => price));

const priceOf = (leaving: readonly LeavingNode[]): number => leaving.reduce((sum, { price }) => sum + price, 0);

/** ★ Saves something, and as much as the settings ask for. */
function isWorth(newPrice: number, { leaving, podsMoved, rules }: LaunchQuestion): boolean {
  const old = priceOf(leaving);
  const savings = old - newPrice;
  return isMoreThan(savings, podsMoved * rules.podMoveCost) && !isMoreThan((old * rules.minimumSavings) / 100, savings);
}

/**
 * Where a type is launched that leaves as well, the same could be had by leaving one of them: then only what is cheaper than the cheapest
 * of those is worth it. Never the same type at the same price.
 */
function dropTakenTypes(types: readonly Priced[], leaving: readonly LeavingNode[]): readonly Priced[] {
  const names = new Set(types.map(({ name }) => name));
  const taken = leaving.filter(({ instanceType }) => instanceType !== undefined && names.has(instanceType));
  const least = Math.min(...taken.map(({ price }) => price));
  return types.filter((type) => isMoreThan(least, type.dearest));
}

const valuesOf = (key: string, types: readonly LaunchType[]): number =>
  new Set(types.flatMap(({ offers }) => offers.flatMap(({ shape }) => shape.labels[key] ?? []))).size;

/** The cheapest so many, or as many as minValues need. */
function cheapestOf(types: readonly Priced[], most: number, minValues: readonly MinValues[]): readonly Priced[] {
  let length = most;
  while (length < types.length && minValues.some(({ key, least }) => valuesOf(key, types.slice(0, length)) < least))
    length++;
  return types.slice(0, length);
}

function planOf(types: readonly Priced[]): LaunchPlan {
  const [first] = types as [Priced, ...Priced[]];
  const offers = types.flatMap((type) => type.offers);
  const likely = first.offers.reduce((best, it) => (it.price < best.price ? it : best));
  return {
    instanceTypes: types.map(({ name }) => name),
    capacityTypes: eachOnce(offers.map(({ capacityType }) => capacityType)),
    zones: eachOnce(offers.map(({ zone }) => zone)),
    shape: likely.shape,
    price: likely.price,
  };
}

const eachOnce = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

/** With figures: what leaves, and what would come. */
function notCheaper(types: readonly LaunchType[], { leaving, podsMoved, rules }: LaunchQuestion): NotLaunched {
  const old = priceOf(leaving);
  const best = types
    .map((type) => ({ name: type.name, price: dearest(type) }))
    .reduce((least, it) => (it.price < least.price ? it : least));
  const savings = old - best.price;
  if (!isMoreThan(savings, 0))
    return {
      why: `the cheapest replacement, ${best.name}, may cost ${say(best.price)} an hour, and ${say(old)} would leave`,
    };
  const saved = `a replacement by ${best.name} saves ${say(savings)} an hour`;
  const share = (old * rules.minimumSavings) / 100;
  if (isMoreThan(share, savings))
    return {
      why: `${saved} of ${say(old)}, and minimumSavings asks for ${rules.minimumSavings} % of it`,
      isSetting: true,
    };
  if (!isMoreThan(savings, podsMoved * rules.podMoveCost))
    return {
      why: `${saved} for ${podsMoved} pods moved, and podMoveCost asks for more than ${say(podsMoved * rules.podMoveCost)}`,
      isSetting: true,
    };
  return { why: `${saved}, but then one of the same type could as well stay` };
}

const tooFew = ({ key, least }: MinValues, types: readonly LaunchType[], leaving: readonly LeavingNode[]): string =>
  `of what is cheaper than ${say(priceOf(leaving))} an hour there are ${valuesOf(key, types)} values of ${key}, and minValues asks for ${least}`;
