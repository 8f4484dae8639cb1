// Was anything done that a maintenance window forbids, or more than one lets go at once (D2–D5, D7, B8)?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { matchesAll } from '../../cluster/selector.ts';
import type { Instant } from '../../time/instant.ts';
import { unitsOf } from './budgets.ts';
import type { Host } from './host.ts';
import { compiled } from './policy.ts';
import type { Sight } from './sight.ts';
import { type Finding, finding } from './violation.ts';
import { isForced, nodesIn, startsOf, type Taken, type Written } from './written.ts';

const windowsOver = ({ labels }: Host, reason: string, sight: Pick<Sight, 'list'>): MaintenanceWindow[] =>
  [...sight.list('MaintenanceWindow')]
    .map((object) => compiled('MaintenanceWindow', object))
    .filter((window) => [...window.reasons].some((it) => it === reason) && selects(window, labels));

const selects = ({ selector }: MaintenanceWindow, labels: Host['labels']): boolean =>
  !selector || matchesAll(selector, labels);

const isAlive = ({ life }: MaintenanceWindow, at: Instant): boolean => life.isOpen(at);
const isInForce = (window: MaintenanceWindow, at: Instant): boolean => isAlive(window, at) && window.window.isOpen(at);
const caps = ({ nodes }: MaintenanceWindow): boolean => unitsOf(nodes, 100) > 0;

/** D2, D3: what forbids a reason on a node at an instant. */
export function windowsForbid({ host, reason, at }: Taken, sight: Pick<Sight, 'list'>): Finding[] {
  const mine = windowsOver(host, reason, sight);
  const blocking = mine.filter((window) => window.mode === 'Block' && !caps(window) && isInForce(window, at));
  const allowing = mine.filter((window) => window.mode === 'Allow' && isAlive(window, at));
  const findings = blocking.map(({ name }) => finding('D2', `window ${name} blocks ${reason} on ${host.name}`));
  if (allowing.length === 0 || allowing.some((window) => isInForce(window, at))) return findings;
  const names = allowing.map(({ name }) => name).join(' and ');
  return [...findings, finding('D3', `window ${names} is not open for ${reason} on ${host.name}`)];
}

/** D5. Every Block window that caps must have room; of the open Allow windows, one. */
export function beyondCaps(written: Written): Finding[] {
  const { sight, settings } = written;
  const gone = nodesIn(written.before);
  return startsOf(written).flatMap((start) => {
    const full = isForced(start.reason, settings) ? [] : fullWindows(start, gone, sight);
    gone.add(start.host.name);
    return full.map(({ name, most, used }) =>
      finding('D5', `${start.host.name} is started for ${start.reason}, where window ${name} has ${used} of ${most}`),
    );
  });
}

function fullWindows({ host, reason, at }: Taken, gone: ReadonlySet<string>, sight: Sight) {
  const mine = windowsOver(host, reason, sight)
    .filter((window) => isInForce(window, at))
    .map((window) => ({ mode: window.mode, name: window.name, ...room(window, gone, sight) }));
  const isFull = ({ most, used }: { most: number; used: number }): boolean => used >= most;
  const blocking = mine.filter((window) => window.mode === 'Block' && window.most > 0 && isFull(window));
  const allowing = mine.filter(({ mode }) => mode === 'Allow');
  return allowing.length > 0 && allowing.every(isFull) ? [...blocking, ...allowing] : blocking;
}

/** An Allow window without `nodes` lets any number go. */
function room(window: MaintenanceWindow, gone: ReadonlySet<string>, sight: Sight): { most: number; used: number } {
  const selected = sight.hosts().filter(({ claim, labels }) => claim && selects(window, labels));
  const used = selected.filter(({ name, isLeaving }) => isLeaving || gone.has(name)).length;
  const unlimited = window.mode === 'Allow' && !caps(window);
  return { used, most: unlimited ? Number.POSITIVE_INFINITY : unitsOf(window.nodes, selected.length) };
}
