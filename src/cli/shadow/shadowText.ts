// The answer of `lull shadow` as text: a summary, then every node.
import type { Shadow, ShadowedNode } from '../../recording/shadow.ts';
import type { Opinion } from '../../recording/shadowVerdict.ts';
import { between, type Duration, type Instant } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import { describeUntil, formatLength, formatTime, messageInZone, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, type Style, styled } from '../span.ts';

type ShadowVerdict = 'allowed' | 'held' | 'notAsked';

interface ShadowSummary {
  readonly taken: number;
  readonly allowed: number;
  readonly held: number;
  readonly notAsked: number;
  /** How many nodes each code would have held, largest first. A node can be held by several codes. */
  readonly byCode: ReadonlyMap<string, number>;
  readonly longestWait?: HoldTime & { readonly node: string; readonly reason: string };
  /** The most nodes at a time, and the limit at that instant, by pool and by domain of a topology budget. */
  readonly atOnce: readonly ConcurrencyPeak[];
}

/** How long a node would have been held: at least, or exactly where time alone lifts every refusal. */
export interface HoldTime {
  readonly waits: Duration;
  readonly isExact: boolean;
}

interface ConcurrencyPeak {
  readonly pool: string;
  readonly topologyKey?: string;
  readonly domain?: string;
  readonly nodes: number;
  readonly limit?: number;
  readonly at: Instant;
  readonly zones: readonly string[];
}

export function verdictOf({ opinion }: ShadowedNode): ShadowVerdict {
  if (!opinion) return 'notAsked';
  return opinion.refusals.length === 0 ? 'allowed' : 'held';
}

/** Undefined where no rule of time holds it, or the rules conflict. */
export function waitOf({ at, opinion }: ShadowedNode): HoldTime | undefined {
  const { until } = opinion ?? {};
  if (typeof until !== 'object' || 'never' in until) return undefined;
  return 'at' in until
    ? { waits: between(at, until.at), isExact: true }
    : { waits: between(at, until.notBefore), isExact: false };
}

export function summarise({ taken }: Shadow): ShadowSummary {
  const byVerdict = Map.groupBy(taken, verdictOf);
  const countOf = (verdict: ShadowVerdict): number => byVerdict.get(verdict)?.length ?? 0;
  const longest = longestOf(taken);
  return {
    taken: taken.length,
    allowed: countOf('allowed'),
    held: countOf('held'),
    notAsked: countOf('notAsked'),
    byCode: countCodes(taken),
    ...(longest && { longestWait: longest }),
    atOnce: [...Map.groupBy(taken, ({ pool }) => pool)].flatMap(([pool, its]) => [
      ...mostOf(pool, its),
      ...mostInDomains(pool, its),
    ]),
  };
}

function countCodes(taken: readonly ShadowedNode[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { opinion } of taken) {
    const codes = new Set((opinion?.refusals ?? []).map(({ code }) => code));
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)));
}

function longestOf(taken: readonly ShadowedNode[]): ShadowSummary['longestWait'] {
  let longest: ShadowSummary['longestWait'];
  for (const it of taken) {
    const wait = waitOf(it);
    if (wait && it.reason && wait.waits > (longest?.waits ?? -1))
      longest = { node: it.node, reason: it.reason, ...wait };
  }
  return longest;
}

function mostOf(pool: string, taken: readonly ShadowedNode[]): ConcurrencyPeak[] {
  let most: ConcurrencyPeak | undefined;
  for (const { at, opinion } of taken) {
    if (!opinion || opinion.inFlight <= (most?.nodes ?? 0)) continue;
    const { limit } = opinion.pool;
    most = { pool, nodes: opinion.inFlight, ...(limit !== undefined && { limit }), at, zones: opinion.zones };
  }
  return most ? [most] : [];
}

function mostInDomains(pool: string, taken: readonly ShadowedNode[]): ConcurrencyPeak[] {
  const most = new Map<string, ConcurrencyPeak>();
  for (const { at, opinion } of taken) {
    for (const { inUse, ...domain } of opinion?.domains ?? []) {
      const key = JSON.stringify([domain.topologyKey, domain.domain]);
      const nodes = inUse + 1;
      if (nodes > (most.get(key)?.nodes ?? 0)) most.set(key, { pool, ...domain, nodes, at, zones: [] });
    }
  }
  return [...most].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
}

interface ShadowView {
  readonly width: number;
  readonly zone: Zone;
}

export function renderShadow(shadow: Shadow, view: ShadowView): Line[] {
  const { width, zone } = view;
  const { from, to, rounds, taken, before } = shadow;
  const summary = summarise(shadow);
  const groups = Map.groupBy(taken, verdictOf);
  const head = `${count(rounds, 'round')} over ${formatLength(between(from, to))}: `;
  return [
    ...alignColumns([[[bold(head), plain(outcomeOf(summary))]]], { indent: 0, width }),
    ...alignColumns(summaryRows(summary, before, zone), { indent: 2, width }),
    ...order.flatMap((verdict) => renderGroup(verdict, groups.get(verdict) ?? [], view)),
    ...notesOn(shadow).flatMap((note) => [emptyLine, ...alignColumns([[[dim(note)]]], { indent: 0, width })]),
  ];
}

const order: readonly ShadowVerdict[] = ['held', 'notAsked', 'allowed'];

