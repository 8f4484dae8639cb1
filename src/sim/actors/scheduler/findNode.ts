// Chooses the node for a pod: a fast path for room, labels and taints, otherwise all rules and then the scores.

import type { Instant } from '../../../time/instant.ts';
import { labelsOf } from '../../kubeObject.ts';
import { isTolerated, type RawNode, type RawPod, type RawPodAffinityTerm, taintsOf } from '../rawObjects.ts';
import { firstOf, hostPortsOf, otherRules } from './feasible.ts';
import { needsOf } from './needs.ts';
import { selectsPod } from './podAffinity.ts';
import type { Rooms } from './rooms.ts';
import { labelAt, type SchedulingView, selects } from './schedulingView.ts';
import { countsOf, isHard } from './spread.ts';
import { claimsOf } from './volumeClaims.ts';

/** One score per node; higher is better. Scores are comparable only among the given nodes. */
type Score = (pod: RawPod, nodes: readonly RawNode[], around: SchedulingView) => readonly number[];

/** The first node with the highest total score. */
function highestScored(pod: RawPod, nodes: readonly RawNode[], around: SchedulingView): RawNode | undefined {
  if (nodes.length < 2) return nodes[0];
  const totals = nodes.map(() => 0);
  for (const { score, weight } of scores)
    for (const [index, value] of normalized(score(pod, nodes, around)).entries())
      totals[index] = (totals[index] ?? 0) + weight * value;
  return nodes[totals.indexOf(Math.max(...totals))];
}

function normalized(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (most > least ? (100 * (value - least)) / (most - least) : 0));
}

const taintScore: Score = ({ spec }, nodes) =>
  nodes.map((node) => {
    const minded = taintsOf(node).filter(({ effect }) => effect === 'PreferNoSchedule');
    return -minded.filter((taint) => !isTolerated(taint, spec?.tolerations)).length;
  });

const nodeScore: Score = ({ spec }, nodes) => {
  const preferredTerms = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return nodes.map((node) => {
    const place = { name: node.metadata.name, labels: labelsOf(node) };
    return sum(
      preferredTerms.map(({ weight, preference }) =>
        selects({ selector: {}, terms: [preference] }, place) ? weight : 0,
      ),
    );
  });
};

/** Fewer matching pods in the domain score higher. */
const spreadScore: Score = (pod, nodes, around) => {
  const soft = (pod.spec?.topologySpreadConstraints ?? []).filter((constraint) => !isHard(constraint));
  const counts = soft.map((constraint) => ({ constraint, counts: countsOf(constraint, soft, { pod, around }) }));
  return nodes.map(
    (node) =>
      -sum(counts.map(({ constraint, counts: by }) => by.get(labelAt(node, constraint.topologyKey) ?? '') ?? 0)),
  );
};

/** The pod's own preferences, and the preferences of placed pods about it. */
const podScore: Score = (pod, nodes, around) => {
  const worth = new Map<string, number>();
  for (const node of around.nodes())
    for (const other of around.podsOn(node.metadata.name)) {
      for (const { term, weight } of preferredTerms(pod))
        if (selectsPod(term, pod, other, { around })) enter(worth, node, term.topologyKey, weight);
      for (const { term, weight } of preferredTerms(other))
        if (selectsPod(term, other, pod, { around, isThere: true })) enter(worth, node, term.topologyKey, weight);
    }
  return nodes.map((node) => sum(Object.entries(labelsOf(node)).map((label) => worth.get(label.join('=')) ?? 0)));
};

function enter(worth: Map<string, number>, node: RawNode, key: string, weight: number): void {
  const value = labelAt(node, key);
  const domain = `${key}=${value}`;
  if (value !== undefined) worth.set(domain, (worth.get(domain) ?? 0) + weight);
}

function preferredTerms({ spec }: RawPod): { readonly term: RawPodAffinityTerm; readonly weight: number }[] {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...near.map(({ weight, podAffinityTerm: term }) => ({ term, weight })),
    ...apart.map(({ weight, podAffinityTerm: term }) => ({ term, weight: -weight })),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const scores: readonly { readonly score: Score; readonly weight: number }[] = [
  { score: taintScore, weight: 3 },
  { score: nodeScore, weight: 2 },
  { score: spreadScore, weight: 2 },
  { score: podScore, weight: 2 },
];

interface NodeSearch {
  readonly rooms: Rooms;
  readonly objects: Pick<SchedulingView, 'get' | 'list'>;
  /** Nodes that changed at or after this instant are skipped. */
  readonly before: Instant;
}

export function findNode(pod: RawPod, search: NodeSearch): string | undefined {
  const { rooms, objects, before } = search;
  const needs = needsOf(pod);
  if (isPlain(pod, search)) return rooms.find(needs, before);
  const around: SchedulingView = {
    nodes: () => rooms.nodes(),
    podsOn: (node) => rooms.podsOn(node),
    get: (kind, key) => objects.get(kind, key),
    list: (kind) => objects.list(kind),
  };
  const judge = firstOf(otherRules.flatMap((rule) => rule(pod, around) ?? []));
  const fitting = rooms.fitting(needs, before).filter((node) => judge(node) === undefined);
  return highestScored(pod, fitting, around)?.metadata.name;
}

/** Only room, labels and taints matter: if the pod does not fit, no pod with the same needs does. */
export const isPlain = (pod: RawPod, { rooms, objects }: NodeSearch): boolean =>
  !hasSpecialRules(pod) && !rooms.guards.repels(pod, objects);

/** The pod has rules about other pods, ports or volumes, or preferences among nodes. */
export function hasSpecialRules(pod: RawPod): boolean {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {};
  return (
    (topologySpreadConstraints ?? []).length > 0 ||
    affinity?.podAffinity !== undefined ||
    affinity?.podAntiAffinity !== undefined ||
    affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined ||
    claimsOf(pod).length > 0 ||
    hostPortsOf(pod).length > 0
  );
}
