// Converts NodePools of v1beta1 and of older design documents to v1, and blocks per reason to budgets.
import type { Reason } from '../../cluster/reason.ts';
import { valueAt } from '../edit/patch.ts';
import { reasonNamed } from '../read/budget.ts';
import { steering } from '../read/knownKeys.ts';
import { isMap, type Json } from '../read/reader.ts';
import { joinPath } from '../text/path.ts';
import { type Draft, isGiven } from './draft.ts';
import {
  kubeletStays,
  respellAnnotation,
  respellBudget,
  respellBudgets,
  respellCrons,
  respellNodeClass,
  respellPolicy,
} from './respell.ts';

/** First step: names and values, without moving fields. */
export function respellNodePool(draft: Draft, object: Json): void {
  const disruption = valueAt(object, ['spec', 'disruption']);
  respellAnnotation(draft, object);
  for (const path of ['spec', 'spec.disruption']) respellPolicy(draft, valueAt(object, path.split('.')), path);
  if (!isMap(disruption)) return;
  respellBudgets(draft, disruption.budgets, 'spec.disruption.budgets');
  respellCrons(draft, disruption.budgets, 'spec.disruption.budgets');
  respellReasonBlocks(draft, disruption);
}

/** Second step: moves fields to their current paths. */
export function moveNodePool(draft: Draft, object: Json): void {
  const disruption = valueAt(object, ['spec', 'disruption']);
  movePolicies(draft, object);
  if (object.apiVersion === 'karpenter.sh/v1beta1') raiseVersion(draft, object);
  respellNodeClass(draft, valueAt(object, nodeClassPath.split('.')), nodeClassPath);
  if (isMap(disruption)) moveReasonBlocks(draft, object, disruption);
}

const nodeClassPath = 'spec.template.spec.nodeClassRef';

/** The controls design document has these fields directly under spec (C2). */
function movePolicies(draft: Draft, object: Json): void {
  const spec = valueAt(object, ['spec']);
  if (!isMap(spec)) return;
  for (const key of ['consolidationPolicy', 'consolidateAfter']) {
    const from = `spec.${key}`;
    const to = `spec.disruption.${key}`;
    if (!isGiven(spec[key])) continue;
    if (isGiven(valueAt(spec, ['disruption', key]))) {
      draft.remove(from);
      draft.note(from, `removed: ${to} is set too and takes precedence`);
    } else {
      draft.move(from, to);
      draft.note(from, `moved to ${to}`);
    }
  }
}

const hardDeadline =
  'Karpenter v1 forcefully disrupts a node at its expireAfter, regardless of budgets; v1beta1 did not. Lull still respects budgets and windows, and next to Karpenter starts earlier';

function raiseVersion(draft: Draft, object: Json): void {
  draft.set('apiVersion', 'karpenter.sh/v1');
  draft.note('apiVersion', 'karpenter.sh/v1beta1 is now karpenter.sh/v1', { karpenter: hardDeadline });
  moveExpiry(draft, object);
  if (isGiven(valueAt(object, ['spec', 'template', 'spec', 'kubelet']))) {
    draft.note('spec.template.spec.kubelet', kubeletStays);
  }
}

function moveExpiry(draft: Draft, object: Json): void {
  const from = 'spec.disruption.expireAfter';
  const to = 'spec.template.spec.expireAfter';
  const disruption = valueAt(object, ['spec', 'disruption']);
  const value = isMap(disruption) ? disruption.expireAfter : undefined;
  const existing = valueAt(object, to.split('.'));
  if (!isGiven(value)) {
    if (!isGiven(existing)) return;
    const behaviour =
      'v1beta1 has no such field here, so it had no effect and nodes expired after 720h. Now it takes effect';
    draft.note(to, 'unchanged', { behaviour, facts: ['template'] });
  } else if (isGiven(existing)) {
    draft.set(to, value);
    draft.remove(from);
    draft.note(from, `moved to ${to}, replacing the value there, which had no effect in v1beta1`);
  } else {
    draft.move(from, to);
    const filled = [...draft.targets()].some((path) => path.startsWith('spec.disruption.'));
    if (isMap(disruption) && Object.keys(disruption).length === 1 && !filled) draft.remove('spec.disruption');
    draft.note(from, `moved to ${to}`);
  }
}

interface ReasonBlock {
  readonly path: string;
  readonly fields: Json;
  /** Absent for the block of defaults, which covers every reason without its own block. */
  readonly reason?: Reason;
}

function blocksOf(disruption: Json): ReasonBlock[] {
  return Object.entries(disruption).flatMap(([key, fields]) => {
    const reason = reasonNamed(key);
    if (!isMap(fields) || (reason === undefined && !/^defaults?$/i.test(key))) return [];
    return [{ path: joinPath('spec.disruption', key), fields, ...(reason && { reason }) }];
  });
}

