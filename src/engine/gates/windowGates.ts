// Gates of time: maintenance windows (D), approvals (Q2), and hours that end too soon (B8). Caps (D5) are limits.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, before, formatInstant, type Instant } from '../../time/instant.ts';
import { closesAt, opensAt } from '../../time/window.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { approvalOf, approvalRules, describeApproval } from '../rules/approvals.ts';
import { activeHours, describeAllows, note, windowOwner, windowRules } from '../rules/openHours.ts';
import { findRules, type TimeRule } from '../rules/timeRules.ts';
import type { EvaluationContext } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { SteadyGate } from './gate.ts';

export const windows: SteadyGate = ({ view, reason }, { now }) => {
  if (view.windows.length === 0) return none;
  const { blocks, allows, permitted, hours } = windowRules(view.windows, reason);
  if (hours.isOpen(now)) return none;
  const refusals = blocks.flatMap((window) => blockRefusals(window, now));
  if (!permitted.isOpen(now)) refusals.push(windowNotOpen(allows, opensAt(permitted, now), now));
  return refusals;
};

function blockRefusals(window: MaintenanceWindow, now: Instant): readonly Refusal[] {
  const hours = activeHours(window);
  if (!hours.isOpen(now)) return none;
  const owner = windowOwner(window);
  if (window.fault) {
    return [
      refuse(
        'WindowFault',
        `MaintenanceWindow ${window.name} cannot be read, so it blocks: ${window.fault.message}${note(window)}`,
        {
          owner,
        },
      ),
    ];
  }
  return [
    refuse('WindowBlocks', `MaintenanceWindow ${window.name} blocks it now${note(window)}`, {
      owner,
      liftsAt: closesAt(hours, now),
    }),
  ];
}

/** Its owner is the window that opens first. */
function windowNotOpen(allows: readonly MaintenanceWindow[], liftsAt: Instant | undefined, now: Instant): Refusal {
  const first =
    allows.find((window) => opensAt(activeHours(window), now) === liftsAt) ?? (allows[0] as MaintenanceWindow);
  return refuse('WindowNotOpen', describeAllows(allows), { owner: windowOwner(first), liftsAt });
}

/** A person must approve the disruption, of the node or of its whole pool (Q2). */
export const needsApproval: SteadyGate = (wish, { now }) => {
  const rules = approvalRules(wish);
  if (rules.length === 0) return none;
  const approval = approvalOf(wish);
  if (approval && now < approval.at) return none;
  const ended = approval ? ` (${describeApproval(approval).replace(' ends ', ' ended ')})` : '';
  return rules
    .filter(({ hours }) => hours.isOpen(now))
    .map(({ message, owner, hours }) =>
      refuse('NeedsApproval', `${message}${ended}; to approve: lull approve node/${wish.view.node.name}`, {
        owner,
        liftsAt: closesAt(hours, now),
      }),
    );
};

/** Nothing is started shortly before the hours that permit it end: a window, a scheduled budget, a pod's schedule (B8). */
export const closesTooSoon: SteadyGate = (wish, moment) =>
  moment.settings.windowMargin === 0
    ? none
    : [...findRules(wish, moment.settings)].flatMap((rule) => tooSoon(rule, wish, moment));

function tooSoon(rule: TimeRule, wish: Wish, { now, settings }: EvaluationContext): readonly Refusal[] {
  const { window, margin = 0 } = rule;
  const closes = margin > 0 && window.isOpen(now) ? window.nextChange(now) : undefined;
  const named = closes === undefined || closes - now > margin ? undefined : namedBy(rule, wish, closes);
  if (closes === undefined || !named) return none;
  const opens = window.nextChange(closes);
  const again = opens === undefined ? '' : `; it is permitted again at ${formatInstant(opens)}`;
  const within = `within the margin of ${formatDuration(settings.windowMargin)}`;
  const message = `${named.closing} at ${formatInstant(closes)}, ${within}${again}`;
  return [refuse('ClosesTooSoon', message, { owner: named.owner })];
}

/** The smallest difference between two instants. */
const instantly = asDuration(1);

/** Of several Allow windows, names the one that ends the permission: the last open one, or one that comes into force. */
function namedBy(
  rule: TimeRule,
  { view, reason }: Wish,
  closes: Instant,
): Pick<TimeRule, 'closing' | 'owner'> | undefined {
  if (rule.code !== 'WindowNotOpen') return rule;
  const { allows } = windowRules(view.windows, reason);
  const closing = allows.find((window) => activeHours(window).isOpen(before(closes, instantly)));
  // Without an open one it was permitted because none was in force yet: one that comes into force ends that (D3).
  const last = closing ?? allows.find(({ life }) => life.isOpen(closes));
  const how = closing ? 'closes' : 'comes into force';
  return last && { closing: `MaintenanceWindow ${last.name}${note(last)} ${how}`, owner: windowOwner(last) };
}
