// Would this node take such a pod, whatever else runs there? Taints, node selector and affinity, and where its volumes can be had (F6).
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
import type { Obstacle } from './obstacle.ts';
import { type VolumeRule, zoneKeys } from './volumeRule.ts';

/** Plain data. */
export interface Rule {
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector?: NodeSelector;
  readonly volumes?: VolumeRule;
  /** Its pods are placed nowhere. */
  readonly isUncounted?: true;
}

/** Nodes that are alike as far as anybody asks. */
export interface Place {
  /** Empty where nobody asks for names. */
  readonly name: string;
  readonly labels: TextMap;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
}

const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** PreferNoSchedule is a wish, not a rule. */
export const toleratesAll = (tolerations: readonly Toleration[], { taints }: Place): boolean =>
  taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(tolerations, taint));

/** Whether it may go to a node that is cordoned, taint or not. */
const mayCome = (tolerations: readonly Toleration[], place: Place): boolean =>
  toleratesAll(tolerations, place) && (!place.unschedulable || tolerates(tolerations, cordoned));

export const isSelected = (selector: NodeSelector | undefined, { name, labels }: Place): boolean =>
  selector === undefined || matchesNode(selector, name, labels);

/** The first thing that keeps it off; undefined = nothing does. */
export function obstacleAt(rule: Rule, place: Place): Obstacle | undefined {
  const { tolerations, nodeSelector, volumes } = rule;
  if (rule.isUncounted) return 'uncounted';
  if (!mayCome(tolerations, place)) return 'taint';
  if (!isSelected(nodeSelector, place)) return isSelected(withoutZone(nodeSelector), place) ? 'zone' : 'selector';
  return volumes && !hasVolumes(volumes, place) ? 'volume' : undefined;
}

/** Some term of each list must hold. A volume's zone and region labels bind only nodes that have such labels at all. */
function hasVolumes({ isNowhere, terms, zones }: VolumeRule, { name, labels }: Place): boolean {
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

/** The same but for the zone, so that a person is told what is wrong with most nodes: they stand in another one. */
function withoutZone(selector: NodeSelector | undefined): NodeSelector | undefined {
  if (!selector) return undefined;
  const { [label.zone]: _, ...labels } = selector.labels;
  const terms = selector.terms?.map(({ labels: own, names }) => ({
    labels: [...own.filter(({ key }) => key !== label.zone), anything],
    names,
  }));
  return { labels, ...(terms && { terms }) };
}

/** Holds everywhere, and keeps a term from being empty. */
const anything: Requirement = { key: 'lull.dev/none', operator: 'DoesNotExist', values: [] };

/** The label keys a rule asks nodes for. */
export function* keysAsked({ nodeSelector, volumes }: Rule): Generator<string, void> {
  yield* Object.keys(nodeSelector?.labels ?? {});
  yield* keysOfTerms(nodeSelector?.terms ?? []);
  if (!volumes) return;
  for (const some of volumes.terms) yield* keysOfTerms(some);
  if (volumes.zones.length > 0) yield* zoneKeys;
}

export function* keysOfTerms(terms: readonly NodeTerm[]): Generator<string, void> {
  for (const { labels } of terms) for (const { key } of labels) yield key;
}

export const asksNames = ({ nodeSelector, volumes }: Rule): boolean =>
  [nodeSelector?.terms ?? [], ...(volumes?.terms ?? [])].flat().some(({ names }) => names.length > 0);

/** A preferred term of node affinity; one with nothing in it prefers nothing. */
export const prefers = ({ labels, names }: NodeTerm, place: Place): boolean =>
  labels.length + names.length > 0 &&
  matchesAll(labels, place.labels) &&
  names.every((requirement) => matchesAll([{ ...requirement, key: 'name' }], { name: place.name }));
