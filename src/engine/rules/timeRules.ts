// The rules over a wish that depend on time: their windows and messages (E12).
//
// Rules without hours are left out, such as a permanent freeze or opt-out: time does not lift them. Opt-outs that end, back-offs and
// consolidateAfter are left out too: they refuse once until they end, so `liftsAt` of their refusals is enough.
import { memo } from '../../cluster/memo.ts';
import type { Budget } from '../../cluster/model.ts';
import type { Settings } from '../../cluster/settings.ts';
import { not } from '../../time/combine.ts';
import type { Permit } from '../../time/meet.ts';
import { always, never, type Window } from '../../time/window.ts';
import type { RefusalCode, RuleOwner } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import { approvalOf, approvalRules, describeApproval, permittedHours } from './approvals.ts';
import { isReadByKarpenter, isZero, karpenterReason, nameBudget } from './budgets.ts';
import { activeHours, describeAllows, describeWindow, note, windowOwner, windowRules } from './openHours.ts';
import { blockedPodsAreWaived, describeHours, type PodTimeRule, podTimeRules } from './podRules.ts';

export interface TimeRule extends Permit, Omit<PodTimeRule, 'code'> {
  /** The code of its refusal. */
  readonly code: RefusalCode;
}

/** One rule per window: of pods with the same hours the first is named. */
export const timeRulesOf = memo((wish: Wish, settings: Settings): readonly TimeRule[] => {
  const rules = new Map<Window, TimeRule>();
  for (const rule of findRules(wish, settings)) {
    if (rule.window !== always && rule.window !== never && !rules.has(rule.window)) rules.set(rule.window, rule);
  }
  return [...rules.values()];
});

export function* findRules(wish: Wish, settings: Settings): Generator<TimeRule> {
  if (wish.kind === 'forced') return;
  const { windowMargin: margin } = settings;
  yield* rulesOfWindows(wish, margin);
  yield* rulesOfApprovals(wish);
  yield* rulesOfBudgets(wish, margin);
  yield* karpenterRules(wish, settings);
  if (wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish)) return;
  for (const timed of wish.view.timed)
    if (!timed.unevaluated) for (const rule of podTimeRules(timed)) yield { ...rule, margin };
}

type Margin = Settings['windowMargin'];

function* rulesOfWindows({ view, reason }: Wish, margin: Margin): Generator<TimeRule> {
  const { blocks, allows, permitted } = windowRules(view.windows, reason);
  for (const window of blocks) {
    const hours = activeHours(window);
    const message = `${describeWindow(window)} blocks it`;
    const closing = `MaintenanceWindow ${window.name}${note(window)} starts to block`;
    yield { code: 'WindowBlocks', message, closing, owner: windowOwner(window), window: not(hours), margin };
  }
  const [first] = allows;
  if (!first) return;
  const closing = `MaintenanceWindow ${first.name} closes`;
  const message = describeAllows(allows);
  yield { code: 'WindowNotOpen', message, closing, owner: windowOwner(first), window: permitted, margin };
}

/** An approval that ends may end before the other rules permit it (Q2). */
function* rulesOfApprovals(wish: Wish): Generator<TimeRule> {
  const approval = approvalOf(wish);
  for (const rule of approvalRules(wish)) {
    const message = approval ? `${rule.message}, and ${describeApproval(approval)}` : rule.message;
    const closing = rule.message;
    yield { code: 'NeedsApproval', message, closing, owner: rule.owner, window: permittedHours(rule, approval) };
  }
}

function* rulesOfBudgets({ pool, reason }: Wish, margin: Margin): Generator<TimeRule> {
  if (!pool) return;
  for (const budget of [...pool.budgets, ...pool.rates]) {
    const { nodes, topologyKey, window, per } = budget;
    // A topology budget limits drift only (C9).
    const isBound = (topologyKey === undefined || reason === 'Drifted') && (budget.reasons?.has(reason) ?? true);
    if (!window || !isZero(nodes) || !isBound) continue;
    const flat = per === undefined ? 'BudgetSpent' : 'RateSpent';
    const code = topologyKey === undefined ? flat : 'DomainBudgetSpent';
    const which = nameBudget(budget, pool);
    const message = `${which} allows no node for ${reason} (${describeHours(window)})`;
    const closing = `the hours of ${which} start`;
    yield { code, message, closing, owner: ownerOf(pool.name, budget), window: not(window), margin };
  }
}

const ownerOf = (name: string, { index }: Budget): RuleOwner => ({ kind: 'NodePool', name, index });

/** Karpenter's own reading of the budgets and of the reason (N4). */
function* karpenterRules({ pool, reason }: Wish, settings: Settings): Generator<TimeRule> {
  if (!pool || !isReadByKarpenter(pool, { settings })) return;
  const read = karpenterReason(reason);
  for (const budget of pool.karpenterBudgets) {
    const { nodes, reasons, window } = budget;
    if (!window || !isZero(nodes) || (reasons && !reasons.has(read))) continue;
    const which = nameBudget(budget, pool);
    const message = `Karpenter reads ${which} as no node for ${read} (${describeHours(window)})`;
    const closing = `the hours of ${which} start`;
    yield { code: 'KarpenterBudget', message, closing, owner: ownerOf(pool.name, budget), window: not(window) };
  }
}
