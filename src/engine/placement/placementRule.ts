// A pod's rules about nodes, independent of other pods: taints, node selector and affinity, volume topology (F6).
import type { Taint, Toleration } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { tolerates } from '../../cluster/pod.ts';
import {
  labelOf,
  matchesAll,
  matchesNode,
  type NodeSelector,
  type NodeTerm,
  type Requirement,
  type TextMap,
} from '../../cluster/selector.ts';
import { type VolumeRule, zoneKeys } from './volumeRule.ts';

/** What can keep a pod off a node. */
export const obstacles = [
  'room',
  'taint',
  'selector',
  'zone',
  'spread',
  'affinity',
  'antiAffinity',
  'port',
  'volume',
  'attachments',
  'uncounted',
] as const;

export type Obstacle = (typeof obstacles)[number];

/** Plain data. */
export interface PlacementRule {
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector?: NodeSelector;
  readonly volumes?: VolumeRule;
  /** Its pods are never placed, because Lull does not evaluate them. */
  readonly isUncounted?: true;
}

/** The traits of a node that rules look at. Nodes with equal traits are interchangeable for them. */
export interface RowTraits {
  /** Empty if no rule asks for names. */
  readonly name: string;
  readonly labels: TextMap;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
}

const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** PreferNoSchedule is only a preference. */
export const toleratesAll = (tolerations: readonly Toleration[], { taints }: RowTraits): boolean =>
  taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(tolerations, taint));

/** Tolerates all taints and, if the node is cordoned, that too, even without the taint. */
const mayCome = (tolerations: readonly Toleration[], place: RowTraits): boolean =>
  toleratesAll(tolerations, place) && (!place.unschedulable || tolerates(tolerations, cordoned));

export const isSelected = (selector: NodeSelector | undefined, { name, labels }: RowTraits): boolean =>
  selector === undefined || matchesNode(selector, name, labels);

/** The first obstacle; undefined = none. */
export function obstacleAt(rule: PlacementRule, place: RowTraits): Obstacle | undefined {
  const { tolerations, nodeSelector, volumes } = rule;
  if (rule.isUncounted) return 'uncounted';
  if (!mayCome(tolerations, place)) return 'taint';
  if (!isSelected(nodeSelector, place)) return isSelected(withoutZone(nodeSelector), place) ? 'zone' : 'selector';
  return volumes && !hasVolumes(volumes, place) ? 'volume' : undefined;
}

/** One term of each list must hold. A volume's zone and region labels restrict only nodes that have such labels. */
function hasVolumes({ isNowhere, terms, zones }: VolumeRule, { name, labels }: RowTraits): boolean {
  if (isNowhere) return false;
  if (!terms.every((some) => matchesNode({ labels: {}, terms: some }, name, labels))) return false;
  if (zones.length === 0 || !zoneKeys.some((key) => labelOf(labels, key) !== undefined)) return true;
  return zones.every(({ key, values }) => {
    const value = labelOf(labels, key) ?? labelOf(labels, currentZoneKey(key));
    return value !== undefined && values.includes(value);
  });
}

const currentZoneKey = (key: string): string =>
  key.replace('failure-domain.beta.kubernetes.io/', 'topology.kubernetes.io/');

/** The same selector without the zone, so that the message can say "wrong zone" instead of "selector". */
function withoutZone(selector: NodeSelector | undefined): NodeSelector | undefined {
  if (!selector) return undefined;
  const { [label.zone]: _, ...labels } = selector.labels;
  const terms = selector.terms?.map(({ labels: own, names }) => ({
    labels: [...own.filter(({ key }) => key !== label.zone), anything],
    names,
  }));
  return { labels, ...(terms && { terms }) };
}

/** Always holds, and keeps a term from being empty. */
const anything: Requirement = { key: 'lull.dev/none', operator: 'DoesNotExist', values: [] };

/** The label keys a rule asks nodes for. */
export function* keysAsked({ nodeSelector, volumes }: PlacementRule): Generator<string, void> {
  yield* Object.keys(nodeSelector?.labels ?? {});
  yield* keysOfTerms(nodeSelector?.terms ?? []);
  if (!volumes) return;
  for (const some of volumes.terms) yield* keysOfTerms(some);
  if (volumes.zones.length > 0) yield* zoneKeys;
}

export function* keysOfTerms(terms: readonly NodeTerm[]): Generator<string, void> {
  for (const { labels } of terms) for (const { key } of labels) yield key;
}

export const asksNames = ({ nodeSelector, volumes }: PlacementRule): boolean =>
  [nodeSelector?.terms ?? [], ...(volumes?.terms ?? [])].flat().some(({ names }) => names.length > 0);

/** Whether a node matches a preferred node affinity term. An empty term matches nothing. */
export const prefers = ({ labels, names }: NodeTerm, place: RowTraits): boolean =>
  labels.length + names.length > 0 &&
  matchesAll(labels, place.labels) &&
  names.every((requirement) => matchesAll([{ ...requirement, key: 'name' }], { name: place.name }));
