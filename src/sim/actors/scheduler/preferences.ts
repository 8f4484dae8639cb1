// Which of the nodes it could go to would a pod like best? Kubernetes' scores for what is preferred, each from 0 to 100, weighed as by default.
import type { Node, Pod, PodAffinityTerm } from '../manifest.ts';
import { isTolerated, taintsOf } from '../taints.ts';
import { selects } from './admits.ts';
import { type Around, labelAt, labelsOf } from './around.ts';
import { means } from './podAffinity.ts';
import { countsOf, isHard } from './spread.ts';

/** More is better; what they are worth is only known among those asked about. */
type Score = (pod: Pod, nodes: readonly Node[], around: Around) => readonly number[];

/** The first of the best. */
export function likedBest(pod: Pod, nodes: readonly Node[], around: Around): Node | undefined {
  if (nodes.length < 2) return nodes[0];
  const totals = nodes.map(() => 0);
  for (const { score, weight } of scores)
    for (const [index, value] of normal(score(pod, nodes, around)).entries())
      totals[index] = (totals[index] ?? 0) + weight * value;
  return nodes[totals.indexOf(Math.max(...totals))];
}

function normal(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (most > least ? (100 * (value - least)) / (most - least) : 0));
}

const taintScore: Score = ({ spec }, nodes) =>
  nodes.map((node) => {
    const minded = taintsOf(node).filter(({ effect }) => effect === 'PreferNoSchedule');
    return -minded.filter((taint) => !isTolerated(taint, spec?.tolerations)).length;
  });

const nodeScore: Score = ({ spec }, nodes) => {
  const liked = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return nodes.map((node) => {
    const place = { name: node.metadata.name, labels: labelsOf(node) };
    return sum(
      liked.map(({ weight, preference }) => (selects({ selector: {}, terms: [preference] }, place) ? weight : 0)),
    );
  });
};

/** The fewer of its like in the domain the better. */
const spreadScore: Score = (pod, nodes, around) => {
  const soft = (pod.spec?.topologySpreadConstraints ?? []).filter((constraint) => !isHard(constraint));
  const counts = soft.map((constraint) => ({ constraint, counts: countsOf(constraint, soft, { pod, around }) }));
  return nodes.map(
    (node) =>
      -sum(counts.map(({ constraint, counts: by }) => by.get(labelAt(node, constraint.topologyKey) ?? '') ?? 0)),
  );
};

/** Both ways: whom it would like to be near or far from, and who would like that of it. */
const podScore: Score = (pod, nodes, around) => {
  const worth = new Map<string, number>();
  for (const node of around.nodes())
    for (const other of around.podsOn(node.metadata.name)) {
      for (const { term, weight } of liked(pod))
        if (means(term, pod, other, { around })) enter(worth, node, term.topologyKey, weight);
      for (const { term, weight } of liked(other))
        if (means(term, other, pod, { around, isThere: true })) enter(worth, node, term.topologyKey, weight);
    }
  return nodes.map((node) => sum(Object.entries(labelsOf(node)).map((label) => worth.get(label.join('=')) ?? 0)));
};

function enter(worth: Map<string, number>, node: Node, key: string, weight: number): void {
  const value = labelAt(node, key);
  const domain = `${key}=${value}`;
  if (value !== undefined) worth.set(domain, (worth.get(domain) ?? 0) + weight);
}

function liked({ spec }: Pod): { readonly term: PodAffinityTerm; readonly weight: number }[] {
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
