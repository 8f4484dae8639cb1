// Why are nodes held, and until when? Alike ones together, so that one screen is enough; each by itself with --all.
import type { Round, Verdict } from '../engine/verdict.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns, indented, wrap } from './columns.ts';
import { eachHeld, groupHeld, type HeldGroup } from './heldGroups.ts';
import { sayMoment } from './moment.ts';
import { count, type Scene } from './scene.ts';
import { bold, dim, type Line, plain, styled } from './span.ts';
import { sayUntil } from './until.ts';

const indent = 6;
/** So many lines of names say enough; --all has the rest. */
const linesOfNames = 3;

export function renderHeld(verdicts: readonly Verdict[], { at }: Pick<Round, 'at'>, scene: Scene): Line[] {
  const held = verdicts.filter((verdict) => verdict.outcome === 'held' && (scene.all || !goesOtherwise(verdict)));
  const groups = (scene.all ? eachHeld : groupHeld)(held);
  if (groups.length === 0) return [];
  const named = new Set<string>();
  return [[plain('  '), dim('held')], ...groups.flatMap((group) => renderGroup(group, named, { now: at, scene }))];
}

/** The node goes for another reason: that it is told there is enough. */
const goesOtherwise = ({ refusals }: Verdict): boolean => refusals.every(({ code }) => code === 'AlreadyUnderway');

/** Nodes that were named before, for another reason, are not named again. */
function renderGroup(group: HeldGroup, named: Set<string>, { now, scene }: { now: Instant; scene: Scene }): Line[] {
  const { reason, nodes, until } = group;
  const { width } = scene;
  const [only = ''] = nodes;
  const isNamed = named.has(nodes.join());
  named.add(nodes.join());
  const who = nodes.length === 1 ? only : `${isNamed ? 'the same ' : ''}${count(nodes.length, 'node')}`;
  const head: Line[] = [[bold(reason)], [plain(`${who}  `), styled('yellow', sayUntil(until, now))]];
  return [
    ...alignColumns([head], { indent: 4, width }),
    ...(nodes.length > 1 && !isNamed ? indented(listNames(nodes, width - indent), indent) : []),
    ...alignColumns(reasonsOf(group, now), { indent, width }),
  ];
}

function listNames(names: readonly string[], width: number): Line[] {
  const lines = wrap([plain(names.join(', '))], width);
  if (lines.length <= linesOfNames) return lines;
  const shown = lines.slice(0, linesOfNames);
  const told = shown.flat().filter(({ text }) => text.trimEnd().endsWith(',')).length;
  return [...shown, [dim(`and ${names.length - told} more (--all names them)`)]];
}

function reasonsOf({ refusals, detail, podsAgreeAt, until }: HeldGroup, now: Instant): Line[][] {
  const rows: Line[][] = refusals.map(({ code, message, others }) => [
    [plain(code)],
    [plain(`${message}${others > 0 ? `, and ${others} more like it` : ''}`)],
  ]);
  if (typeof until === 'object' && 'never' in until)
    for (const { message } of until.never) rows.push([[styled('yellow', 'never meets')], [plain(message)]]);
  if (podsAgreeAt !== undefined) rows.push([[dim('pods agree')], [dim(sayMoment(podsAgreeAt, now))]]);
  if (detail !== undefined) rows.push([[dim('drift')], [dim(detail)]]);
  return rows;
}
