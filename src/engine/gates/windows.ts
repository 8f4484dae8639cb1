// D: do the maintenance windows over a node permit the reason now? Caps (D5) are limits and are asked there.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import type { Instant } from '../../time/instant.ts';
import { closesAt, opensAt } from '../../time/window.ts';
import { activeHours, windowRules } from '../limits/poolHours.ts';
import { none, type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const windows: Gate = ({ view, reason }, { now }) => {
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
      refuse('WindowFault', `${window.name} cannot be read, so it blocks: ${window.fault.message}${note(window)}`, {
        owner,
      }),
    ];
  }
  return [
    refuse('WindowBlocks', `${window.name} forbids it now${note(window)}`, { owner, liftsAt: closesAt(hours, now) }),
  ];
}

/** Named after the window that will open first. */
function windowNotOpen(allows: readonly MaintenanceWindow[], liftsAt: Instant | undefined, now: Instant): Refusal {
  const first =
    allows.find((window) => opensAt(activeHours(window), now) === liftsAt) ?? (allows[0] as MaintenanceWindow);
  const names = allows.map(({ name }) => name).join(' or ');
  const message = `it may go only while ${names} is open${note(first)}`;
  return refuse('WindowNotOpen', message, { owner: windowOwner(first), liftsAt });
}

export const windowOwner = ({ name }: MaintenanceWindow): RuleOwner => ({ kind: 'MaintenanceWindow', name });

/** D4: who and why. */
export const note = (window: MaintenanceWindow): string => (window.note ? ` (${window.note})` : '');