/** Adds the reason of each block to its budgets. */
function respellReasonBlocks(draft: Draft, disruption: Json): void {
  for (const { path, fields, reason } of blocksOf(disruption)) {
    respellPolicy(draft, fields, path);
    if (!areBudgets(fields.budgets)) continue;
    fields.budgets.forEach((budget, i) => {
      const at = joinPath(`${path}.budgets`, i);
      respellBudget(draft, budget, at);
      if (reason && !isGiven(budget.reasons) && !isGiven(budget.reason)) draft.set(`${at}.reasons`, [reason]);
    });
  }
}

const areBudgets = (list: unknown): list is readonly Json[] => Array.isArray(list) && list.every(isMap);

/** Moves the fields of each block to their current paths. */
function moveReasonBlocks(draft: Draft, object: Json, disruption: Json): void {
  const { budgets } = disruption;
  const taken = draft.targets();
  const before = effectBefore(object, disruption);
  let next = Array.isArray(budgets) ? budgets.length : 0;
  for (const block of blocksOf(disruption)) {
    const list = isGiven(budgets) && !Array.isArray(budgets) ? undefined : block.fields.budgets;
    const moved = areBudgets(list) ? list : undefined;
    if (moved) moveBudgets(draft, { block, budgets: moved, next, before });
    next += moved?.length ?? 0;
    const others = Object.keys(block.fields).filter((key) => !(moved && key === 'budgets'));
    const left = others.filter((key) => !moveField(draft, block, key, { object, taken }));
    if (left.length === 0) draft.remove(block.path);
    else if (moved) draft.remove(`${block.path}.budgets`);
  }
}

/** What limited the pool before; undefined if its budgets are in the annotation, since those in the spec then never count. */
function effectBefore(object: Json, { budgets }: Json): string | undefined {
  if (isGiven(valueAt(object, ['metadata', 'annotations', steering.budgets]))) return undefined;
  return isGiven(budgets) ? 'and applied spec.disruption.budgets' : 'and allowed 10% of the pool at a time';
}

interface BlockMove {
  readonly block: ReasonBlock;
  readonly budgets: readonly Json[];
  readonly next: number;
  readonly before: string | undefined;
}

function moveBudgets(draft: Draft, { block: { path, reason }, budgets, next, before }: BlockMove): void {
  budgets.forEach((budget, i) => {
    const at = joinPath(`${path}.budgets`, i);
    draft.move(at, joinPath('spec.disruption.budgets', next + i));
    if (before && isGiven(budget.schedule) && !isGiven(budget.duration))
      draft.note(`${at}.schedule`, 'has no duration', { behaviour: endless });
  });
  if (budgets.length === 0) return;
  const now = reason ? `budgets with reasons: [${reason}]` : 'budgets without reasons';
  const behaviour = `Lull ignored this block ${before}. Now its budgets apply, and a reason without an active budget has no limit`;
  draft.note(`${path}.budgets`, `moved to spec.disruption.budgets, as ${now}`, before ? { behaviour, facts } : {});
}

const endless =
  'A schedule without a duration is an error: Lull disrupts nothing in this pool until you set one, such as duration: 1h';

/** The pool fields a block may change; an invalid value in it becomes a fault of the pool. */
const facts = ['budgets', 'budgetsFrom', 'consolidationPolicy', 'consolidateAfter', 'repairAfter', 'template', 'fault'];

interface MoveTargets {
  readonly object: Json;
  /** Paths that another field is moved to. */
  readonly taken: Set<string>;
}

/** Moves a field if it has a current path and nothing is there; returns whether it did. */
function moveField(draft: Draft, { path, reason }: ReasonBlock, key: string, { object, taken }: MoveTargets): boolean {
  const at = joinPath(path, key);
  const to = currentPath(key, reason);
  if (to === undefined) {
    draft.note(at, 'unchanged: v1 has no such field, and Lull ignores it');
    return false;
  }
  if (taken.has(to) || isGiven(valueAt(object, to.split('.')))) {
    draft.note(at, `unchanged: ${to} is set already. Keep one of the two`);
    return false;
  }
  taken.add(to);
  draft.move(at, to);
  draft.note(at, `moved to ${to}`, { behaviour: 'Lull ignored it in this block. Now it takes effect', facts });
  return true;
}

/** The current path of a field of a block. */
function currentPath(key: string, reason: Reason | undefined): string | undefined {
  if (reason === 'Underutilized' && key === 'consolidationPolicy') return 'spec.disruption.consolidationPolicy';
  if (reason === 'Underutilized' && /^(consolidate|disrupt)After$/.test(key)) return 'spec.disruption.consolidateAfter';
  if (reason === 'Expired' && /^(expire|disrupt)After$/.test(key)) return 'spec.template.spec.expireAfter';
  if (reason === 'Unhealthy' && /^(repair|disrupt)After$/.test(key)) return 'spec.disruption.repairAfter';
  return undefined;
}