const titles: Readonly<Record<ShadowVerdict, readonly [title: string, style: Style]>> = {
  held: ['would have been held', 'red'],
  notAsked: ['not evaluated', 'cyan'],
  allowed: ['allowed by the policy', 'green'],
};

function outcomeOf({ taken, allowed, held, notAsked }: ShadowSummary): string {
  if (taken === 0) return 'Karpenter disrupted no node';
  const all = `Karpenter disrupted ${count(taken, 'node')}`;
  const rest = notAsked === 0 ? '' : `; ${notAsked} could not be evaluated`;
  if (held === 0) return `${all}; the policy would have held none of them${rest}`;
  return `${all}; the policy allows ${allowed} and would have held ${held}${rest}`;
}

const row = (name: string, text: string): Line[] => [[dim(name)], [plain(text)]];

function summaryRows({ byCode, longestWait, atOnce }: ShadowSummary, before: readonly string[], zone: Zone): Line[][] {
  return [
    ...(byCode.size > 0 ? [row('held by', [...byCode].map(([code, many]) => `${code} ${many}`).join(', '))] : []),
    ...(longestWait
      ? [row('longest wait', `${formatHoldTime(longestWait)}: ${longestWait.node}, ${longestWait.reason}`)]
      : []),
    ...atOnce.map((it) => row('most at a time', describePeak(it, zone))),
    ...(before.length > 0 ? [row('not included', `${before.join(', ')}: under way when the recording began`)] : []),
  ];
}

const formatHoldTime = ({ waits, isExact }: HoldTime): string => `${isExact ? '' : 'at least '}${formatLength(waits)}`;

function describePeak({ pool, topologyKey, domain, nodes, limit, at, zones }: ConcurrencyPeak, zone: Zone): string {
  const where = topologyKey === undefined ? pool : `${pool}, ${describeDomain(topologyKey, domain)}:`;
  const together = zones.length > 1 ? `, in zones ${zones.join(', ')} at the same time` : '';
  return `${where} ${nodes}${limit === undefined ? '' : ` of ${limit}`}${together} (${formatTime(at, zone)})`;
}

const describeDomain = (topologyKey: string, domain: string | undefined): string =>
  domain === undefined ? `nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${domain}`;

function renderGroup(verdict: ShadowVerdict, its: readonly ShadowedNode[], { width, zone }: ShadowView): Line[] {
  if (its.length === 0) return [];
  const [title, style] = titles[verdict];
  const rows = its.map((it): Line[] => [
    [dim(formatTime(it.at, zone))],
    [styled(style, it.node)],
    [dim(it.zone === undefined ? it.pool : `${it.pool} ${it.zone}`)],
    [plain(describeShadowed(it, zone))],
  ]);
  return [emptyLine, [bold(title)], ...alignColumns(rows, { indent: 2, width })];
}

function describeShadowed(it: ShadowedNode, zone: Zone): string {
  const { reason, opinion, notAsked, at } = it;
  const released = it.releasedAt === undefined ? '' : `; Karpenter gave it up at ${formatTime(it.releasedAt, zone)}`;
  if (!opinion) return `${reason === undefined ? '' : `${reason}: `}${notAsked}${released}`;
  const why = opinion.refusals.length === 0 ? describeUse(opinion) : describeHold(it, opinion, { now: at, zone });
  return `${reason}${why === '' ? '' : `: ${why}`}${released}`;
}

/** The first refusal with its message, the others by their codes; -o json has all. */
function describeHold(it: ShadowedNode, { refusals, until }: Opinion, times: TimeView): string {
  const { zone } = times;
  const [first, ...others] = refusals;
  const codes = [...new Set(others.map(({ code }) => code))].filter((code) => code !== first?.code);
  const why = `${first?.code}: ${messageInZone(first?.message ?? '', zone)}${codes.length > 0 ? `; also ${codes.join(', ')}` : ''}`;
  const wait = waitOf(it);
  if (!wait || typeof until !== 'object' || 'never' in until)
    return until === undefined ? why : `${why}; ${describeUntil(until, times)}`;
  const end =
    'at' in until ? `until ${formatTime(until.at, zone)}` : `at least until ${formatTime(until.notBefore, zone)}`;
  return `${why}; would have been held ${end} (${formatLength(wait.waits)})`;
}

/** The pool's use of its limits before this node. */
function describeUse({ pool: { limit, inUse }, domains }: Opinion): string {
  const parts = [
    ...(limit === undefined ? [] : [`${inUse} of ${limit} in use`]),
    ...domains.map((it) => `${it.inUse} of ${it.limit} in use in ${describeDomain(it.topologyKey, it.domain)}`),
  ];
  return parts.join(', ');
}

const caveat =
  'Each node is evaluated when Karpenter disrupted it, on the cluster as it was then. Nothing is simulated forward: had one node been held, later ones might have been disrupted at other times.';

/** Expiry cannot be held (N7). */
const expiry =
  "Karpenter's expiry is a deadline that no policy holds: in the role guide, Lull has such nodes replaced before it, while the policy allows it.";

const notesOn = ({ taken }: Shadow): readonly string[] => [
  ...(taken.some((it) => it.reason === 'Expired' && verdictOf(it) === 'held') ? [expiry] : []),
  ...(taken.length > 0 ? [caveat] : []),
];
