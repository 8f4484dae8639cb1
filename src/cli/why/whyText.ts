// The answer of `lull why` as text: a node, a pod or a pool.
import { describeSigner } from '../../cluster/signedInstant.ts';
import type { NodeWhy } from '../../engine/why/nodeWhy.ts';
import type { PodWhy } from '../../engine/why/podWhy.ts';
import type { BudgetWhy, HeldBy, PoolWhy } from '../../engine/why/poolWhy.ts';
import type { RollWhy, TurnWhy } from '../../engine/why/rollWhy.ts';
import type { Why } from '../../engine/why/why.ts';
import type { WishWhy } from '../../engine/why/wishWhy.ts';
import type { Instant } from '../../time/instant.ts';
import { renderAllowances, renderDomains } from '../decide/renderPool.ts';
import { answerInZone, formatMoment, formatTime, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, type Style, styled } from '../span.ts';
import { groupPods, groupRefusals, listPods } from './podGroups.ts';
import { renderBlocked, renderCommand, renderRefusals, renderSlow, titled, type WhyView } from './whyRefusals.ts';

/** `instants` are those that sentences of the answer may name besides its own fields. */
export function renderWhy(
  answer: Why,
  { width, zone }: Omit<WhyView, 'now'>,
  instants: readonly Instant[] = [],
): Line[] {
  const view = { now: answer.at, width, zone };
  const why = answerInZone(answer, view, instants);
  return [
    ...alignColumns([[[bold(why.headline)]]], { indent: 0, width }),
    ...body(why, view),
    emptyLine,
    [dim(`as of ${formatTime(why.at, zone)}`)],
  ];
}

function body(why: Why, view: WhyView): Line[] {
  if (why.kind === 'node') return nodeLines(why, view);
  return why.kind === 'pod' ? podLines(why, view) : poolLines(why, view);
}

function nodeLines(why: NodeWhy, view: WhyView): Line[] {
  const { pool, claim, ready, pods, leftBehind, wishes, command, podsWithASay, blocked, windows } = why;
  const about = [
    pool === undefined ? 'no pool' : `pool ${pool}`,
    ...(claim === undefined ? [] : [`claim ${claim}`]),
    ready ? 'Ready' : 'not Ready',
    `${count(pods, 'pod')} to move`,
  ];
  const restricted = groupPods(podsWithASay).map(({ pods: names, movable, movableAt, refusals }): Line[] => [
    [plain(listPods(names))],
    [movable ? styled('green', 'may move') : styled('yellow', 'held')],
    [plain([...refusals.map(({ message }) => message), ...from(movableAt, view)].join('; '))],
  ]);
  return [
    [dim(`  ${about.join(', ')}`)],
    ...renderBlocked(blocked, view),
    ...titled('left behind', leftBehind === undefined ? [] : [[[plain(leftBehind)]]], view),
    ...(command ? [emptyLine, ...renderCommand(command, view)] : []),
    ...renderSlow(why.slowClaims, view),
    ...wishes.flatMap((wish) => [
      emptyLine,
      ...renderWish({ ...wish, refusals: groupRefusals(wish.refusals, podsWithASay) }, view),
    ]),
    ...titled('pods that restrict when they move', restricted, view),
    ...titled(
      'maintenance windows',
      windows.map((name) => [[plain(name)]]),
      view,
    ),
  ];
}

const from = (at: Instant | undefined, times: TimeView): string[] =>
  at === undefined ? [] : [`from ${formatMoment(at, times)}`];

const styleOf: Readonly<Record<WishWhy['outcome'], Style>> = { go: 'green', underway: 'cyan', held: 'yellow' };
const outcomes: Readonly<Record<WishWhy['outcome'], string>> = {
  go: 'may be disrupted now',
  underway: 'under way',
  held: 'held',
};

function renderWish(wish: WishWhy, view: WhyView): Line[] {
  const { reason, outcome, detail, podsAgreeAt, neverMeet = [], refusals } = wish;
  const facts: Line[][] = [
    ...(detail === undefined ? [] : [[[dim('because')], [plain(detail)]]]),
    ...neverMeet.map(({ message }): Line[] => [[styled('yellow', 'never permits')], [plain(message)]]),
    ...(podsAgreeAt === undefined ? [] : [[[dim('pods permit')], [plain(formatMoment(podsAgreeAt, view))]]]),
  ];
  return [
    [bold(reason), plain('  '), styled(styleOf[outcome], `${outcomes[outcome]}${untilOf(wish, view)}`)],
    ...alignColumns(facts, { indent: 2, width: view.width }),
    ...renderRefusals(refusals, view),
  ];
}

