// How is a shadow told to a person? What came of it in a few lines, then every node: held and by what, not asked about, allowed.
import type { Shadow, Shadowed } from '../recording/shadow.ts';
import type { Opinion } from '../recording/shadowVerdict.ts';
import { between, type Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayLength, sayUtc } from './moment.ts';
import { count } from './scene.ts';
import {
  type AtOnce,
  type ShadowSummary,
  type ShadowVerdict,
  summarise,
  verdictOf,
  type Wait,
  waitOf,
} from './shadowSummary.ts';
import { bold, dim, emptyLine, type Line, plain, type Style, styled } from './span.ts';
import { sayUntil } from './until.ts';

export function renderShadow(shadow: Shadow, width: number): Line[] {
  const { from, to, rounds, taken, before } = shadow;
  const summary = summarise(shadow);
  const groups = Map.groupBy(taken, verdictOf);
  const head = `${count(rounds, 'round')} over ${sayLength(between(from, to))}: `;
  return [
    ...alignColumns([[[bold(head), plain(outcomeOf(summary))]]], { indent: 0, width }),
    ...alignColumns(summaryRows(summary, before), { indent: 2, width }),
    ...order.flatMap((verdict) => renderGroup(verdict, groups.get(verdict) ?? [], width)),
    ...notesOn(shadow).flatMap((note) => [emptyLine, ...alignColumns([[[dim(note)]]], { indent: 0, width })]),
  ];
}

const order: readonly ShadowVerdict[] = ['held', 'notAsked', 'allowed'];

const words: Readonly<Record<ShadowVerdict, readonly [head: string, style: Style]>> = {
  held: ['would have been held', 'red'],
  notAsked: ['not asked about', 'cyan'],
  allowed: ['may go by this policy', 'green'],
};

function outcomeOf({ taken, allowed, held, notAsked }: ShadowSummary): string {
  if (taken === 0) return 'no node was taken';
  const all = `${count(taken, 'node')} ${taken === 1 ? 'was' : 'were'} taken`;
  const rest = notAsked === 0 ? '' : `; about ${notAsked} it could not be asked`;
  if (held === 0) return `${all}, and the policy would have held none of them${rest}`;
  return `${all}; the policy allows ${allowed} of them and would have held ${held}${rest}`;
}

type Row = Line[];
const row = (name: string, says: string): Row => [[dim(name)], [plain(says)]];

function summaryRows({ byCode, longestWait, atOnce }: ShadowSummary, before: readonly string[]): Row[] {
  return [
    ...(byCode.size > 0 ? [row('held by', [...byCode].map(([code, many]) => `${code} ${many}`).join(', '))] : []),
    ...(longestWait
      ? [row('longest wait', `${sayWait(longestWait)}: ${longestWait.node}, ${longestWait.reason}`)]
      : []),
    ...atOnce.map((it) => row('at once', sayAtOnce(it))),
    ...(before.length > 0 ? [row('before', `${before.join(', ')}: under way when the recording began`)] : []),
  ];
}

const sayWait = ({ waits, isExact }: Wait): string => `${isExact ? '' : 'at least '}${sayLength(waits)}`;

function sayAtOnce({ pool, topologyKey, domain, nodes, limit, at, zones }: AtOnce): string {
  const where = topologyKey === undefined ? pool : `${pool}, ${sayDomain(topologyKey, domain)}:`;
  const together = zones.length > 1 ? `, in zones ${zones.join(', ')} together` : '';
  return `${where} ${nodes}${limit === undefined ? '' : ` of ${limit}`}${together} (${sayUtc(at)})`;
}

const sayDomain = (topologyKey: string, domain: string | undefined): string =>
  domain === undefined ? `nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${domain}`;

function renderGroup(verdict: ShadowVerdict, its: readonly Shadowed[], width: number): Line[] {
  if (its.length === 0) return [];
  const [head, style] = words[verdict];
  const rows = its.map((it): Line[] => [
    [dim(sayUtc(it.at))],
    [styled(style, it.node)],
    [dim(it.zone === undefined ? it.pool : `${it.pool} ${it.zone}`)],
    [plain(sayOne(it))],
  ]);
  return [emptyLine, [bold(head)], ...alignColumns(rows, { indent: 2, width })];
}

function sayOne(it: Shadowed): string {
  const { reason, opinion, notAsked, at } = it;
  const released = it.releasedAt === undefined ? '' : `; given up again at ${sayUtc(it.releasedAt)}`;
  if (!opinion) return `${reason === undefined ? '' : `${reason}: `}${notAsked}${released}`;
  const why = opinion.refusals.length === 0 ? sayUnits(opinion) : sayHeld(it, opinion, at);
  return `${reason}${why === '' ? '' : `: ${why}`}${released}`;
}

/** The first says the most; of the others the names (-o json has all). */
function sayHeld(it: Shadowed, { refusals, until }: Opinion, at: Instant): string {
  const [first, ...others] = refusals;
  const codes = [...new Set(others.map(({ code }) => code))].filter((code) => code !== first?.code);
  const why = `${first?.code}: ${first?.message}${codes.length > 0 ? `; also ${codes.join(', ')}` : ''}`;
  const wait = waitOf(it);
  if (!wait || typeof until !== 'object' || 'never' in until)
    return until === undefined ? why : `${why}; ${sayUntil(until, at)}`;
  const end = 'at' in until ? `until ${sayUtc(until.at)}` : `not before ${sayUtc(until.notBefore)}`;
  return `${why}; would have waited ${sayWait(wait)}, ${end}`;
}

/** Before it went. */
function sayUnits({ pool: { limit, inUse }, domains }: Opinion): string {
  const parts = [
    ...(limit === undefined ? [] : [`${inUse} of ${limit} in use`]),
    ...domains.map((it) => `${it.inUse} of ${it.limit} in use in ${sayDomain(it.topologyKey, it.domain)}`),
  ];
  return parts.join(', ');
}

/** What is true of it, and what is not asked. */
const caveat =
  'The policy was asked about each node as it was taken, on the cluster as it was then. Nothing is played forward: had one been held, those after it would have come otherwise.';

/** N7. */
const expiry =
  "Karpenter's expiry is a deadline that nothing holds: in the role guide Lull has such nodes replaced before it, while the policy allows it.";

const notesOn = ({ taken }: Shadow): readonly string[] => [
  ...(taken.some((it) => it.reason === 'Expired' && verdictOf(it) === 'held') ? [expiry] : []),
  ...(taken.length > 0 ? [caveat] : []),
];
