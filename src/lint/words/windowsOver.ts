// Which maintenance windows have a say over a pool: over all its nodes, so that its hours are theirs too, or over some?
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { matchesAll, type TextMap } from '../../cluster/selector.ts';
import { isZero } from '../../engine/limits/budgets.ts';
import type { Instant } from '../../time/instant.ts';
import { always } from '../../time/window.ts';
import { isUsual } from './windowWords.ts';

export interface Reach {
  readonly window: MaintenanceWindow;
  /** Whether it means every node of the pool; undefined where only nodes could tell. */
  readonly whole: boolean | undefined;
}

/** The windows that mean nodes of the pool or, where it has none, those it would make. */
export function reachesOf(pool: Pool, nodes: readonly NodeView[], windows: readonly MaintenanceWindow[]): Reach[] {
  return windows.flatMap((window) => {
    const whole = nodes.length > 0 ? shareOf(window, nodes) : meansMadeBy(pool, window);
    return whole === 'none' ? [] : [{ window, whole }];
  });
}

function shareOf(window: MaintenanceWindow, nodes: readonly NodeView[]): boolean | 'none' {
  const meant = nodes.filter((view) => view.windows.includes(window)).length;
  return meant === 0 ? 'none' : meant === nodes.length;
}

function meansMadeBy(pool: Pool, { selector = [] }: MaintenanceWindow): true | undefined | 'none' {
  const labels: TextMap = { ...pool.template.labels, [pool.provisioner ? label.provisioner : label.pool]: pool.name };
  const known = selector.filter(({ key }) => labels[key] !== undefined);
  if (!matchesAll(known, labels)) return 'none';
  return known.length === selector.length ? true : undefined;
}

/** Those whose hours are the pool's own for a reason: they mean all its nodes, and block or allow outright. */
export const ruling = (reaches: readonly Reach[], reason: Reason): MaintenanceWindow[] =>
  rulingAmong(reaches, reason, () => true);

/** Of these, those whose hours are the same every week. */
export const weekly = (reaches: readonly Reach[], reason: Reason, now: Instant): MaintenanceWindow[] =>
  rulingAmong(reaches, reason, ({ life, window }) => life === always && isUsual(window, now));

function rulingAmong(
  reaches: readonly Reach[],
  reason: Reason,
  isMeant: (window: MaintenanceWindow) => boolean,
): MaintenanceWindow[] {
  const mine = reaches.filter(({ window }) => window.reasons.has(reason));
  const plain = mine.filter(({ window, whole }) => whole && isMeant(window));
  const allows = mine.filter(({ window }) => window.mode === 'Allow');
  // D3: any open one allows, so that none of them says when unless all of them are said.
  const allAllows = allows.every((reach) => plain.includes(reach));
  return plain
    .map(({ window }) => window)
    .filter((window) => (window.mode === 'Allow' ? allAllows : isZero(window.nodes)));
}
