// Whom is the question about? A node, a pod or a pool, by its name as people say it.
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';

export type Target =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'pool'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string };

export type Found =
  | { readonly target: Target }
  /** None, or several: then a person has to say which. `like` are those it may mean. */
  | { readonly message: string; readonly like: readonly string[] };

/** `node/web-3`, `pod/shop/web-0`, `pool/web`: as `lull why` takes it. */
export const nameOfTarget = (target: Target): string =>
  target.kind === 'pod' ? `pod/${target.namespace}/${target.name}` : `${target.kind}/${target.name}`;

/** As kubectl names kinds; a claim means its node. */
const kinds: ReadonlyMap<string, Target['kind'] | 'claim'> = new Map([
  ...['node', 'nodes', 'no'].map((word) => [word, 'node'] as const),
  ...['pod', 'pods', 'po'].map((word) => [word, 'pod'] as const),
  ...['pool', 'pools', 'nodepool', 'nodepools', 'np'].map((word) => [word, 'pool'] as const),
  ...['claim', 'claims', 'nodeclaim', 'nodeclaims'].map((word) => [word, 'claim'] as const),
]);

export function findTarget(cluster: Cluster, text: string): Found {
  const [first = '', ...rest] = text.split('/');
  const kind = rest.length > 0 ? kinds.get(first.toLowerCase()) : undefined;
  const name = kind ? rest.join('/') : text;
  const all = findAll(cluster, name).filter((it) => !kind || it.asked === kind);
  const targets = [...new Map(all.map(({ target }) => [nameOfTarget(target), target])).values()];
  const [only, ...others] = targets;
  if (only && others.length === 0) return { target: only };
  if (only) return { message: `${text} is the name of several. Say which.`, like: targets.map(nameOfTarget) };
  const what = kind === undefined ? 'node, pod or pool' : kind;
  return { message: `There is no ${what} called ${name}.`, like: similar(cluster, name) };
}

interface Match {
  readonly asked: Target['kind'] | 'claim';
  readonly target: Target;
}

function findAll(cluster: Cluster, name: string): Match[] {
  const matches: Match[] = [];
  if (cluster.pools.has(name)) matches.push({ asked: 'pool', target: { kind: 'pool', name } });
  for (const { node, claim } of cluster.nodes) {
    const target: Target = { kind: 'node', name: node.name };
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

/** By namespace and name, or by its name alone where that is clear. */
const isCalled = (pod: Pod, name: string): boolean => pod.name === name || `${pod.namespace}/${pod.name}` === name;

const podTarget = ({ namespace, name }: Pod): Target => ({ kind: 'pod', namespace, name });

/** Enough to recognise the one that was meant. */
const mostSimilar = 5;

/** Names that hold what was asked for, or begin as it does: what is left of a name that was cut or mistyped. */
function similar(cluster: Cluster, name: string): string[] {
  const wanted = (name.split('/').at(-1) ?? '').toLowerCase();
  if (wanted === '') return [];
  const start = wanted.slice(0, Math.max(3, Math.ceil(wanted.length / 2)));
  const found: { readonly text: string; readonly isPart: boolean }[] = [];
  const note = (target: Target): void => {
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

export const viewOf = ({ nodes }: Cluster, name: string): NodeView | undefined =>
  nodes.find(({ node }) => node.name === name);