function untilOf({ outcome, waitsFor, until, possibleAt }: WishWhy, times: TimeView): string {
  if (outcome !== 'held') return '';
  if (until !== undefined) return ` until ${formatMoment(until, times)}`;
  if (possibleAt === 'never') return ', never possible under its current rules';
  if (possibleAt !== undefined && possibleAt > times.now) return ` at least until ${formatMoment(possibleAt, times)}`;
  if (waitsFor === 'the clock') return ' by its schedules';
  return waitsFor === 'someone' ? ' until someone acts' : ' until the cluster changes';
}

function podLines({ owner, node, movable, movableAt, refusals, rules, pdbs }: PodWhy, view: WhyView): Line[] {
  const facts: Line[][] = [
    ...(owner === undefined ? [] : [[[dim('owner')], [plain(owner)]]]),
    ...(node ? [[[dim('node')], [plain(node.headline)]]] : []),
    [
      [dim('movable')],
      [
        movable
          ? styled('green', 'now')
          : styled('yellow', movableAt === undefined ? 'not now' : `from ${formatMoment(movableAt, view)}`),
      ],
    ],
  ];
  const ruleRows = rules.map(({ text, permits, nextChange }): Line[] => [
    [permits ? styled('green', 'permits') : styled('yellow', 'refuses')],
    [plain(`it ${text}${nextChange === undefined ? '' : `; changes ${formatMoment(nextChange, view)}`}`)],
  ]);
  const budgets = pdbs.map(({ namespace, name, allowed }): Line[] => [
    [plain(`${namespace}/${name}`)],
    [styled(allowed > 0 ? 'green' : 'yellow', `allows ${count(allowed, 'eviction')} now`)],
  ]);
  return [
    ...alignColumns(facts, { indent: 2, width: view.width }),
    ...(refusals.length > 0 ? [emptyLine, ...renderRefusals(refusals, view)] : []),
    ...titled('rules', ruleRows, view),
    ...titled('PodDisruptionBudgets', budgets, view),
  ];
}

function rollLines({ rollRequested: request }: PoolWhy, view: WhyView): Line[] {
  if (!request) return [];
  const what = `roll requested ${formatMoment(request.at, view)}${describeSigner(request)}`;
  return alignColumns([[[styled('cyan', `${what} (${count(request.left, 'node')} left)`)]]], {
    indent: 2,
    width: view.width,
  });
}

function poolLines(why: PoolWhy, view: WhyView): Line[] {
  const { width } = view;
  const mine = { pool: why.name };
  const inUse = why.allowances.find(({ reason }) => reason === 'Drifted')?.consumed ?? 0;
  const left = renderAllowances(
    why.allowances.map((it) => ({ ...it, ...mine })),
    view,
  );
  return [
    ...alignColumns([[[dim(`${count(why.counted, 'node')}, ${inUse} in use`)], left]], { indent: 2, width }),
    ...renderBlocked(why.blocked, view),
    ...rollLines(why, view),
    ...(why.backoff
      ? [[plain('  '), styled('yellow', `backs off until ${formatMoment(why.backoff.until, view)}`)]]
      : []),
    ...renderSlow(why.slowClaims, view),
    ...titled(
      'budgets',
      why.budgets.map((budget) => budgetRow(budget, view)),
      view,
    ),
    ...why.turns.flatMap((turn) => [emptyLine, ...turnLines(turn, view)]),
    ...(why.roll ? [emptyLine, ...waveLines(why.roll, view)] : []),
    ...renderDomains(
      why.domains.map((it) => ({ ...it, ...mine })),
      { width },
    ),
    ...why.commands.flatMap((command) => [
      emptyLine,
      [plain('node '), bold(command.nodes.join(', '))],
      ...renderCommand(command, view),
    ]),
    ...titled(
      'may be disrupted now',
      why.mayGo.map((node) => [[styled('green', node)]]),
      view,
    ),
    ...heldLines(why.held, view),
  ];
}

