// Property tests of `lull why`: any readable input, and agreement with `lull decide`.
import { describe, expect, it } from 'vitest';
import { extremes } from '../../../test/hostile/extremeObjects.ts';
import { readable } from '../../../test/hostile/hostileFiles.ts';
import { load, storeOf } from '../../../test/invariants/decide.ts';
import { randomCluster } from '../../../test/invariants/randomCluster.ts';
import { defaultSettings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { decideRound } from '../../engine/round.ts';
import type { Round, Verdict } from '../../engine/verdict.ts';
import type { NodeWhy } from '../../engine/why/nodeWhy.ts';
import type { PoolWhy } from '../../engine/why/poolWhy.ts';
import { explainWhy, findTarget, nameOfTarget, type WhyTarget } from '../../engine/why/why.ts';
import { whyAsJson, whyFromJson } from '../../engine/why/whyJson.ts';
import { isWorthTelling } from '../../engine/why/wishWhy.ts';
import { type Instant, parseInstant } from '../../time/instant.ts';
import { Failure } from '../failure.ts';
import { utc } from '../formatTime.ts';
import { gatherInput, type Input } from '../input.ts';
import { renderWhy } from './whyText.ts';

/** Files are all read in the same way, so small ones are enough. */
const small = 10_000;
/** Huge inputs are tested with the reader. */
const large = 200_000;
const texts = [
  ...readable
    .filter(({ content }) => content.length < small)
    .map(({ name, content }) => ({ name, text: String(content) })),
  ...extremes.map(({ name, objects }) => ({ name, text: objects.map((it) => JSON.stringify(it)).join('\n') })),
].filter(({ text }) => text.length < large);

const mostTargets = 20;

function* targetsIn({ nodes, pools, pendingPods }: Cluster): Generator<WhyTarget> {
  for (const name of pools.keys()) yield { kind: 'pool', name };
  for (const { node } of nodes) yield { kind: 'node', name: node.name };
  for (const { namespace, name } of [...nodes.flatMap(({ pods }) => pods), ...pendingPods])
    yield { kind: 'pod', namespace, name };
}

function gathered(text: string): Input | undefined {
  try {
    return gatherInput([{ file: 'x', text }]);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

describe('K1: why for any readable input', () => {
  it.each(texts)('$name', ({ text }) => {
    const input = gathered(text);
    if (!input) return;
    const round = decideRound(input, parseInstant('2026-11-17T10:20:00Z') as Instant, defaultSettings);
    for (const target of [...targetsIn(input.cluster)].slice(0, mostTargets)) {
      const why = explainWhy({ round, role: defaultSettings.role }, input.cluster, target);
      if (!why) throw new Error(`nothing about ${nameOfTarget(target)}`);
      expect(why.headline).not.toMatch(/undefined|NaN|\[object/);
      expect(renderWhy(why, { width: 80, zone: utc }).length).toBeGreaterThan(2);
      expect(whyFromJson(JSON.parse(JSON.stringify(whyAsJson(why))))).toBeDefined();
      // A name may look like a kind and a name; it must not make findTarget fail.
      expect(findTarget(input.cluster, nameOfTarget(target))).toBeDefined();
    }
  });
});

/** Random clusters: half of them with commands of earlier rounds, all roles. */
const clusterSeeds = Array.from({ length: 60 }, (_, index) => index + 1);

/** Nodes under way by a command of an earlier round, or being removed by something else. */
function flyingIn({ verdicts, commands }: Round, { nodes }: Cluster): Set<string> {
  const going = new Set(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
  return new Set([
    ...commands.flatMap((command) => command.nodes.map(({ name }) => name)).filter((name) => !going.has(name)),
    ...verdicts.filter(({ outcome }) => outcome === 'underway').map(({ node }) => node),
    ...nodes.filter(({ state }) => state.leaving).map(({ node }) => node.name),
  ]);
}

const figure = (text: string, words: RegExp): number => Number(words.exec(text)?.[1] ?? 0);

function wrongInPool(why: PoolWhy, round: Round, cluster: Cluster): string[] {
  const mine = round.verdicts.filter(({ pool }) => pool === why.name);
  const nodesWith = (outcome: Verdict['outcome']): Set<string> =>
    new Set(mine.filter((it) => it.outcome === outcome && isWorthTelling(it)).map(({ node }) => node));
  const [go, underway] = [nodesWith('go'), nodesWith('underway')];
  const held = nodesWith('held').difference(go).difference(underway);
  const flying = flyingIn(round, cluster);
  const isCounted = /^\S+ has \d/.test(why.headline);
  const counts: readonly [RegExp, number][] = [
    [/(\d+) nodes? to disrupt now/, go.size],
    [/(\d+) under way/, underway.size],
    [/(\d+) held: /, held.size],
  ];
  return [
    ...counts.flatMap(([words, count]) =>
      isCounted && figure(why.headline, words) !== count ? [`${why.headline}: should be ${count} of ${words}`] : [],
    ),
    ...(new Set(why.mayGo).symmetricDifference(go).size > 0 ? [`may go: ${why.mayGo}, and decide: ${[...go]}`] : []),
    ...why.turns.flatMap(({ inFlight, chosen = [] }) => [
      ...inFlight.filter((node) => go.has(node)).map((node) => `${node} is in flight and not begun`),
      ...chosen.filter((node) => !go.has(node)).map((node) => `${node} is chosen and does not go`),
    ]),
    ...why.commands.flatMap(({ stage, nodes }) =>
      (stage === 'underway') === nodes.every((node) => flying.has(node)) ? [] : [`${nodes} is ${stage}`],
    ),
    ...why.budgets.flatMap(({ topologyKey, reasons, index }) =>
      topologyKey !== undefined && String(reasons) !== 'Drifted' ? [`budget ${index} binds ${reasons}`] : [],
    ),
    ...why.held.flatMap(({ code, nodes }) => [
      ...nodes.filter((node) => go.has(node)).map((node) => `${node} goes and is held by ${code}`),
      ...nodes
        .filter((node) => !mine.some((it) => it.node === node && it.refusals.some((refusal) => refusal.code === code)))
        .map((node) => `${node} is not held by ${code}`),
    ]),
  ];
}

/** Statements of a refusal about other nodes must be true. */
function wrongInRefusals(round: Round, cluster: Cluster): string[] {
  const flying = flyingIn(round, cluster);
  const isChosen = round.verdicts.some(({ outcome }) => outcome === 'go');
  return round.verdicts.flatMap(({ node, pool, reason, refusals }) =>
    refusals.flatMap(({ code, message, owner }) => {
      const said = `${node} ${reason}: ${message}`;
      if (/chosen in this round/.test(message) && !isChosen) return [`${said}, and none is chosen`];
      if (/leave already/.test(message) && flying.size === 0) return [`${said}, and none leaves`];
      const inUse = /(\d+) in use/.exec(message)?.[1];
      if (inUse === undefined || owner?.kind !== 'NodePool' || message.startsWith('Karpenter')) return [];
      const allowance = round.allowances.find((it) => it.pool === pool && it.reason === reason);
      const domains = round.domains.filter((it) => it.pool === pool).map(({ consumed }) => consumed);
      const known = code === 'BudgetSpent' ? [allowance?.consumed] : code === 'DomainBudgetSpent' ? domains : undefined;
      return known && !known.includes(Number(inUse)) ? [`${said}, and in use are ${known}`] : [];
    }),
  );
}

/** "until" names the instant at which all rules of time permit it (J1). */
function wrongInNode(why: NodeWhy): string[] {
  const instants = why.wishes.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const isHeld = why.command === undefined && why.wishes.every(({ outcome }) => outcome === 'held');
  return [
    ...(isHeld && / is held until (?!the cluster|someone)/.test(why.headline) && instants.length === 0
      ? [why.headline]
      : []),
    ...why.wishes.flatMap(({ reason, outcome, possibleAt, waitsFor, until, neverMeet = [] }) => [
      ...(outcome === 'held' && waitsFor === undefined ? [`${reason} is held and waits for nothing`] : []),
      ...(until !== undefined && (until !== possibleAt || waitsFor !== 'the clock')
        ? [`${reason} until ${until}`]
        : []),
      ...((possibleAt === 'never') === neverMeet.length > 0
        ? []
        : [`${reason} is possible ${possibleAt}: ${neverMeet}`]),
    ]),
  ];
}

describe('J1: every line of why agrees with every other and with decide', () => {
  it.each(clusterSeeds)('random cluster %i', (seed) => {
    const { changes, ledger, at, settings } = load(randomCluster(seed));
    const cluster = storeOf(changes);
    const round = decideRound({ cluster, ledger }, at, settings);
    const told = { round, role: settings.role };
    const wrong = [...wrongInRefusals(round, cluster)];
    for (const target of targetsIn(cluster)) {
      const why = target.kind === 'pod' ? undefined : explainWhy(told, cluster, target);
      if (why?.kind === 'pool') wrong.push(...wrongInPool(why, round, cluster));
      if (why?.kind === 'node') wrong.push(...wrongInNode(why));
    }
    expect(wrong).toEqual([]);
  });
});
