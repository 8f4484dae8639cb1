// Every rule over a wish that depends on time: what it permits when, and how it is told (E12).
//
// Rules without a clock are left out: a freeze without hours or end, an opt-out without end. Time does not lift them, and their
// refusals say so. Opt-outs that end, back-offs and consolidateAfter are left out too: they refuse until they are over, so the
// instants of their refusals say all about them.
import { openSlot } from '../cluster/memory.ts';
import type { Budget, MaintenanceWindow } from '../cluster/model.ts';
import type { PodView } from '../cluster/nodeView.ts';
import type { Settings } from '../cluster/settings.ts';
import { not } from '../time/combine.ts';
import type { Permit } from '../time/meet.ts';
import { always, never, type Window } from '../time/window.ts';
import { blockedPodsAreWaived, shortly } from './gates/podRules.ts';
import { note, windowOwner } from './gates/windows.ts';
import { isZero } from './limits/budgets.ts';
import { isReadByKarpenter, karpenterReason } from './limits/karpenterBudgets.ts';
import { activeHours, windowRules } from './limits/poolHours.ts';
import type { RefusalCode, RuleOwner } from './refusal.ts';
import type { Wish } from './wish.ts';

export interface TimeRule extends Permit {
  /** What it refuses with while it does not permit. */
  readonly code: RefusalCode;
  /** What it says at any time, now or not. */
  readonly message: string;
  readonly owner?: RuleOwner;
}

interface Known {
  readonly settings: Settings;
  readonly rules: readonly TimeRule[];
}

/** A wish is the same object while nothing about its node and pool changes. */
const remembered = openSlot<Known>();

/** One rule for each window: of pods with the same hours the first is named. */
export function timeRulesOf(wish: Wish, settings: Settings): readonly TimeRule[] {
  const known = remembered.recall(wish);
  if (known?.settings === settings) return known.rules;
  const rules = new Map<Window, TimeRule>();
  for (const rule of findRules(wish, settings)) {
    if (rule.window !== always && rule.window !== never && !rules.has(rule.window)) rules.set(rule.window, rule);
  }
  return remembered.keep(wish, { settings, rules: [...rules.values()] }).rules;
}

function* findRules(wish: Wish, settings: Settings): Generator<TimeRule> {
  if (wish.kind === 'forced') return;
  const { windowMargin: margin } = settings;
  yield* rulesOfWindows(wish, margin);
  yield* rulesOfBudgets(wish, margin);
  yield* karpenterRules(wish, settings);
  if (wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish)) return;
  for (const timed of wish.view.timed) yield* rulesOfPod(timed, margin);
}

type Margin = Settings['windowMargin'];

function* rulesOfWindows({ view, reason }: Wish, margin: Margin): Generator<TimeRule> {
  const { blocks, allows, permitted } = windowRules(view.windows, reason);
  for (const window of blocks) {
    const hours = activeHours(window);
    const message = `MaintenanceWindow ${window.name} blocks it (${hours.text})${note(window)}`;
    yield { code: 'WindowBlocks', message, owner: windowOwner(window), window: not(hours), margin };
  }
  const [first] = allows;
  if (!first) return;
  const hours = allows.map((window) => `${window.name} (${hoursOf(window)})${note(window)}`).join(' or ');
  const message = `it may go only while MaintenanceWindow ${hours} is open`;
  yield { code: 'WindowNotOpen', message, owner: windowOwner(first), window: permitted, margin };
}

const hoursOf = (window: MaintenanceWindow): string => activeHours(window).text;

function* rulesOfBudgets({ view, pool, reason }: Wish, margin: Margin): Generator<TimeRule> {
  if (!pool || !view.state.counted) return;
  for (const budget of pool.budgets) {
    const { nodes, topologyKey, window } = budget;
    // C9: a topology budget binds drift alone.
    const isBound = (topologyKey === undefined || reason === 'Drifted') && (budget.reasons?.has(reason) ?? true);
    if (!window || !isZero(nodes) || !isBound) continue;
    const code = topologyKey === undefined ? 'BudgetSpent' : 'DomainBudgetSpent';
    const message = `budgets[${budget.index}] of pool ${pool.name} allows no node for ${reason} (${window.text})`;
    yield { code, message, owner: ownerOf(pool.name, budget), window: not(window), margin };
  }
}

const ownerOf = (name: string, { index }: Budget): RuleOwner => ({ kind: 'NodePool', name, index });

/** N4: Karpenter's own reading of the budgets, and of the reason. */
function* karpenterRules({ pool, reason }: Wish, settings: Settings): Generator<TimeRule> {
  if (!pool || !isReadByKarpenter(pool, { settings })) return;
  const read = karpenterReason(reason);
  for (const budget of pool.karpenterBudgets) {
    const { nodes, reasons, window } = budget;
    if (!window || !isZero(nodes) || (reasons && !reasons.has(read))) continue;
    const message = `Karpenter reads budgets[${budget.index}] of pool ${pool.name} as no node for ${read} (${window.text})`;
    yield { code: 'KarpenterBudget', message, owner: ownerOf(pool.name, budget), window: not(window) };
  }
}

function* rulesOfPod({ pod, schedules, unworked }: PodView, margin: Margin): Generator<TimeRule> {
  if (unworked) return;
  const { namespace, name, rules } = pod;
  const who = `pod ${namespace}/${name}`;
  const owner = { kind: 'Pod', namespace, name };
  if (rules?.allow) {
    const message = `${who} may be moved only in its window (${shortly(rules.allow)})`;
    yield { code: 'PodScheduleClosed', message, owner, window: rules.allow, margin };
  }
  if (rules?.block) {
    const message = `${who} may not be moved in its window (${shortly(rules.block)})`;
    yield { code: 'PodBlocked', message, owner, window: not(rules.block), margin };
  }
  for (const { name: schedule, mode, window, fault } of schedules) {
    if (fault) continue;
    const isAllow = mode === 'Allow';
    const message = `${who} may ${isAllow ? 'be moved only' : 'not be moved'} in the window of ${schedule} (${window.text})`;
    yield {
      code: isAllow ? 'PodScheduleClosed' : 'PodBlocked',
      message,
      owner: { kind: 'PodDisruptionSchedule', name: schedule },
      window: isAllow ? window : not(window),
      margin,
    };
  }
}