function budgetRow(budget: BudgetWhy, times: TimeView): Line[] {
  const { index, nodes, reasons, topologyKey, sequential, window, active, nextChange } = budget;
  const each = topologyKey === undefined ? '' : ` of each ${topologyKey}${sequential ? ', one domain at a time,' : ''}`;
  const change = nextChange === undefined ? '' : `, ${active ? 'ends' : 'begins'} ${formatMoment(nextChange, times)}`;
  return [
    [plain(`budgets[${index}]`)],
    [active ? styled('green', 'active') : dim('inactive')],
    [
      plain(
        `${nodes}${each}${describeRate(budget, times)} for ${reasons?.join(', ') ?? 'any reason'}${window === undefined ? '' : `, ${window}`}${change}`,
      ),
    ],
  ];
}

/** ` to begin in any 24h (5 used, 0 left, the next at 12:31)`; empty for a limit of nodes at a time. */
function describeRate({ per, used, left, freeAt }: BudgetWhy, times: TimeView): string {
  if (per === undefined) return '';
  const next = freeAt === undefined ? '' : `, the next at ${formatMoment(freeAt, times)}`;
  return ` to begin in any ${per}${used === undefined ? '' : ` (${used} used, ${left} left${next})`}`;
}

function turnLines(turn: TurnWhy, view: WhyView): Line[] {
  const { topologyKey, domain, takenAt, progressAt, inFlight, chosen, settling, passAsked, leftBehind } = turn;
  const rows: Line[][] = [
    [[dim('taken')], [plain(formatMoment(takenAt, view))]],
    [[dim('last progress')], [plain(formatMoment(progressAt, view))]],
    [[dim('in flight')], [plain(inFlight.length === 0 ? 'nothing' : inFlight.join(', '))]],
    ...(chosen === undefined ? [] : [[[dim('chosen now')], [plain(chosen.join(', '))]]]),
    ...(settling === undefined ? [] : [[[dim('settling')], [styled('yellow', settling)]]]),
    ...(passAsked === undefined ? [] : [[[dim('pass requested')], [plain(formatMoment(passAsked, view))]]]),
    ...leftBehind.map((left): Line[] => [
      [dim('left behind')],
      [plain(`${left.domain ?? 'without the label'}: ${left.nodes.join(', ') || 'no drifted nodes left'}`)],
    ]),
  ];
  const holder = domain ?? 'the nodes without the label';
  return [
    [bold('turn'), plain(`  ${topologyKey}: `), styled('green', holder)],
    ...alignColumns(rows, { indent: 2, width: view.width }),
  ];
}

function waveLines(roll: RollWhy, view: WhyView): Line[] {
  const { startedAt, haltedAt, wave, waves, end, counted, done, inFlight, chosen, settling, passAsked } = roll;
  const rows: Line[][] = [
    [[dim('began')], [plain(formatMoment(startedAt, view))]],
    ...(haltedAt === undefined ? [] : [[[dim('halted')], [styled('yellow', formatMoment(haltedAt, view))]]]),
    [[dim('replaced')], [plain(`${done} of ${end ?? counted}`)]],
    [[dim('in flight')], [plain(inFlight.length === 0 ? 'nothing' : inFlight.join(', '))]],
    ...(chosen === undefined ? [] : [[[dim('chosen now')], [plain(chosen.join(', '))]]]),
    ...(settling === undefined ? [] : [[[dim('settling')], [styled('yellow', settling)]]]),
    ...(passAsked === undefined ? [] : [[[dim('pass requested')], [plain(formatMoment(passAsked, view))]]]),
  ];
  const rest = waves === 0 ? 'without waves' : `the rest, after ${count(waves, 'wave')}`;
  const name = end === undefined ? rest : `wave ${wave} of ${waves}`;
  return [[bold('roll'), plain('  '), styled('green', name)], ...alignColumns(rows, { indent: 2, width: view.width })];
}

function heldLines(held: readonly HeldBy[], view: WhyView): Line[] {
  if (held.length === 0) return [];
  return [
    emptyLine,
    [bold('held')],
    ...held.flatMap(({ nodes, others = 0, ...refusal }) => [
      ...alignColumns([[[plain(count(nodes.length, 'node'))], [plain(nodes.join(', '))]]], {
        indent: 2,
        width: view.width,
      }),
      ...renderRefusals(
        [others === 0 ? refusal : { ...refusal, message: `${refusal.message}, and ${others} more like it` }],
        view,
      ),
    ]),
  ];
}
