import { describe, expect, it } from 'vitest';
import { type Reason, reasons } from '../../src/cluster/reason.ts';
import { refusalCodes } from '../../src/engine/refusal.ts';
import type { Round, Verdict } from '../../src/engine/verdict.ts';
import { decide } from './decide.ts';
import { clusterOf, clusters, forAll } from './forAll.ts';
import { isLeaving, type Seen, see, startsOf } from './oracle/cluster.ts';
import { plainWishes } from './oracle/wishes.ts';

const keyOf = ({ node, reason }: Pick<Verdict, 'node' | 'reason'>): string => `${node} ${reason}`;
const repeated = (keys: readonly string[]): string[] => keys.filter((key, index) => keys.indexOf(key) < index);

describe('A1, L2: every wish', () => {
  it('has one verdict, and no verdict is without a wish', () => {
    forAll((plain) => {
      const { verdicts } = decide(plain);
      const seen = see(plain);
      const wanted = plainWishes(seen);
      const apart = plain.settings.drift === 'computed' ? ['Expired', 'Drifted'] : ['Expired'];
      const had = verdicts.filter(({ reason }) => !apart.includes(reason)).map(keyOf);
      return [
        ...repeated(verdicts.map(keyOf)).map((key) => `A1: two verdicts for ${key}`),
        ...[...wanted].filter((key) => !had.includes(key)).map((key) => `A1: no verdict for ${key}`),
        ...had.filter((key) => !wanted.has(key)).map((key) => `A1: a verdict for ${key}, which has no such wish`),
      ];
    });
  });

  it('has the outcome go exactly if a command of this round disrupts the node for it', () => {
    forAll((plain) => {
      const round = decide(plain);
      const taken = startsOf(round, see(plain)).map(({ host, reason }) => `${host.name} ${reason}`);
      const going = round.verdicts.filter(({ outcome }) => outcome === 'go').map(keyOf);
      return [
        ...going.filter((key) => !taken.includes(key)).map((key) => `L2: ${key} goes without a command`),
        ...taken.filter((key) => !going.includes(key)).map((key) => `L2: a command for ${key}, which does not go`),
        ...repeated(taken.map((key) => key.split(' ')[0] ?? '')).map((node) => `A1: two commands take ${node}`),
      ];
    });
  });

  it('has an outcome that agrees with its node and its refusals', () => {
    forAll((plain) => {
      const round = decide(plain);
      const seen = see(plain);
      const going = new Set(round.verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
      return round.verdicts.flatMap((verdict) => contradictions(verdict, going, seen));
    });
  });
});

function contradictions(verdict: Verdict, going: ReadonlySet<string>, seen: Seen): string[] {
  const { node, outcome, refusals } = verdict;
  const host = seen.hosts.get(node);
  const isUnderway = host !== undefined && isLeaving(host, seen);
  const wrong: string[] = [];
  if ((outcome === 'underway') !== isUnderway)
    wrong.push(`is ${outcome}, though the node is ${isUnderway ? '' : 'not '}leaving`);
  if ((outcome === 'held') !== refusals.length > 0) wrong.push(`is ${outcome} with ${refusals.length} refusals`);
  if (outcome === 'held' && going.has(node) && !refusals.some(({ code }) => code === 'AlreadyUnderway')) {
    wrong.push('is held on a node that goes, without AlreadyUnderway');
  }
  if (!going.has(node) && refusals.some(({ code }) => code === 'AlreadyUnderway'))
    wrong.push('is AlreadyUnderway, but is not');
  if (verdict.claim !== host?.claim?.metadata.name) wrong.push(`names claim ${verdict.claim}`);
  if (refusals.some(({ liftsAt }) => liftsAt !== undefined && liftsAt <= seen.now)) wrong.push('lifts in the past');
  if (new Set(refusals.map((it) => JSON.stringify(it))).size < refusals.length)
    wrong.push('is refused twice by the same thing');
  return wrong.map((what) => `L2: ${keyOf(verdict)} ${what}`);
}

describe('L2: a round', () => {
  it('is sorted: verdicts by pool, node and reason, starts by reason (F1)', () => {
    forAll((plain) => {
      const round = decide(plain);
      const places = round.verdicts.map(({ pool, node, reason }) => [pool, node, reasons.indexOf(reason)] as const);
      const starts = startsOf(round, see(plain)).map(({ reason }) => reasons.indexOf(reason as Reason));
      expect(places).toEqual([...places].sort(([p, n, r], [q, m, s]) => compare(p, q) || compare(n, m) || r - s));
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      return [];
    });
  });

  it('has consistent allowances, domains, windows and pods', () => {
    forAll((plain) => sums(decide(plain)));
  });
});

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function sums({ at, allowances, domains, windows, pods, wakeAt, commands }: Round): string[] {
  const isWrong = [
    ...allowances.filter(
      ({ limit, left, consumed }) => left !== (limit === undefined ? undefined : Math.max(0, limit - consumed)),
    ),
    ...allowances.filter(({ nextChange }) => nextChange !== undefined && nextChange <= at),
    ...domains.filter(
      ({ limit, left, consumed, counted }) => left !== Math.max(0, limit - consumed) || consumed > counted,
    ),
    ...windows.filter(
      ({ selected, holding, nextChange }) => holding > selected || (nextChange !== undefined && nextChange <= at),
    ),
    ...pods.filter(({ movable, refusals }) => movable !== (refusals.length === 0)),
    ...pods.filter(({ movable, movableAt }) => movableAt !== undefined && (movable || movableAt <= at)),
  ].map((entry) => `L2: ${JSON.stringify(entry)} does not add up`);
  if (wakeAt !== undefined && (wakeAt <= at || wakeAt % 1000 !== 0))
    isWrong.push(`L2: wakeAt is ${wakeAt - at} ms from now`);
  const perPool = Map.groupBy(allowances, ({ pool }) => pool);
  for (const [pool, mine] of perPool) if (mine.length !== 6) isWrong.push(`J2: ${mine.length} allowances for ${pool}`);
  return [...isWrong, ...repeated(commands.map(({ id }) => id)).map((id) => `G2: two commands are called ${id}`)];
}

const enough = 50;
/** Fewer nodes are started than refused, but a property of starts proves nothing if there are none. */
const enoughGo = 15;

describe('L3: the random clusters', () => {
  const rounds = Array.from({ length: clusters }, (_, index) => decide(clusterOf(index + 1)));

  it('reach every refusal code at least 50 times', () => {
    expect(rare(Object.keys(refusalCodes), codesOf(rounds), enough)).toEqual({});
  });

  it('start nodes for every reason at least 15 times', () => {
    const going = rounds.flatMap(({ verdicts }) => verdicts.filter(({ outcome }) => outcome === 'go'));
    const counts = going.map(({ reason }) => reason);
    expect(rare(reasons, counts, enoughGo)).toEqual({});
  });
});

/** Each code once per verdict, regardless of how many pods or windows cause it. */
const codesOf = (rounds: readonly Round[]): string[] =>
  rounds.flatMap(({ verdicts }) => verdicts.flatMap(({ refusals }) => [...new Set(refusals.map(({ code }) => code))]));

function rare(wanted: readonly string[], had: readonly string[], least: number): Record<string, number> {
  const counts = wanted.map((name) => [name, had.filter((it) => it === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count < least));
}
