// How is the answer to why told to a person? The headline first, then everything behind it.
import type { NodeWhy } from '../engine/why/nodeWhy.ts';
import type { PodWhy } from '../engine/why/podWhy.ts';
import type { Why } from '../engine/why/why.ts';
import type { WishWhy } from '../engine/why/wishWhy.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment, sayUtc } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, type Style, styled } from './span.ts';
import { renderBlocked } from './whyBlocked.ts';
import { renderCommand } from './whyCommand.ts';
import { renderPoolWhy } from './whyPool.ts';
import { type Page, renderRefusals, titled } from './whyRefusals.ts';
import { renderSlow } from './whySlow.ts';

export function renderWhy(why: Why, width: number): Line[] {
  const page = { now: why.at, width };
  return [
    ...alignColumns([[[bold(why.headline)]]], { indent: 0, width }),
    ...body(why, page),
    emptyLine,
    [dim(`as of ${sayUtc(why.at)}`)],
  ];
}

function body(why: Why, page: Page): Line[] {
  if (why.kind === 'node') return nodeLines(why, page);
  return why.kind === 'pod' ? podLines(why, page) : renderPoolWhy(why, page);
}

function nodeLines(why: NodeWhy, page: Page): Line[] {
  const { pool, claim, ready, pods, leftBehind, wishes, command, podsWithASay, blocked, windows } = why;
  const about = [
    pool === undefined ? 'of no pool' : `pool ${pool}`,
    ...(claim === undefined ? [] : [`claim ${claim}`]),
    ready ? 'Ready' : 'not Ready',
    `${count(pods, 'pod')} to move`,
  ];
  const says = podsWithASay.map(({ namespace, name, movable, movableAt, refusals }): Line[] => [
    [plain(`${namespace}/${name}`)],
    [movable ? styled('green', 'may move') : styled('yellow', 'held')],
    [plain([...refusals.map(({ message }) => message), ...from(movableAt, page.now)].join('; '))],
  ]);
  return [
    [dim(`  ${about.join(', ')}`)],
    ...renderBlocked(blocked, page),
    ...titled('left behind', leftBehind === undefined ? [] : [[[plain(leftBehind)]]], page),
    ...(command ? [emptyLine, ...renderCommand(command, page)] : []),
    ...renderSlow(why.slowClaims, page),
    ...wishes.flatMap((wish) => [emptyLine, ...renderWish(wish, page)]),
    ...titled('pods with a say', says, page),
    ...titled(
      'windows over it',
      windows.map((name) => [[plain(name)]]),
      page,
    ),
  ];
}

const from = (at: Instant | undefined, now: Instant): string[] =>
  at === undefined ? [] : [`from ${sayMoment(at, now)}`];

const styleOf: Readonly<Record<WishWhy['outcome'], Style>> = { go: 'green', underway: 'cyan', held: 'yellow' };
const words: Readonly<Record<WishWhy['outcome'], string>> = { go: 'may go now', underway: 'under way', held: 'held' };

function renderWish(wish: WishWhy, page: Page): Line[] {
  const { reason, outcome, detail, podsAgreeAt, neverMeet = [], refusals } = wish;
  const facts: Line[][] = [
    ...(detail === undefined ? [] : [[[dim('because')], [plain(detail)]]]),
    ...neverMeet.map(({ message }): Line[] => [[styled('yellow', 'never meets')], [plain(message)]]),
    ...(podsAgreeAt === undefined ? [] : [[[dim('pods agree')], [plain(sayMoment(podsAgreeAt, page.now))]]]),
  ];
  return [
    [bold(reason), plain('  '), styled(styleOf[outcome], `${words[outcome]}${untilOf(wish, page.now)}`)],
    ...alignColumns(facts, { indent: 2, width: page.width }),
    ...renderRefusals(refusals, page),
  ];
}

function untilOf({ outcome, waitsFor, until, possibleAt }: WishWhy, now: Instant): string {
  if (outcome !== 'held') return '';
  if (until !== undefined) return ` until ${sayMoment(until, now)}`;
  if (possibleAt === 'never') return ', never possible as its rules are';
  if (possibleAt !== undefined && possibleAt > now) return `, not before ${sayMoment(possibleAt, now)}`;
  return `, waits for ${waitsFor === 'the clock' ? 'its hours' : (waitsFor ?? 'the cluster')}`;
}

function podLines({ owner, node, movable, movableAt, refusals, rules, pdbs }: PodWhy, page: Page): Line[] {
  const { now } = page;
  const facts: Line[][] = [
    ...(owner === undefined ? [] : [[[dim('owner')], [plain(owner)]]]),
    ...(node ? [[[dim('node')], [plain(node.headline)]]] : []),
    [
      [dim('movable')],
      [
        movable
          ? styled('green', 'now')
          : styled('yellow', movableAt === undefined ? 'not by time alone' : `from ${sayMoment(movableAt, now)}`),
      ],
    ],
  ];
  const told = rules.map(({ text, permits, nextChange }): Line[] => [
    [permits ? styled('green', 'permits') : styled('yellow', 'refuses')],
    [plain(`it ${text}${nextChange === undefined ? '' : `; changes ${sayMoment(nextChange, now)}`}`)],
  ]);
  const budgets = pdbs.map(({ namespace, name, allowed }): Line[] => [
    [plain(`${namespace}/${name}`)],
    [styled(allowed > 0 ? 'green' : 'yellow', `allows ${count(allowed, 'eviction')} now`)],
  ]);
  return [
    ...alignColumns(facts, { indent: 2, width: page.width }),
    ...(refusals.length > 0 ? [emptyLine, ...renderRefusals(refusals, page)] : []),
    ...titled('rules', told, page),
    ...titled('PodDisruptionBudgets', budgets, page),
  ];
}
