// How is a command under way told? Its steps behind and ahead, its deadline, and what it waits for.
import { type CommandWhy, isReplacedByKarpenter } from '../engine/why/commandWhy.ts';
import { sayWorth } from '../engine/why/savingsWords.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, type Line, plain, type Span, styled } from './span.ts';
import { type Page, renderRefusals } from './whyRefusals.ts';

export function renderCommand(command: CommandWhy, page: Page): Line[] {
  const { id, reason, hands, path, startedAt, stepAt, deadline, podsLeft, waitingFor, why, stage } = command;
  const { now, width } = page;
  if (stage === 'watched') return watchedLines(command, page);
  const rows: Line[][] = [
    [[dim('steps')], pathLine(path)],
    [[dim('begun')], [plain(sayMoment(startedAt, now))]],
    [[dim('this step')], [plain(`since ${sayMoment(stepAt, now)}`)]],
    ...(podsLeft === undefined ? [] : [[[dim('to move')], [plain(count(podsLeft, 'pod'))]]]),
    [[dim('replaced')], [plain(replacing(command))]],
    ...savingsRow(command),
    ...(deadline === undefined ? [] : [[[dim('deadline')], [plain(sayMoment(deadline, now))]]]),
    ...(why === undefined ? [] : [[[dim('because')], [plain(why)]]]),
    ...(waitingFor.length === 0 ? [] : [[[dim('waits for')], [plain(count(waitingFor.length, 'rule'))]]]),
  ];
  const whose = hands === 'lull' ? "by Lull's own hands" : "by Karpenter's hands";
  return [
    [bold(stage === 'begins' ? 'begins now' : 'under way'), plain(`  ${id} (${reason}), ${whose}`)],
    ...alignColumns(rows, { indent: 2, width }),
    ...renderRefusals(waitingFor, page),
  ];
}

/** N1: nothing of it is there to see in the cluster. */
function watchedLines({ path, ...command }: CommandWhy, { width }: Page): Line[] {
  const rows: Line[][] = [
    [[dim('steps')], pathLine(path.map(({ step }) => ({ step, state: 'ahead' })))],
    [[dim('replaced')], [plain(replacing({ path, ...command }))]],
    ...savingsRow({ path, ...command }),
  ];
  return [
    [bold('not begun'), plain('  in the role observe Lull touches nothing; by its own hands (drive) it would go so')],
    ...alignColumns(rows, { indent: 2, width }),
  ];
}

function savingsRow(command: CommandWhy): Line[][] {
  const figures = sayWorth(command);
  return figures === '' ? [] : [[[dim('worth')], [plain(figures)]]];
}

function pathLine(path: CommandWhy['path']): Line {
  return path.flatMap(({ step, state }, index): Span[] => [
    ...(index === 0 ? [] : [dim(' > ')]),
    state === 'now' ? styled('cyan', `[${step}]`) : state === 'done' ? plain(step) : dim(step),
  ]);
}

function replacing(command: CommandWhy): string {
  const { replacements } = command;
  if (replacements.length === 0) return isReplacedByKarpenter(command) ? 'Karpenter sees to it' : 'not needed';
  return replacements
    .map(
      ({ name, instanceType, assumed }) =>
        `by ${name}${instanceType ? ` (${instanceType}${assumed ? ', assumed' : ''})` : ''}`,
    )
    .join(' and ');
}
