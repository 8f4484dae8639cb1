// Which windows have opened or closed since the round before? What is wrong with one is told with all other faults.
import type { WindowReport } from '../engine/verdict.ts';
import { formatInstant } from '../time/instant.ts';
import type { Looking, Notice } from './notice.ts';

export function windowNotices({ told, before, isNew }: Looking): Notice[] {
  return told.round.windows.flatMap((window): Notice[] => {
    const { kind, name, open } = window;
    const about = `window ${kind} ${name}`;
    // One that is new here, or was there when this process began, has not opened: it was made so.
    const isKnown = before?.said.has(about);
    if (!isNew(about, String(open)) || !isKnown) return [];
    const reason = open ? 'Opened' : 'Closed';
    return [{ about: { kind, name }, type: 'Normal', reason, message: sayWindow(window), key: '', weight: 2 }];
  });
}

function sayWindow({ kind, open, nextChange, selected, holding }: WindowReport): string {
  const what = kind === 'MaintenanceWindow' ? 'nodes' : 'pods';
  const until = nextChange === undefined ? '' : ` until ${formatInstant(nextChange)}`;
  return `It is ${open ? 'open' : 'closed'}${until}. It selects ${selected} ${what} and holds ${holding}.`;
}
