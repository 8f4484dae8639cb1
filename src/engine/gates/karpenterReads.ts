// Rules that Karpenter 1.15 reads differently from Lull. In guide Lull does not offer a node that Karpenter would not take: the offer
// would be withdrawn and repeated for ever. Nodes that Karpenter would take though Lull holds them are parked instead (keepParked). The
// whole table is in docs/decisions/0011; each row that refuses is a rule here.
import type { NodeEvent, Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isConsolidation } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import { after, asDuration, before, type Instant, minute } from '../../time/instant.ts';
import { none, type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import { hasLaunched, isShortage, shortZones, triesAgainAt } from '../shortage.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';
import { refusalsOfPdbs } from './podGates.ts';

export const karpenterReads: Gate = (wish, situation) => {
  if (situation.settings.role !== 'guide') return none;
  let refusals = none;
  // Runs for every wish in every round and mostly refuses nothing: avoid allocating.
  for (const rule of rules) {
    const more = rule(wish, situation);
    if (more.length > 0) refusals = [...refusals, ...more];
  }
  return refusals;
};

/** Karpenter treats everything but consolidation as drift (N6), which does not wait for pods if the claim has a terminationGracePeriod. */
const ignoresPods = ({ view, reason }: Wish): boolean =>
  !isConsolidation(reason) && view.claim?.spec.terminationGracePeriod !== undefined;

/** Only Lull reads reasons of a pod's opt-out (E3): Karpenter applies do-not-disrupt to every reason. */
const reasonsOfPods: Gate = (wish, { now }) =>
  podsReadStrictly(wish, now).map(({ namespace, name, rules }) => {
    const { reasons = [], until } = rules?.optOut ?? {};
    const message = `pod ${namespace}/${name} opts out of ${[...reasons].join(', ')} only, but Karpenter ignores the reasons of do-not-disrupt and does not disrupt the node`;
    return refuse('PodOptedOut', message, { owner: { kind: 'Pod', namespace, name }, liftsAt: until });
  });

/** The pods that Karpenter takes to opt out at this instant, although the reason is none that they name. */
export function podsReadStrictly(wish: Wish, at: Instant): readonly Pod[] {
  if (wish.view.timed.length === 0 || ignoresPods(wish)) return [];
  const pods = wish.view.timed.map(({ pod }) => pod);
  return pods.filter(({ rules }) => {
    const { until, reasons, unread } = rules?.optOut ?? {};
    return reasons && !unread && !reasons.has(wish.reason) && (until === undefined || at < until);
  });
}

/** Lull repairs a node despite do-not-disrupt (E2); Karpenter, which treats the repair as drift, does not. */
const keptNode: Gate = ({ view, reason }) => {
  const optOut = view.node.rules.doNotDisrupt;
  // Only Lull reads durations on nodes; Karpenter ignores them.
  if (reason !== 'Unhealthy' || !optOut || optOut.until !== undefined) return none;
  const message = `the node is annotated karpenter.sh/do-not-disrupt: Karpenter, which replaces it as drifted, does not disrupt it for ${reason} either`;
  return [refuse('NodeOptedOut', message, { owner: nodeOwner(view.node.name) })];
};

/** Lull repairs a node despite its PDBs (A2); Karpenter, which treats the repair as drift, waits for them. */
const pdbsOfUnhealthy: Gate = (wish, situation) => {
  if (wish.reason !== 'Unhealthy' || ignoresPods(wish)) return none;
  return refusalsOfPdbs(wish, situation).map((refusal) => ({
    ...refusal,
    message: `${refusal.message}; Karpenter replaces the node as drifted and waits for the PodDisruptionBudget`,
  }));
};

/** Karpenter could not place the pods when the node was offered last. It knows more than Lull (F5), so the node is not offered for a while. */
const noPlaceFound: Gate = ({ view, reason }, situation) => {
  const { ledger, cluster, now, settings } = situation;
  const { name } = view.node;
  const declined = ledger.declined?.find(({ node }) => node === name);
  const liftsAt = declined && after(declined.at, retryAfter);
  const words = liftsAt !== undefined && now < liftsAt ? cluster.eventOn(name, 'everything') : undefined;
  if (!declined || !words?.message.startsWith(noPlace)) return none;
  const offeredFor = isConsolidation(reason) ? settings.offerTimeoutUnderutilized : settings.offerTimeout;
  if (words.at < before(declined.at, offeredFor) || areGone(podsNamedIn(words.message), view)) return none;
  if (hasCome(words.message, cluster)) return none;
  if (isShortage(words)) return refuseShortage(words, view, situation);
  return [refuse('NoPlacement', `Karpenter did not take it when it was offered: ${words.message}`, { liftsAt })];
};

/** No capacity: the offer comes back when Karpenter tries again, or has launched a node there (F4). */
function refuseShortage(words: NodeEvent, view: NodeView, situation: Situation): readonly Refusal[] {
  const { cluster, now } = situation;
  const liftsAt = triesAgainAt(words, view.poolName, situation);
  const zones = shortZones(words, view);
  if (now >= liftsAt || hasLaunched(view.poolName, { since: words.at, zones, stage: 'Launched' }, cluster)) return none;
  const where = zones.length === 0 ? '' : ` in ${zones.join(', ')}`;
  const message = `Karpenter found no instance type on offer${where} for its replacement: ${words.message}`;
  const help = `No capacity${where}. Lull offers the node again when Karpenter can try again, or as soon as it has launched another node of the pool there. If it lasts, allow more instance types, capacity types or zones in the NodePool.`;
  return [refuse('NoPlacement', message, { liftsAt, help })];
}

/** Karpenter did not take the node for Underutilized when it was offered: its targets and its budget unit are free for others meanwhile (N3). */
const declinedBefore: Gate = ({ view, reason }, { ledger, cluster, now }) => {
  const { name } = view.node;
  const declined = reason === 'Underutilized' ? ledger.declined?.find(({ node }) => node === name) : undefined;
  const liftsAt = declined && after(declined.at, leftAloneFor);
  if (!declined || liftsAt === undefined || now >= liftsAt) return none;
  const words = cluster.eventOn(name, 'consolidation');
  const said = words && words.at > before(declined.at, repeatedAfter) ? `: ${words.message}` : '';
  return [refuse('KarpenterDeclined', `Karpenter did not take it when it was offered${said}`, { liftsAt })];
};

/** Karpenter repeats an event about a node every 15 minutes. */
const leftAloneFor = asDuration(15 * minute);
const repeatedAfter = asDuration(20 * minute);

/** The text of Karpenter 1.15, which lists pods as `namespace/name => why`. */
export const noPlace = 'Not all pods would schedule';
const podsNamedIn = (message: string): readonly string[] =>
  [...message.matchAll(/([^\s,;]+\/[^\s,;]+) =>/g)].map(([, pod = '']) => pod);

/** Whether the pods that could not be placed have left the node. */
const areGone = (pods: readonly string[], view: NodeView): boolean =>
  pods.length > 0 && !view.pods.some(({ namespace, name }) => pods.includes(`${namespace}/${name}`));

/** Whether Karpenter only waited for new nodes, as in any busy roll, and these are ready or gone by now. */
function hasCome(message: string, cluster: Cluster): boolean {
  const claims = [...message.matchAll(/=> would schedule against uninitialized nodeclaim\/([^\s,;]+)/g)];
  return (
    claims.length > 0 &&
    claims.length === podsNamedIn(message).length &&
    claims.every(([, name = '']) => (cluster.claim(name)?.conditions.Initialized?.status ?? 'True') === 'True')
  );
}

const retryAfter = asDuration(10 * minute);

const nodeOwner = (name: string): RuleOwner => ({ kind: 'Node', name });

const rules: readonly ((wish: Wish, situation: Situation) => readonly Refusal[])[] = [
  reasonsOfPods,
  keptNode,
  pdbsOfUnhealthy,
  noPlaceFound,
  declinedBefore,
];
