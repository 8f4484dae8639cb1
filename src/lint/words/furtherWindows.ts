// Which windows hold nodes of a pool beyond the hours told for its reasons? Those over some nodes only, by date, or with a number.
import type { NodeView } from '../../cluster/nodeView.ts';
import { count } from './lists.ts';
import { sayEffect } from './maintenanceWords.ts';
import type { PoolParts, ReasonRule } from './poolRule.ts';
import type { Reach } from './windowsOver.ts';

export function sayFurtherWindows(
  { reaches, now }: PoolParts,
  rules: readonly ReasonRule[],
  nodes: readonly NodeView[],
): string[] {
  return reaches
    .filter(({ window }) => rules.some(({ further }) => further.includes(window)))
    .map((reach) => {
      const { window } = reach;
      const meant = nodes.filter((view) => view.windows.includes(window)).length;
      return `Besides, window ${window.name} (${sayReach(reach, meant, nodes.length)}) ${sayEffect(window, meant, now)}.`;
    });
}

function sayReach({ whole }: Reach, meant: number, all: number): string {
  if (whole === undefined) return 'over those of its nodes that it selects';
  return whole ? 'over all its nodes' : `over ${meant} of ${count(all, 'node')}`;
}
