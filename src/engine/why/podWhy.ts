// May this pod be moved, and when? Its own rules, those over it, its PodDisruptionBudgets, and what happens to its node.
import type { OptOut, Pod, PodSchedule } from '../../cluster/model.ts';
import type { NodeView, PdbBox, PodView } from '../../cluster/nodeView.ts';
import { isActive, isDaemon, isMirror } from '../../cluster/pod.ts';
import { notWorkedOut } from '../../cluster/scheduleShare.ts';
import type { Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import { pdbSpent } from '../gates/pdbs.ts';
import { shortly } from '../gates/podRules.ts';
import type { Refusal } from '../refusal.ts';
import type { PodReport } from '../verdict.ts';
import { sayClock } from './clockWords.ts';
import type { Told } from './commandWhy.ts';
import { explainNode } from './nodeWhy.ts';
import { type Advised, advise } from './wishWhy.ts';

export interface PodWhy {
  readonly kind: 'pod';
  readonly at: Instant;
  readonly namespace: string;
  readonly name: string;
  readonly headline: string;
  /** `ReplicaSet web-7d9f`. */
  readonly owner?: string;
  /** Where it runs, and the sentence about that node. */
  readonly node?: { readonly name: string; readonly headline: string };
  readonly movable: boolean;
  /** Where time alone frees it. */
  readonly movableAt?: Instant;
  readonly refusals: readonly Advised[];
  readonly rules: readonly PodRuleWhy[];
  readonly pdbs: readonly { readonly namespace: string; readonly name: string; readonly allowed: number }[];
}

export interface PodRuleWhy {
  /** What the rule says, as a sentence about the pod. */
  readonly text: string;
  readonly permits: boolean;
  readonly nextChange?: Instant;
  /** The PodDisruptionSchedule; absent = an annotation of the pod's own. */
  readonly schedule?: string;
}

export function explainPod(told: Told, pod: Pod, view: NodeView | undefined): PodWhy {
  const { round } = told;
  const { namespace, name, owner } = pod;
  const boxes = view ? pdbsOf(pod, view) : [];
  const report = round.pods.find((it) => it.namespace === namespace && it.name === name);
  const refusals = [...(report?.refusals ?? []), ...spentBeside(report, boxes)];
  const movableAt = refusals.length === (report?.refusals.length ?? 0) ? report?.movableAt : undefined;
  const node = view && { name: view.node.name, headline: explainNode(told, view).headline };
  return {
    kind: 'pod',
    at: round.at,
    namespace,
    name,
    headline: `${namespace}/${name} ${sayPod(pod, { refusals, movableAt, now: round.at })}`,
    ...(owner && { owner: `${owner.kind} ${owner.name}` }),
    ...(node && { node }),
    movable: refusals.length === 0,
    ...(movableAt !== undefined && { movableAt }),
    refusals: refusals.map(advise),
    rules: rulesOf(pod, view, round.at),
    pdbs: boxes.map(({ pdb }) => ({ namespace: pdb.namespace, name: pdb.name, allowed: pdb.disruptionsAllowed })),
  };
}

interface Saying {
  readonly refusals: readonly Refusal[];
  readonly movableAt: Instant | undefined;
  readonly now: Instant;
}

function sayPod(pod: Pod, { refusals, movableAt, now }: Saying): string {
  if (!isActive(pod)) return pod.deletingAt === undefined ? 'has ended and holds nothing' : 'is on its way out already';
  if (pod.nodeName === undefined) return 'has no node yet';
  const [first] = refusals;
  if (first && movableAt !== undefined) {
    const last = refusals.find(({ liftsAt }) => liftsAt === movableAt) ?? first;
    return `may be moved from ${sayClock(movableAt, now)} on: ${last.message}`;
  }
  if (first) return `may not be moved now: ${(refusals.find(({ liftsAt }) => liftsAt === undefined) ?? first).message}`;
  if (isMirror(pod)) return 'belongs to its node and ends with it';
  return isDaemon(pod) ? 'may go with its node at any time' : 'may be moved now';
}

/** A spent PDB is reported where it holds a node; who asks about a pod wants to know it anyway. */
function spentBeside(report: PodReport | undefined, boxes: readonly PdbBox[]): Refusal[] {
  if (boxes.length !== 1 || report?.refusals.some(({ code }) => code === 'PdbSpent')) return [];
  return boxes
    .filter(({ pdb }) => pdb.disruptionsAllowed < 1)
    .map(({ pdb }) => pdbSpent(pdb, 'it allows no eviction now'));
}

function pdbsOf(pod: Pod, { guarded, overlapping, timed }: NodeView): PdbBox[] {
  const ruled = [...overlapping, ...timed].find((it) => it.pod === pod);
  const counted = guarded.filter(({ pods }) => pods.includes(pod)).map(({ box }) => box);
  return [...new Set([...counted, ...(ruled?.pdbs ?? [])])];
}

function rulesOf(pod: Pod, view: NodeView | undefined, now: Instant): PodRuleWhy[] {
  const { optOut, allow, block } = pod.rules ?? {};
  const over: PodView | undefined = view?.timed.find((it) => it.pod === pod);
  if (over?.unworked)
    return [...(optOut ? [optedOut(optOut, now)] : []), { text: `is not moved: ${notWorkedOut(pod)}`, permits: false }];
  return [
    ...(optOut ? [optedOut(optOut, now)] : []),
    ...(allow ? [windowRule(`may be moved only in its window (${shortly(allow)})`, allow, { opens: true, now })] : []),
    ...(block ? [windowRule(`may not be moved in its window (${shortly(block)})`, block, { opens: false, now })] : []),
    ...(over?.schedules ?? []).map((schedule) => scheduleRule(schedule, now)),
  ];
}

function optedOut({ until, reasons }: OptOut, now: Instant): PodRuleWhy {
  const isOver = until !== undefined && now >= until;
  const what = reasons ? ` for ${[...reasons].join(', ')}` : '';
  const how = until === undefined ? '' : `, ${isOver ? 'which ended' : 'which ends'} ${sayClock(until, now)}`;
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
    return { text: `is under a schedule that cannot be read: ${fault.message}`, permits: false, schedule: name };
  const opens = mode === 'Allow';
  const text = `may ${opens ? 'be moved only' : 'not be moved'} in the window of ${name} (${window.text})`;
  return { ...windowRule(text, window, { opens, now }), schedule: name };
}
