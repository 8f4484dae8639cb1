// How is a pool told to who asks why? Budgets, turn, what is under way, held and left behind.
import type { BudgetWhy, HeldBy, PoolWhy, TurnWhy } from '../engine/why/poolWhy.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { renderAllowances } from './renderAllowances.ts';
import { renderDomains } from './renderDomains.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';
import { renderBlocked } from './whyBlocked.ts';
import { renderCommand } from './whyCommand.ts';
import { type Page, renderRefusals, titled } from './whyRefusals.ts';
import { renderSlow } from './whySlow.ts';

export function renderPoolWhy(why: PoolWhy, page: Page): Line[] {
  const { now, width } = page;
  const mine = { pool: why.name };
  const inUse = why.allowances.find(({ reason }) => reason === 'Drifted')?.consumed ?? 0;
  const left = renderAllowances(
    why.allowances.map((it) => ({ ...it, ...mine })),
    now,
  );
  return [
    ...alignColumns([[[dim(`${count(why.counted, 'node')}, ${inUse} in use`)], left]], { indent: 2, width }),
    ...renderBlocked(why.blocked, page),
    ...(why.backoff ? [[plain('  '), styled('yellow', `backs off until ${sayMoment(why.backoff.until, now)}`)]] : []),
    ...renderSlow(why.slowClaims, page),
    ...titled(
      'budgets',
      why.budgets.map((budget) => budgetRow(budget, now)),
      page,
    ),
    ...why.turns.flatMap((turn) => [emptyLine, ...turnLines(turn, page)]),
    ...renderDomains(
      why.domains.map((it) => ({ ...it, ...mine })),
      { width },
    ),
    ...why.commands.flatMap((command) => [
      emptyLine,
      [plain('node '), bold(command.nodes.join(', '))],
      ...renderCommand(command, page),
    ]),
    ...titled(
      'may go now',
      why.mayGo.map((node) => [[styled('green', node)]]),
      page,
    ),
    ...heldLines(why.held, page),
  ];
}

function budgetRow(
  { index, nodes, reasons, topologyKey, sequential, window, active, nextChange }: BudgetWhy,
  now: Instant,
): Line[] {
  const each = topologyKey === undefined ? '' : ` of each ${topologyKey}${sequential ? ', one after another' : ''}`;
  const change = nextChange === undefined ? '' : `, ${active ? 'ends' : 'begins'} ${sayMoment(nextChange, now)}`;
  return [
    [plain(String(index))],
    [active ? styled('green', 'holds') : dim('rests')],
    [
      plain(
        `${nodes}${each} for ${reasons?.join(', ') ?? 'any reason'}${window === undefined ? '' : `, ${window}`}${change}`,
      ),
    ],
  ];
}

function turnLines(turn: TurnWhy, { now, width }: Page): Line[] {
  const { topologyKey, domain, takenAt, progressAt, inFlight, chosen, settling, passAsked, leftBehind } = turn;
  const rows: Line[][] = [
    [[dim('taken')], [plain(sayMoment(takenAt, now))]],
    [[dim('last progress')], [plain(sayMoment(progressAt, now))]],
    [[dim('in flight')], [plain(inFlight.length === 0 ? 'nothing' : inFlight.join(', '))]],
    ...(chosen === undefined ? [] : [[[dim('chosen now')], [plain(chosen.join(', '))]]]),
    ...(settling === undefined ? [] : [[[dim('settling')], [styled('yellow', settling)]]]),
    ...(passAsked === undefined ? [] : [[[dim('asked to pass')], [plain(sayMoment(passAsked, now))]]]),
    ...leftBehind.map((left): Line[] => [
      [dim('left behind')],
      [plain(`${left.domain ?? 'without the label'}: ${left.nodes.join(', ') || 'nothing any more'}`)],
    ]),
  ];
  const whose = domain ?? 'the nodes without the label';
  return [
    [bold('turn'), plain(`  ${topologyKey}: `), styled('green', whose)],
    ...alignColumns(rows, { indent: 2, width }),
  ];
}

function heldLines(held: readonly HeldBy[], page: Page): Line[] {
  if (held.length === 0) return [];
  return [
    emptyLine,
    [bold('held')],
    ...held.flatMap(({ nodes, others = 0, ...refusal }) => [
      ...alignColumns([[[plain(count(nodes.length, 'node'))], [plain(nodes.join(', '))]]], {
        indent: 2,
        width: page.width,
      }),
      ...renderRefusals(
        [others === 0 ? refusal : { ...refusal, message: `${refusal.message}, and ${others} more like it` }],
        page,
      ),
    ]),
  ];
}
