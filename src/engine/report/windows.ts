// D8: is each window open, when does that change, whom does it select and whom does it hold back?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import type { Judged } from '../judged.ts';
import { activeHours, windowRules } from '../limits/poolHours.ts';
import type { Situation } from '../situation.ts';
import type { PodReport, WindowReport } from '../verdict.ts';
import type { Wish } from '../wish.ts';

export function reportWindows(
  situation: Situation,
  judged: readonly Judged[],
  pods: readonly PodReport[],
): WindowReport[] {
  const held = holdingBy(judged);
  const { cluster, now } = situation;
  const selectedBy = countSelected(situation);
  const windows = cluster.windows.map((window): WindowReport => {
    const hours = activeHours(window);
    return {
      kind: 'MaintenanceWindow',
      name: window.name,
      open: hours.isOpen(now),
      ...change(hours.nextChange(now)),
      selected: selectedBy.get(window) ?? 0,
      holding: held.get(window.name)?.size ?? 0,
      ...(window.author !== undefined && { author: window.author }),
      ...(window.note !== undefined && { note: window.note }),
    };
  });
  return [...windows, ...reportSchedules(situation, pods)];
}

/** Nodes under the same windows share one list of them. */
function countSelected({ cluster }: Situation): ReadonlyMap<MaintenanceWindow, number> {
  const lists = new Map<readonly MaintenanceWindow[], number>();
  for (const { managed, windows } of cluster.nodes) if (managed) lists.set(windows, (lists.get(windows) ?? 0) + 1);
  const counts = new Map<MaintenanceWindow, number>();
  for (const [windows, nodes] of lists)
    for (const window of windows) counts.set(window, (counts.get(window) ?? 0) + nodes);
  return counts;
}

function reportSchedules({ cluster, now }: Situation, pods: readonly PodReport[]): WindowReport[] {
  return cluster.podSchedules.map((schedule) => ({
    kind: 'PodDisruptionSchedule',
    name: schedule.name,
    open: schedule.window.isOpen(now),
    ...change(schedule.window.nextChange(now)),
    selected: cluster.podsUnder(schedule),
    holding: pods.filter(({ refusals }) =>
      refusals.some((it) => it.owner?.kind === 'PodDisruptionSchedule' && it.owner.name === schedule.name),
    ).length,
  }));
}

const change = (nextChange: PodReport['movableAt']) => (nextChange === undefined ? {} : { nextChange });

/** The nodes that each window refuses for some reason; not those that go for another one all the same. */
function holdingBy(judged: readonly Judged[]): Map<string, Set<string>> {
  const held = new Map<string, Set<string>>();
  for (const { wish, refusals } of judged) {
    if (refusals[0]?.code === 'AlreadyUnderway') continue;
    for (const { code, owner } of refusals) {
      if (owner?.kind !== 'MaintenanceWindow') continue;
      // Several closed Allow windows hold a node together; the refusal is named after the one that opens first.
      const names = code === 'WindowNotOpen' ? allowing(wish) : [owner.name];
      for (const name of names) held.set(name, (held.get(name) ?? new Set<string>()).add(wish.view.node.name));
    }
  }
  return held;
}

const allowing = ({ view, reason }: Wish): string[] => windowRules(view.windows, reason).allows.map(({ name }) => name);
