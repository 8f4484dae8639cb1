// Explains one node, pod or pool from a round, with a headline that answers in one sentence (J1, J2).
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { WhyContext } from './commandWhy.ts';
import { explainNode, type NodeWhy } from './nodeWhy.ts';
import { explainPod, type PodWhy } from './podWhy.ts';
import { explainPool, type PoolWhy } from './poolWhy.ts';

export type Why = NodeWhy | PodWhy | PoolWhy;

/** Undefined if it does not exist (any more): the cluster may have changed since the lookup. */
export function explainWhy(told: WhyContext, cluster: Cluster, target: WhyTarget): Why | undefined {
  if (target.kind === 'pool') {
    const pool = cluster.pools.get(target.name);
    return pool && explainPool(told, cluster, pool);
  }
  if (target.kind === 'node') {
    const view = viewOf(cluster, target.name);
    return view && explainNode(told, view);
  }
  const { namespace, name } = target;
  const isIt = (pod: Pod): boolean => pod.namespace === namespace && pod.name === name;
  for (const view of cluster.nodes) {
    const pod = view.pods.find(isIt);
    if (pod) return explainPod(told, pod, view);
  }
  const pending = cluster.pendingPods.find(isIt);
  return pending && explainPod(told, pending, undefined);
}

// Finds the target of a question: a node, a pod or a pool, by name.

export type WhyTarget =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'pool'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string };

export type TargetLookup =
  | { readonly target: WhyTarget }
  /** No match, or several. `like` are similar or matching names. */
  | { readonly message: string; readonly like: readonly string[] };

/** `node/web-3`, `pod/shop/web-0`, `pool/web`: as `lull why` takes it. */
export const nameOfTarget = (target: WhyTarget): string =>
  target.kind === 'pod' ? `pod/${target.namespace}/${target.name}` : `${target.kind}/${target.name}`;

/** Kinds as in kubectl; a claim means its node. */
const kinds: ReadonlyMap<string, WhyTarget['kind'] | 'claim'> = new Map([
  ...['node', 'nodes', 'no'].map((word) => [word, 'node'] as const),
  ...['pod', 'pods', 'po'].map((word) => [word, 'pod'] as const),
  ...['pool', 'pools', 'nodepool', 'nodepools', 'np'].map((word) => [word, 'pool'] as const),
  ...['claim', 'claims', 'nodeclaim', 'nodeclaims'].map((word) => [word, 'claim'] as const),
]);

export function findTarget(cluster: Cluster, text: string): TargetLookup {
  const [first = '', ...rest] = text.split('/');
  const kind = rest.length > 0 ? kinds.get(first.toLowerCase()) : undefined;
  const name = kind ? rest.join('/') : text;
  const all = findAll(cluster, name).filter((it) => !kind || it.asked === kind);
  const targets = [...new Map(all.map(({ target }) => [nameOfTarget(target), target])).values()];
  const [only, ...others] = targets;
  if (only && others.length === 0) return { target: only };
  if (only) return { message: `"${text}" matches several objects. Name one of them.`, like: targets.map(nameOfTarget) };
  const what = kind === undefined ? 'node, pod or pool' : kind;
  return { message: `No ${what} is named "${name}".`, like: similar(cluster, name) };
}

interface Match {
  readonly asked: WhyTarget['kind'] | 'claim';
  readonly target: WhyTarget;
}

function findAll(cluster: Cluster, name: string): Match[] {
  const matches: Match[] = [];
  if (cluster.pools.has(name)) matches.push({ asked: 'pool', target: { kind: 'pool', name } });
  for (const { node, claim } of cluster.nodes) {
    const target: WhyTarget = { kind: 'node', name: node.name };
    if (node.name === name) matches.push({ asked: 'node', target });
    if (claim?.name === name) matches.push({ asked: 'claim', target });
  }
  for (const pod of everyPod(cluster)) if (isCalled(pod, name)) matches.push({ asked: 'pod', target: podTarget(pod) });
  return matches;
}

function* everyPod({ nodes, pendingPods }: Cluster): Generator<Pod> {
  for (const { pods } of nodes) yield* pods;
  yield* pendingPods;
}

/** By namespace and name, or by name alone. */
const isCalled = (pod: Pod, name: string): boolean => pod.name === name || `${pod.namespace}/${pod.name}` === name;

const podTarget = ({ namespace, name }: Pod): WhyTarget => ({ kind: 'pod', namespace, name });

/** How many similar names are listed. */
const mostSimilar = 5;

/** Names that contain the text or share its beginning, for names that were cut or mistyped. */
function similar(cluster: Cluster, name: string): string[] {
  const wanted = (name.split('/').at(-1) ?? '').toLowerCase();
  if (wanted === '') return [];
  const start = wanted.slice(0, Math.max(3, Math.ceil(wanted.length / 2)));
  const found: { readonly text: string; readonly isPart: boolean }[] = [];
  const note = (target: WhyTarget): void => {
    const own = target.name.toLowerCase();
    if (own.includes(wanted) || own.startsWith(start))
      found.push({ text: nameOfTarget(target), isPart: own.includes(wanted) });
  };
  for (const pool of cluster.pools.keys()) note({ kind: 'pool', name: pool });
  for (const { node } of cluster.nodes) note({ kind: 'node', name: node.name });
  for (const pod of everyPod(cluster)) note(podTarget(pod));
  return found
    .sort((a, b) => Number(b.isPart) - Number(a.isPart) || compareText(a.text, b.text))
    .slice(0, mostSimilar)
    .map(({ text }) => text);
}

const viewOf = ({ nodes }: Cluster, name: string): NodeView | undefined => nodes.find(({ node }) => node.name === name);
