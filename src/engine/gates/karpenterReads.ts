// What does Karpenter 1.15 read otherwise than Lull? In guide nothing is offered that it would not take: the offer would be withdrawn,
// and made again, without end. What it would take though Lull holds it is parked instead (keepParked). The whole table is in
// docs/decisions/0011; each row that refuses is a rule here.
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import { after, asDuration, before, minute } from '../../time/instant.ts';
import { none, type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';
import { refusalsOfPdbs } from './pdbs.ts';

export const karpenterReads: Gate = (wish, situation) => {
  if (situation.settings.role !== 'guide') return none;
  let refusals = none;
  // Asked of every wish in every round, and mostly without an answer.
  for (const rule of rules) {
    const more = rule(wish, situation);
    if (more.length > 0) refusals = [...refusals, ...more];
  }
  return refusals;
};

/** N6: everything but consolidation is drift to it, which does not wait for pods where a deadline stands behind it. */
const ignoresPods = ({ view, reason }: Wish): boolean =>
  !isConsolidation(reason) && view.claim?.spec.terminationGracePeriod !== undefined;

const isConsolidation = (reason: Reason): boolean => reason === 'Empty' || reason === 'Underutilized';

/** E3 is Lull's alone: Karpenter reads do-not-disrupt on a pod for every reason. */
const reasonsOfPods: Gate = (wish, { now }) => {
  if (wish.view.timed.length === 0 || ignoresPods(wish)) return none;
  const refusals: Refusal[] = [];
  for (const { pod } of wish.view.timed) {
    const { until, reasons, unread } = pod.rules?.optOut ?? {};
    if (!reasons || unread || reasons.has(wish.reason) || (until !== undefined && now >= until)) continue;
    const { namespace, name } = pod;
    const named = [...reasons].join(', ');
    const message = `pod ${namespace}/${name} opts out of ${named} alone, but Karpenter reads do-not-disrupt without its reasons and does not take the node`;
    refusals.push(refuse('PodOptedOut', message, { owner: { kind: 'Pod', namespace, name }, liftsAt: until }));
  }
  return refusals;
};

/** E2 lets a node that is kept go as Unhealthy; Karpenter, to which it is drift, does not. */
const keptNode: Gate = ({ view, reason }) => {
  const optOut = view.node.rules.doNotDisrupt;
  // Durations on nodes are Lull's alone, and are no hindrance to Karpenter.
  if (reason !== 'Unhealthy' || !optOut || optOut.until !== undefined) return none;
  const message = `the node is annotated karpenter.sh/do-not-disrupt, and Karpenter, which is to replace it as drifted, does not take it for ${reason} either`;
  return [refuse('NodeOptedOut', message, { owner: nodeOwner(view.node.name) })];
};

/** A2 lets an unhealthy node go whatever its PDBs say; drift waits for them. */
const pdbsOfUnhealthy: Gate = (wish, situation) => {
  if (wish.reason !== 'Unhealthy' || ignoresPods(wish)) return none;
  return refusalsOfPdbs(wish, situation).map((refusal) => ({
    ...refusal,
    message: `${refusal.message}; Karpenter, which is to replace the node as drifted, waits for it`,
  }));
};

/** It found no place for the pods when the node was offered last. It sees what Lull does not ask (F5), so it is left alone for a while. */
const noPlaceFound: Gate = ({ view, reason }, { ledger, cluster, now, settings }) => {
  const { name } = view.node;
  const declined = ledger.declined?.find(({ node }) => node === name);
  const liftsAt = declined && after(declined.at, retryAfter);
  const words = liftsAt !== undefined && now < liftsAt ? cluster.eventOn(name, 'everything') : undefined;
  if (!declined || !words?.message.startsWith(noPlace)) return none;
  const offeredFor = isConsolidation(reason) ? settings.offerTimeoutUnderutilized : settings.offerTimeout;
  if (words.at < before(declined.at, offeredFor) || areGone(podsNamedIn(words.message), view)) return none;
  if (hasCome(words.message, cluster)) return none;
  return [
    refuse('NoPlacement', `Karpenter did not take it when it was offered, and says: ${words.message}`, { liftsAt }),
  ];
};

/** It did not take the node for Underutilized when it was offered: what it was promised to, and its unit, are for others meanwhile (N3). */
const declinedBefore: Gate = ({ view, reason }, { ledger, cluster, now }) => {
  const { name } = view.node;
  const declined = reason === 'Underutilized' ? ledger.declined?.find(({ node }) => node === name) : undefined;
  const liftsAt = declined && after(declined.at, leftAloneFor);
  if (!declined || liftsAt === undefined || now >= liftsAt) return none;
  const words = cluster.eventOn(name, 'consolidation');
  const said = words && words.at > before(declined.at, repeatedAfter) ? `, and says: ${words.message}` : '';
  return [refuse('KarpenterDeclined', `Karpenter did not take it when it was offered${said}`, { liftsAt })];
};

/** Karpenter says the same of a node once in 15 minutes. */
const leftAloneFor = asDuration(15 * minute);
const repeatedAfter = asDuration(20 * minute);

/** The words of Karpenter 1.15, with `namespace/name => why` for the pods. */
const noPlace = 'Not all pods would schedule';
const podsNamedIn = (message: string): readonly string[] =>
  [...message.matchAll(/([^\s,;]+\/[^\s,;]+) =>/g)].map(([, pod = '']) => pod);

/** What was in the way is not there any more. */
const areGone = (pods: readonly string[], view: NodeView): boolean =>
  pods.length > 0 && !view.pods.some(({ namespace, name }) => pods.includes(`${namespace}/${name}`));

/** It waited for nothing but new nodes that were about to come, as in any roll that is busy: those are there by now, or gone again. */
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
