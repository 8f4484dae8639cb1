// What becomes of the blocks per reason, the approach that the by-reason document decides against? Budgets with reasons.
import type { Reason } from '../../cluster/reason.ts';
import { steering } from '../annotationName.ts';
import { valueAt } from '../edit/value.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import { reasonNamed } from '../reasonName.ts';
import { respellBudget } from './budget.ts';
import { type Draft, isGiven } from './draft.ts';
import { respellPolicy } from './policy.ts';

interface Block {
  readonly path: string;
  readonly fields: Json;
  /** Absent = the defaults, for every reason without a block. */
  readonly reason?: Reason;
}

function blocksOf(disruption: Json): Block[] {
  return Object.entries(disruption).flatMap(([key, fields]) => {
    const reason = reasonNamed(key);
    if (!isMap(fields) || (reason === undefined && !/^defaults?$/i.test(key))) return [];
    return [{ path: joinPath('spec.disruption', key), fields, ...(reason && { reason }) }];
  });
}

/** In place: the budgets of each block, with its reason in them. */
export function respellReasonBlocks(draft: Draft, disruption: Json): void {
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

/** Out of the blocks, each field to where it stands today. */
export function moveReasonBlocks(draft: Draft, object: Json, disruption: Json): void {
  const { budgets } = disruption;
  const taken = draft.targets();
  const before = howRead(object, disruption);
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

/** Undefined where its budgets are in the annotation: those in the spec are read neither before nor after. */
function howRead(object: Json, { budgets }: Json): string | undefined {
  if (isGiven(valueAt(object, ['metadata', 'annotations', steering.budgets]))) return undefined;
  return isGiven(budgets) ? 'and kept to spec.disruption.budgets' : 'and let 10% of the pool go at once';
}

interface Moved {
  readonly block: Block;
  readonly budgets: readonly Json[];
  readonly next: number;
  readonly before: string | undefined;
}

function moveBudgets(draft: Draft, { block: { path, reason }, budgets, next, before }: Moved): void {
  budgets.forEach((budget, i) => {
    const at = joinPath(`${path}.budgets`, i);
    draft.move(at, joinPath('spec.disruption.budgets', next + i));
    if (before && isGiven(budget.schedule) && !isGiven(budget.duration))
      draft.say(`${at}.schedule`, 'has no duration', { behaviour: endless });
  });
  if (budgets.length === 0) return;
  const now = reason ? `budgets with reasons: [${reason}]` : 'budgets without reasons';
  const behaviour = `Lull ignored this block ${before}. Now its budgets hold, and a reason for which none is active has no limit`;
  draft.say(`${path}.budgets`, `moved to spec.disruption.budgets, as ${now}`, before ? { behaviour, facts } : {});
}

const endless =
  'A schedule without a duration is a fault: Lull moves nothing in this pool until you give one, such as duration: 1h';

/** What a block may change; a value in it that cannot be read is a fault of the pool from now on. */
const facts = ['budgets', 'budgetsFrom', 'consolidationPolicy', 'consolidateAfter', 'repairAfter', 'template', 'fault'];

interface Places {
  readonly object: Json;
  /** Where something goes already. */
  readonly taken: Set<string>;
}

/** Whether it has a place today, and that is free. */
function moveField(draft: Draft, { path, reason }: Block, key: string, { object, taken }: Places): boolean {
  const at = joinPath(path, key);
  const to = placeToday(key, reason);
  if (to === undefined) {
    draft.say(at, 'left as it is: nothing today means this, and Lull ignores it');
    return false;
  }
  if (taken.has(to) || isGiven(valueAt(object, to.split('.')))) {
    draft.say(at, `left as it is: ${to} says something already. Keep one of the two`);
    return false;
  }
  taken.add(to);
  draft.move(at, to);
  draft.say(at, `moved to ${to}`, { behaviour: 'Lull ignored it in this block. Now it holds', facts });
  return true;
}

/** Where a field of a block stands today. */
function placeToday(key: string, reason: Reason | undefined): string | undefined {
  if (reason === 'Underutilized' && key === 'consolidationPolicy') return 'spec.disruption.consolidationPolicy';
  if (reason === 'Underutilized' && /^(consolidate|disrupt)After$/.test(key)) return 'spec.disruption.consolidateAfter';
  if (reason === 'Expired' && /^(expire|disrupt)After$/.test(key)) return 'spec.template.spec.expireAfter';
  if (reason === 'Unhealthy' && /^(repair|disrupt)After$/.test(key)) return 'spec.disruption.repairAfter';
  return undefined;
}
