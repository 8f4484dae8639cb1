// The explanation of a pod: its own rules, schedules that select it, its PodDisruptionBudgets, and its node.
import type { OptOut, Pod, PodSchedule } from '../../cluster/model.ts';
import type { NodeView, PdbRef, PodView } from '../../cluster/nodeView.ts';
import { describeUnevaluated, isActive, isDaemon, isMirror } from '../../cluster/pod.ts';
import { formatClock, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import type { Refusal } from '../refusal.ts';
import { describeHours, pdbOverlap, pdbSpent } from '../rules/podRules.ts';
import type { PodReport } from '../verdict.ts';
import type { WhyContext } from './commandWhy.ts';
import { explainNode } from './nodeWhy.ts';
import { addHelp, type RefusalWithHelp } from './wishWhy.ts';

export interface PodWhy {
  readonly kind: 'pod';
  readonly at: Instant;
  readonly namespace: string;
  readonly name: string;
  readonly headline: string;
  /** `ReplicaSet web-7d9f`. */
  readonly owner?: string;
  /** Its node, and the headline about that node. */
  readonly node?: { readonly name: string; readonly headline: string };
  readonly movable: boolean;
  /** Set if time alone permits it. */
  readonly movableAt?: Instant;
  readonly refusals: readonly RefusalWithHelp[];
  readonly rules: readonly PodRuleWhy[];
  readonly pdbs: readonly { readonly namespace: string; readonly name: string; readonly allowed: number }[];
}

interface PodRuleWhy {
  /** The rule as a sentence about the pod. */
  readonly text: string;
  readonly permits: boolean;
  readonly nextChange?: Instant;
  /** The PodDisruptionSchedule; absent = an annotation of the pod's own. */
  readonly schedule?: string;
}

export function explainPod(told: WhyContext, pod: Pod, view: NodeView | undefined): PodWhy {
  const { round } = told;
  const { namespace, name, owner } = pod;
  const boxes = view ? pdbsOf(pod, view) : [];
  const report = round.pods.find((it) => it.namespace === namespace && it.name === name);
  const refusals = [...(report?.refusals ?? []), ...pdbRefusals(pod, report, boxes)];
  const movableAt = refusals.length === (report?.refusals.length ?? 0) ? report?.movableAt : undefined;
  const node = view && { name: view.node.name, headline: explainNode(told, view).headline };
  return {
    kind: 'pod',
    at: round.at,
    namespace,
    name,
    headline: `${namespace}/${name} ${describePod(pod, { refusals, movableAt, now: round.at })}`,
    ...(owner && { owner: `${owner.kind} ${owner.name}` }),
    ...(node && { node }),
    movable: refusals.length === 0,
    ...(movableAt !== undefined && { movableAt }),
    refusals: refusals.map(addHelp),
    rules: rulesOf(pod, view, round.at),
    pdbs: boxes.map(({ pdb }) => ({ namespace: pdb.namespace, name: pdb.name, allowed: pdb.disruptionsAllowed })),
  };
}

interface PodActivity {
  readonly refusals: readonly Refusal[];
  readonly movableAt: Instant | undefined;
  readonly now: Instant;
}

function describePod(pod: Pod, { refusals, movableAt, now }: PodActivity): string {
  if (!isActive(pod)) return pod.deletingAt === undefined ? 'has ended' : 'is already being deleted';
  if (pod.nodeName === undefined) return 'is not scheduled to a node yet';
  const [first] = refusals;
  if (first && movableAt !== undefined) {
    const last = refusals.find(({ liftsAt }) => liftsAt === movableAt) ?? first;
    return `may be moved from ${formatClock(movableAt, now)} on: ${last.message}`;
  }
  if (first) return `may not be moved now: ${(refusals.find(({ liftsAt }) => liftsAt === undefined) ?? first).message}`;
  if (isMirror(pod)) return 'is a static pod of its node and ends with it';
  return isDaemon(pod) ? 'may be removed with its node at any time' : 'may be moved now';
}

/** PDBs that refuse its eviction. A round reports them only for nodes with a wish; here they are always added. */
function pdbRefusals(pod: Pod, report: PodReport | undefined, boxes: readonly PdbRef[]): Refusal[] {
  if (report?.refusals.some(({ code }) => code === 'PdbSpent' || code === 'PdbOverlap')) return [];
  if (boxes.length > 1) return [pdbOverlap({ pod, pdbs: boxes })];
  return boxes
    .filter(({ pdb }) => pdb.disruptionsAllowed < 1)
    .map(({ pdb }) => pdbSpent(pdb, 'allows no eviction now'));
}

function pdbsOf(pod: Pod, { guarded, overlapping, timed }: NodeView): PdbRef[] {
  const ruled = [...overlapping, ...timed].find((it) => it.pod === pod);
  const counted = guarded.filter(({ pods }) => pods.includes(pod)).map(({ box }) => box);
  return [...new Set([...counted, ...(ruled?.pdbs ?? [])])];
}

function rulesOf(pod: Pod, view: NodeView | undefined, now: Instant): PodRuleWhy[] {
  const { optOut, allow, block } = pod.rules ?? {};
  const over: PodView | undefined = view?.timed.find((it) => it.pod === pod);
  if (over?.unevaluated)
    return [
      ...(optOut ? [optedOut(optOut, now)] : []),
      { text: `is not moved: ${describeUnevaluated(pod)}`, permits: false },
    ];
  return [
    ...(optOut ? [optedOut(optOut, now)] : []),
    ...(allow
      ? [windowRule(`may be moved only in its window (${describeHours(allow)})`, allow, { opens: true, now })]
      : []),
    ...(block
      ? [windowRule(`may not be moved in its window (${describeHours(block)})`, block, { opens: false, now })]
      : []),
    ...(over?.schedules ?? []).map((schedule) => scheduleRule(schedule, now)),
  ];
}

function optedOut({ until, reasons }: OptOut, now: Instant): PodRuleWhy {
  const isOver = until !== undefined && now >= until;
  const what = reasons ? ` for ${[...reasons].join(', ')}` : '';
  const how = until === undefined ? '' : `, ${isOver ? 'which ended' : 'which ends'} ${formatClock(until, now)}`;
  return {
    text: `is annotated do-not-disrupt${what}${how}`,
    permits: isOver,
    ...(until !== undefined && !isOver && { nextChange: until }),
  };
}

function windowRule(text: string, window: Window, { opens, now }: { opens: boolean; now: Instant }): PodRuleWhy {
  const nextChange = window.nextChange(now);
  return { text, permits: window.isOpen(now) === opens, ...(nextChange !== undefined && { nextChange }) };
}

function scheduleRule({ name, mode, window, fault }: PodSchedule, now: Instant): PodRuleWhy {
  if (fault)
    return {
      text: `is selected by PodDisruptionSchedule ${name}, which cannot be read: ${fault.message}`,
      permits: false,
      schedule: name,
    };
  const opens = mode === 'Allow';
  const text = `may ${opens ? 'be moved only' : 'not be moved'} in the window of PodDisruptionSchedule ${name} (${describeHours(window)})`;
  return { ...windowRule(text, window, { opens, now }), schedule: name };
}
