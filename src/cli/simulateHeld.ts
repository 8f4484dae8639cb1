// What stays behind at the end of a simulation, and why? One more round over what the controller sees then.
import type { Settings } from '../cluster/settings.ts';
import { shortSearch } from '../engine/consolidation/searchGroups.ts';
import { decideSearched } from '../engine/searchedRound.ts';
import type { Round } from '../engine/verdict.ts';
import { isWorthTelling } from '../engine/why/worthTelling.ts';
import type { Simulation } from '../sim/simulate.ts';
import { alignColumns } from './columns.ts';
import { groupHeld, type HeldGroup } from './heldGroups.ts';
import { count } from './scene.ts';
import { bold, emptyLine, type Line, plain, styled } from './span.ts';
import { sayUntil } from './until.ts';

/** Undefined where no controller could tell: it is down, or does not see everything. */
export function lastRound({ port, now }: Simulation, settings: Settings): Round | undefined {
  const view = port('lull-1')?.view();
  if (!view?.ledger || view.unsynced.length > 0) return undefined;
  return decideSearched({ cluster: view.cluster, ledger: view.ledger.record }, now, settings, { steps: shortSearch })
    .round;
}

export function heldLines(round: Round | undefined, width: number): Line[] {
  const held = round?.verdicts.filter((verdict) => verdict.outcome === 'held' && isWorthTelling(verdict)) ?? [];
  if (!round || held.length === 0) return [];
  const rows = groupHeld(held).map((group) => rowOf(group, round));
  return [[bold('Still held at the end')], ...alignColumns(rows, { indent: 2, width }), emptyLine];
}

const mostNamed = 3;

function rowOf({ reason, nodes, until, refusals }: HeldGroup, { at }: Round): Line[] {
  const who = nodes.length <= mostNamed ? nodes.join(', ') : count(nodes.length, 'node');
  const why = refusals.map(({ message, others }) => `${message}${others > 0 ? `, and ${others} more like it` : ''}`);
  return [[plain(who)], [plain(reason)], [styled('yellow', `${sayUntil(until, at)}: `), plain(why.join('; '))]];
}
