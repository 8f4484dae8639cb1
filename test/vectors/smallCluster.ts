// Decides on the small cluster of a case, in rounds that test one thing each.

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
  /** Nodes that are nominated for pending pods. */
  readonly nominated: readonly string[];
}

/** The answer of one method of upstream. */
export interface Method<Budget> {
  readonly reason: Reason;
  readonly candidates?: readonly string[];
  readonly budget?: Readonly<Record<string, Budget>>;
  readonly commands?: readonly PlainCommand[];
  /** Any of these is right. */
  readonly unstable?: { readonly commands?: readonly (readonly PlainCommand[])[] };
  /** One invalid PDB stops all of upstream. */
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

/** No node may be disrupted, so that no wish competes with another: every other refusal is a gate's own. */
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
  // Upstream has a condition for what A6 computes. A node without it is not a candidate to consolidate, but accepts
  // pods like any other: in Lull's terms it has opted out. (consolidatable.json covers when the condition is set.)
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

/** Every node has a wish for a graceful reason, Rebalance. */
export const askedGracefully = (cluster: SmallCluster): SmallCluster => ({
  ...cluster,
  nodes: cluster.nodes.map((node) => annotated(node, { 'lull.dev/rebalance': 'asked' })),
});

/** Every node has a wish for an eventual reason, Drifted. */
export const askedEventually = (cluster: SmallCluster): SmallCluster => ({
  ...cluster,
  nodeClaims: cluster.nodeClaims.map((claim) => withCondition(claim, condition('Drifted', longAgo))),
});

/** The nodes that no gate refuses, regardless of limits. */
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

/** Upstream's answer; if several are right, the one that was given. */
export function upstreamCommands(
  { commands = [], unstable }: Method<unknown>,
  given: string,
  describe = describeFirst,
): string {
  const right = (unstable?.commands ?? [commands]).map(describe);
  return right.find((text) => text === given) ?? right.join(' or ');
}
