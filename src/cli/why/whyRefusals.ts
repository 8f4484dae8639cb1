// What holds a node, as text: refusals, blocking windows, slow NodeClaims, and the command it is part of.
import { personalCodes } from '../../engine/refusal.ts';
import { formatCondition, type SlowClaim } from '../../engine/slowClaims.ts';
import { type CommandWhy, describeWorth, isReplacedByKarpenter } from '../../engine/why/commandWhy.ts';
import type { BlockedBy } from '../../engine/why/nodeWhy.ts';
import { pauseName } from '../../server/userRequests.ts';
import { formatMoment, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, type Span, styled } from '../span.ts';
import { listPods, type PodRefusal } from './podGroups.ts';

export interface WhyView extends TimeView {
  readonly width: number;
}

/** For several nodes that are held alike it may lift at different instants. */
type HoldingRefusal = PodRefusal & { readonly liftsDiffer?: true };

function describeLift({ code, liftsAt, liftsDiffer }: HoldingRefusal, times: TimeView): string {
  if (liftsDiffer) return 'at a different time for each node';
  if (liftsAt !== undefined) return formatMoment(liftsAt, times);
  if (code === 'ClosesTooSoon') return 'when the window opens again';
  return personalCodes.has(code) ? 'when someone changes the rule' : 'when the cluster changes';
}

/** Each with the owner of the rule, when it lifts, and what to do. */
export function renderRefusals(refusals: readonly HoldingRefusal[], view: WhyView): Line[] {
  const { width } = view;
  return refusals.flatMap((refusal) => {
    const { code, message, pods, help } = refusal;
    const owner = ownerOf(refusal);
    const rows: Line[][] = [
      ...(pods === undefined ? [] : [[[dim('pods')], [plain(listPods(pods))]]]),
      ...(owner === undefined ? [] : [[[dim('rule of')], [plain(owner)]]]),
      [[dim('lifts')], [plain(describeLift(refusal, view))]],
      [[dim('what to do')], [plain(help)]],
    ];
    return [
      ...alignColumns([[[styled('yellow', code)], [plain(message)]]], { indent: 2, width }),
      ...alignColumns(rows, { indent: 4, width }),
    ];
  });
}

function ownerOf({ owner, pods }: HoldingRefusal): string | undefined {
  if (!owner) return pods && 'each of these pods (its annotations)';
  const name = owner.namespace === undefined ? owner.name : `${owner.namespace}/${owner.name}`;
  return `${owner.kind} ${name}${owner.index === undefined ? '' : `, budgets[${owner.index}]`}`;
}

export function titled(title: string, rows: readonly Line[][], { width }: WhyView): Line[] {
  return rows.length === 0 ? [] : [emptyLine, [bold(title)], ...alignColumns(rows, { indent: 2, width })];
}

export const renderBlocked = (blocked: readonly BlockedBy[] | undefined, view: WhyView): Line[] =>
  alignColumns(
    (blocked ?? []).map((it) => [[styled('yellow', describeBlock(it, view))]]),
    { indent: 2, width: view.width },
  );

/** `paused by ann until 12:00Z (in 2h): release day` */
function describeBlock({ name, author, note, reasons, until }: BlockedBy, times: TimeView): string {
  const what = name === pauseName ? 'paused' : `window ${name} blocks ${reasons?.join(', ') ?? 'everything'}`;
  const by = author === undefined ? '' : ` by ${author}`;
  const end = until === undefined ? 'with no end set' : `until ${formatMoment(until, times)}`;
  return `${what}${by} ${end}${note === undefined ? '' : `: ${note}`}`;
}

export const renderSlow = (claims: readonly SlowClaim[] = [], view: WhyView): Line[] =>
  titled(
    'NodeClaims not ready in time',
    claims.flatMap(({ claim, node, createdAt, conditions }): Line[][] => [
      [
        [styled('yellow', `NodeClaim ${claim}`)],
        [plain(`${node === undefined ? 'no node' : `node ${node}`}, created ${formatMoment(createdAt, view)}`)],
      ],
      ...conditions.map((condition): Line[] => [[dim(`  ${condition.type}`)], [plain(formatCondition(condition))]]),
    ]),
    view,
  );

export function renderCommand(command: CommandWhy, view: WhyView): Line[] {
  const { id, reason, hands, path, startedAt, stepAt, deadline, podsLeft, waitingFor, why, stage } = command;
  const { width } = view;
  if (stage === 'watched') return observedLines(command, view);
  const rows: Line[][] = [
    [[dim('steps')], pathLine(path)],
    [[dim('started')], [plain(formatMoment(startedAt, view))]],
    [[dim('this step')], [plain(`since ${formatMoment(stepAt, view)}`)]],
    ...(podsLeft === undefined ? [] : [[[dim('pods left')], [plain(count(podsLeft, 'pod'))]]]),
    [[dim('replacement')], [plain(replacing(command))]],
    ...savingsRow(command),
    ...(deadline === undefined ? [] : [[[dim('deadline')], [plain(formatMoment(deadline, view))]]]),
    ...(why === undefined ? [] : [[[dim('because')], [plain(why)]]]),
    ...(waitingFor.length === 0 ? [] : [[[dim('held by')], [plain(count(waitingFor.length, 'rule'))]]]),
  ];
  const actor = hands === 'lull' ? 'by Lull' : 'by Karpenter';
  return [
    [bold(stage === 'begins' ? 'starts now' : 'under way'), plain(`  ${id} (${reason}), ${actor}`)],
    ...alignColumns(rows, { indent: 2, width }),
    ...renderRefusals(waitingFor, view),
  ];
}

/** In observe mode the command is not carried out, so no step of it is current (N1). */
function observedLines({ path, ...command }: CommandWhy, { width }: WhyView): Line[] {
  const rows: Line[][] = [
    [[dim('steps')], pathLine(path.map(({ step }) => ({ step, state: 'ahead' })))],
    [[dim('replacement')], [plain(replacing({ path, ...command }))]],
    ...savingsRow({ path, ...command }),
  ];
  return [
    [bold('not started'), plain('  observe mode: Lull changes nothing; these are the steps of the role drive')],
    ...alignColumns(rows, { indent: 2, width }),
  ];
}

function savingsRow(command: CommandWhy): Line[][] {
  const figures = describeWorth(command);
  return figures === '' ? [] : [[[dim('effect')], [plain(figures)]]];
}

function pathLine(path: CommandWhy['path']): Line {
  return path.flatMap(({ step, state }, index): Span[] => [
    ...(index === 0 ? [] : [dim(' > ')]),
    state === 'now' ? styled('cyan', `[${step}]`) : state === 'done' ? plain(step) : dim(step),
  ]);
}

function replacing(command: CommandWhy): string {
  const { replacements } = command;
  if (replacements.length === 0) return isReplacedByKarpenter(command) ? 'made by Karpenter' : 'not needed';
  return replacements
    .map(
      ({ name, instanceType, assumed }) =>
        `${name}${instanceType ? ` (${instanceType}${assumed ? ', assumed' : ''})` : ''}`,
    )
    .join(' and ');
}
