// Why does a node not go, since that has changed (J5)? And which pods hold a drain up (E9, G7)?
import type { Refusal, RefusalCode } from '../engine/refusal.ts';
import type { CommandReport, PodReport, Verdict } from '../engine/verdict.ts';
import { sayNever } from '../engine/why/wishWhy.ts';
import { type About, type Looking, type Notice, standing } from './notice.ts';

/** A6: of nodes that are merely not worth consolidating, or not yet, or never by their pool's own wish, there would be no end. */
const ordinary: ReadonlySet<RefusalCode> = new Set([
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
  'NotStable',
  'PolicyOff',
] as const);

const isConsolidation = (reason: Verdict['reason']): boolean => reason === 'Empty' || reason === 'Underutilized';

/** An event is a sentence, not a report: `lull why` tells all. */
const mostSaid = 3;

export function heldNotices({ told, before, isNew }: Looking): Notice[] {
  const { round, facts, settings } = told;
  return round.verdicts.flatMap((verdict): Notice[] => {
    const { node, reason } = verdict;
    const says = saying(verdict, settings.role === 'observe');
    if (says === undefined || !isNew(`held ${node} ${reason}`, says)) return [];
    const uid = facts.cluster.node(node)?.node.uid;
    const about: About = { kind: 'Node', name: node, ...(uid !== undefined && { uid }) };
    const shared = {
      about,
      type: 'Normal',
      key: `${reason} ${says}`,
      topic: `held ${reason}`,
      ...standing(before),
    } as const;
    const weight = before ? 1 : 0;
    if (verdict.outcome === 'go')
      return [{ ...shared, reason: 'MayGo', weight, message: `${reason}: nothing holds it. Lull only observes.` }];
    return [{ ...shared, reason: 'Held', weight, message: sayHeld(verdict) }];
  });
}

/** Undefined = nothing is to be told: it goes, and that is told otherwise, or it is not worth a word. */
function saying(verdict: Verdict, isObserving: boolean): string | undefined {
  const { outcome, reason, refusals } = verdict;
  if (outcome === 'go') return isObserving ? 'go' : undefined;
  if (outcome === 'underway' || refusals[0]?.code === 'AlreadyUnderway') return undefined;
  if (isConsolidation(reason) && refusals.some(({ code }) => ordinary.has(code))) return undefined;
  const codes = codesIn(decisive(refusals));
  return verdict.possibleAt === 'never' ? `never ${codes}` : codes;
}

/** Of rules that never permit together those are named: somebody has to change one of them. */
function sayHeld({ reason, refusals, neverMeet }: Verdict): string {
  if (neverMeet) return `${reason}, and can never go as its rules are: ${sayNever(neverMeet)}.`;
  return `${reason}, held: ${sentences(refusals)}.`;
}

/**
 * What many share comes and goes with every node that goes: it is the reason only of those whom nothing of their own holds, and
 * of several such things the one that lasts longest.
 */
const shared: readonly RefusalCode[] = [
  'ReplacementSlow',
  'AnotherDomainInFlight',
  'DomainSettling',
  'NotItsTurn',
  'WindowCapSpent',
  'KarpenterBudget',
  'BudgetSpent',
  'DomainBudgetSpent',
];

function decisive(refusals: readonly Refusal[]): readonly Refusal[] {
  const own = refusals.filter(({ code }) => !shared.includes(code));
  if (own.length > 0 || refusals.length <= 1) return own.length > 0 ? own : refusals;
  const [first] = [...refusals].sort((a, b) => shared.indexOf(a.code) - shared.indexOf(b.code));
  return first ? [first] : [];
}

function codesIn(refusals: readonly Refusal[]): string {
  const [first] = refusals;
  if (first && refusals.length === 1) return codeAndOwner(first);
  return [...new Set(refusals.map(codeAndOwner))].sort().join(' ');
}

function codeAndOwner({ code, owner }: Refusal): string {
  if (!owner) return code;
  const { kind, namespace = '', name, index = '' } = owner;
  return `${code}:${kind}/${namespace}/${name}/${index}`;
}

function sentences(refusals: readonly Refusal[]): string {
  const all = [...new Set(refusals.map(({ message }) => message))];
  const more = all.length > mostSaid ? [`and ${all.length - mostSaid} more`] : [];
  return [...all.slice(0, mostSaid), ...more].join('; ');
}

/** A drain that waits: Warning where neither time nor a deadline ends it (G7). Its pods are told why they stay. */
export function deferralNotices(looking: Looking): Notice[] {
  const { round } = looking.told;
  const waiting = round.commands.filter(({ waitingFor = [] }) => waitingFor.length > 0);
  if (waiting.length === 0) return [];
  const nodes = new Set(waiting.flatMap((command) => command.nodes.map(({ name }) => name)));
  return [
    ...waiting.flatMap((command) => drainNotices(command, looking)),
    ...round.pods.filter(({ node }) => nodes.has(node)).flatMap((pod) => podNotices(pod, looking)),
  ];
}

function drainNotices({ id, nodes, deadline, waitingFor = [] }: CommandReport, { told, isNew }: Looking): Notice[] {
  const isStuck = deadline === undefined && waitingFor.some(({ liftsAt }) => liftsAt === undefined);
  const says = `${isStuck} ${codesIn(waitingFor)}`;
  if (!isNew(`drain ${id}`, says)) return [];
  const message = `Its drain waits: ${sentences(waitingFor)}.`;
  const shared = { message, key: `${id} ${says}`, topic: 'drain' };
  return nodes.flatMap(({ name }): Notice[] => {
    const uid = told.facts.cluster.node(name)?.node.uid;
    const about = { kind: 'Node', name, ...(uid !== undefined && { uid }) };
    return isStuck
      ? [{ about, type: 'Warning', reason: 'DrainStuck', weight: 3, ...shared }]
      : [{ about, type: 'Normal', reason: 'DrainWaits', weight: 1, ...shared }];
  });
}

const bySchedule: ReadonlySet<RefusalCode> = new Set(['PodScheduleClosed', 'PodBlocked'] as const);

/** Whether a schedule keeps a pod where it is. */
export const isDeferred = ({ refusals }: PodReport): boolean => refusals.some(({ code }) => bySchedule.has(code));

function podNotices(pod: PodReport, { told, isNew }: Looking): Notice[] {
  if (!isDeferred(pod)) return [];
  const { namespace, name, node, refusals } = pod;
  const mine = refusals.filter(({ code }) => bySchedule.has(code));
  const key = codesIn(mine);
  if (!isNew(`pod ${namespace}/${name}`, key)) return [];
  const uid = told.facts.cluster.node(node)?.pods.find((it) => it.namespace === namespace && it.name === name)?.uid;
  const about = { kind: 'Pod', namespace, name, ...(uid !== undefined && { uid }) };
  const message = `It stays on ${node}, which is being drained: ${sentences(mine)}.`;
  return [{ about, type: 'Normal', reason: 'EvictionDeferred', message, key, topic: 'deferred', weight: 1 }];
}
