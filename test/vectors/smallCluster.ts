// Decides on the small cluster of a case, in rounds that ask one question each.

import type { Reason } from '../../src/cluster/reason.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import type { Round, Verdict } from '../../src/engine/verdict.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { type Asked, decide, decideWithGroups } from './decide.ts';
import {
  annotated,
  condition,
  isTrue,
  type PlainBudget,
  type PlainObject,
  type PlainPool,
  withBudgets,
  withCondition,
} from './objects.ts';

export interface SmallCluster {
  readonly at: string;
  readonly nodePools: readonly PlainPool[];
  readonly nodeClaims: readonly PlainObject[];
  readonly nodes: readonly PlainObject[];
  readonly pods: readonly PlainObject[];
  readonly pdbs: readonly PlainObject[];
  readonly instanceTypes: readonly unknown[];
  /** Nodes in a command. */
  readonly markedForDeletion: readonly string[];
  /** Nodes that pending pods were given to. */
  readonly nominated: readonly string[];
}

/** What one method of upstream's says. */
export interface Method<Budget> {
  readonly reason: Reason;
  readonly candidates?: readonly string[];
  readonly budget?: Readonly<Record<string, Budget>>;
  readonly commands?: readonly PlainCommand[];
  /** Any of the listed is right. */
  readonly unstable?: { readonly commands?: readonly (readonly PlainCommand[])[] };
  /** One PDB that cannot be read stops all of upstream. */
  readonly error?: string;
}

export interface PlainCommand {
  readonly candidates: readonly string[];
  readonly replacements: readonly unknown[];
}

const longAgo = '2024-03-13T11:00:00Z';
const freeze = { nodes: '0' };
const otherReasons = (reason: Reason): string[] =>
  ['Unhealthy', 'Empty', 'Drifted', 'Expired', 'Rebalance', 'Underutilized'].filter((it) => it !== reason);

/** Nothing may go, so that no wish meets what another one took: whatever else refuses is a gate's own word. */
export const decideFrozen = (cluster: SmallCluster, settings: Partial<Settings> = {}): Round =>
  decideOn(withPools(cluster, [freeze]), settings);

/** As upstream runs a method: as if there were no other reason. */
export const decideAlone = (cluster: SmallCluster, reason: Reason, settings: Partial<Settings> = {}): Round =>
  decideOn(withPools(cluster, [{ ...freeze, reasons: otherReasons(reason) }]), settings);

/** The same with groups. */
export const decideGroupsAlone = (cluster: SmallCluster, reason: Reason): Round =>
  decideWithGroups(asAsked(withPools(cluster, [{ ...freeze, reasons: otherReasons(reason) }])));

export const decideOn = (cluster: SmallCluster, settings: Partial<Settings> = {}): Round =>
  decide(asAsked(cluster, settings));

function asAsked(cluster: SmallCluster, settings: Partial<Settings> = {}): Asked {
  const { catalogue } = readSettings({ catalogue: cluster.instanceTypes }).settings;
  return { objects: objectsOf(cluster), at: cluster.at, settings: { catalogue, ...settings } };
}

export function objectsOf({
  at,
  nodePools,
  nodeClaims,
  nodes,
  pods,
  pdbs,
  ...marks
}: SmallCluster): readonly PlainObject[] {
  const claims = nodeClaims.map((claim) =>
    marks.markedForDeletion.includes(claim.metadata.name)
      ? withCondition(claim, condition('DisruptionReason', at))
      : claim,
  );
  // Upstream keeps a condition of its own for what A6 works out. A node without it is no candidate to consolidate, but takes
  // pods as any other: in Lull's terms it has opted out of that. (consolidatable.json has when the condition stands.)
  const resting = new Set(nodeClaims.filter((claim) => isTrue(claim, 'Consolidatable')).map(nodeOf));
  const marked = nodes.map((node) =>
    resting.has(node.metadata.name) ? node : annotated(node, { 'karpenter.sh/do-not-consolidate': 'true' }),
  );
  return [...nodePools, ...claims, ...marked, ...pods, ...pdbs, ...marks.nominated.map(nominating)];
}

const nodeOf = ({ status }: PlainObject): unknown => status?.nodeName;

const nominating = (node: string): PlainObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `given-to-${node}`, namespace: 'default' },
  status: { phase: 'Pending', nominatedNodeName: node },
});

const withPools = (cluster: SmallCluster, budgets: readonly PlainBudget[]): SmallCluster => ({
  ...cluster,
  nodePools: cluster.nodePools.map((pool) => withBudgets(pool, [...(pool.spec.disruption.budgets ?? []), ...budgets])),
});

/** Every node is asked to go for a graceful reason, Rebalance. */
export const askedGracefully = (cluster: SmallCluster): SmallCluster => ({
  ...cluster,
  nodes: cluster.nodes.map((node) => annotated(node, { 'lull.dev/rebalance': 'asked' })),
});

/** Every node is asked to go for an eventual reason, Drifted. */
export const askedEventually = (cluster: SmallCluster): SmallCluster => ({
  ...cluster,
  nodeClaims: cluster.nodeClaims.map((claim) => withCondition(claim, condition('Drifted', longAgo))),
});

/** Limits apart: which nodes no gate refuses. */
export const candidatesIn = ({ verdicts }: Round, isMine: (verdict: Verdict) => boolean): string =>
  verdicts
    .filter(
      (verdict) =>
        isMine(verdict) && verdict.outcome !== 'underway' && verdict.refusals.every(({ code }) => isLimit(code)),
    )
    .map(({ node }) => node)
    .sort()
    .join(' ');

export const isLimit = (code: string): boolean => code === 'BudgetSpent' || code === 'RepairBreaker';

/** A command as a text: its nodes, and how many replacements. */
export const describeCommand = (nodes: readonly string[], replacements: number): string =>
  `${[...nodes].sort().join(' ')}${replacements > 0 ? ` +${replacements}` : ''}`;

const describeFirst = ([first]: readonly PlainCommand[]): string =>
  first ? describeCommand(first.candidates, first.replacements.length) : 'none';

/** Upstream's answer; where several are right, the one that was given. */
export function upstreamCommands(
  { commands = [], unstable }: Method<unknown>,
  given: string,
  describe = describeFirst,
): string {
  const right = (unstable?.commands ?? [commands]).map(describe);
  return right.find((text) => text === given) ?? right.join(' or ');
}
