// Candidates, refusals and commands equal upstream's (A, E, F).
import { describe, expect, it } from 'vitest';
import type { Reason } from '../../src/cluster/reason.ts';
import type { Round, Verdict } from '../../src/engine/verdict.ts';
import { storeOf } from './decide.ts';
import type { Facets } from './differences.ts';
import { type Answers, compareWithUpstream, readCases } from './facets.ts';
import {
  askedEventually,
  askedGracefully,
  candidatesIn,
  decideAlone,
  decideFrozen,
  decideGroupsAlone,
  decideOn,
  describeCommand,
  isLimit,
  type Method,
  objectsOf,
  type PlainCommand,
  type SmallCluster,
  upstreamCommands,
} from './smallCluster.ts';
import { type Trade, type Wanted, worthOf } from './worth.ts';

interface NodeWant {
  readonly graceful: Judgement;
  readonly eventual: Judgement;
  readonly rescheduleDisruptionCost?: number;
}

type Judgement = { readonly candidate: boolean; readonly error?: string };

interface Want {
  /** Absent if an invalid PDB stops everything. */
  readonly nodes?: Readonly<Record<string, NodeWant>>;
  readonly methods: Readonly<Record<MethodName, Method<number>>>;
}

/** A pool without a limit. */
const noLimit = 2 ** 31 - 1;

type MethodName = 'Emptiness' | 'Drift' | 'StaticDrift' | 'MultiNodeConsolidation' | 'SingleNodeConsolidation';

/** Upstream's sentences, of which it reports only the first that applies, and Lull's codes for them. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/isn't managed/, 'unmanaged'],
  [/deleting or marked/, 'underway'],
  [/isn't initialized/, 'NotInitialized'],
  [/is rebooting/, 'Rebooting'],
  [/is nominated/, 'Nominated'],
  [/blocked through .*do-not-disrupt/, 'NodeOptedOut'],
  [/required label|nodepool not found/i, 'PoolMissing'],
  [/pod has .*do-not-disrupt/, 'PodOptedOut'],
  [/multiple PDBs/, 'PdbOverlap'],
  [/pdb prevents/, 'PdbSpent'],
];

const codeOf = ({ candidate, error = '' }: Judgement): string =>
  candidate ? 'ok' : (codes.find(([sentence]) => sentence.test(error))?.[1] ?? error);

/** The refusals of Lull's gates: upstream's if it is among them (J1: all are reported), otherwise all of them. */
function judged(verdict: Verdict | undefined, upstream: string): string {
  if (!verdict) return 'unmanaged';
  if (verdict.outcome === 'underway') return 'underway';
  const said: string[] = verdict.refusals.map(({ code }) => code).filter((code) => !isLimit(code));
  return said.includes(upstream) ? upstream : [...new Set(said)].sort().join(' ') || 'ok';
}

function compareNodes(cluster: SmallCluster, nodes: Readonly<Record<string, NodeWant>>): Answers {
  const asked = { graceful: decideFrozen(askedGracefully(cluster)), eventual: decideFrozen(askedEventually(cluster)) };
  const views = storeOf(objectsOf(cluster)).nodes;
  const upstream: Record<string, string | number> = {};
  const lull: Record<string, string | number> = {};
  for (const [name, want] of Object.entries(nodes)) {
    for (const [kind, reason] of [
      ['graceful', 'Rebalance'],
      ['eventual', 'Drifted'],
    ] as const) {
      upstream[`${kind} ${name}`] = codeOf(want[kind]);
      const verdict = asked[kind].verdicts.find((it) => it.node === name && it.reason === reason);
      lull[`${kind} ${name}`] = judged(verdict, codeOf(want[kind]));
    }
    if (want.rescheduleDisruptionCost === undefined) continue;
    upstream[`cost ${name}`] = want.rescheduleDisruptionCost;
    lull[`cost ${name}`] = views.find(({ node }) => node.name === name)?.cost ?? 0;
  }
  return { upstream, lull };
}

/** The commands of a reason in the order in which they were started. */
const started = (round: Round, reason: Reason, isMine: (pool: string) => boolean): PlainCommand[] =>
  round.commands
    .filter((command) => command.reason === reason && isMine(command.pool))
    .map(({ nodes, replacements }) => ({ candidates: nodes.map(({ name }) => name), replacements }));

/** All commands as one: upstream disrupts empty nodes together, Lull each by itself (L2). */
const describeAll = (commands: readonly PlainCommand[]): string =>
  describeCommand(
    commands.flatMap(({ candidates }) => candidates),
    commands.reduce((sum, { replacements }) => sum + replacements.length, 0),
  ) || 'none';

function compareMethod(cluster: SmallCluster, name: MethodName, method: Method<number>): Answers {
  const { reason, budget = {} } = method;
  const statics = new Set(
    cluster.nodePools.filter(({ spec }) => spec.replicas !== undefined).map((pool) => pool.metadata.name),
  );
  const isMine = (pool: string): boolean => reason !== 'Drifted' || statics.has(pool) === (name === 'StaticDrift');
  const { allowances } = decideOn(cluster);
  const commands = started(decideAlone(cluster, reason), reason, isMine);
  // Upstream starts one command a round, except for empty nodes and static pools, which are disrupted together (F1).
  const together = name === 'Emptiness' || name === 'StaticDrift';
  const first = describeAll(together ? commands : commands.slice(0, 1));
  const pools = Object.keys(budget);
  const key = (what: string): string => `${name} ${what}`;
  const left = (pool: string) => allowances.find((it) => it.pool === pool && it.reason === reason)?.left ?? noLimit;
  return {
    upstream: {
      [key('candidates')]: [...(method.candidates ?? [])].sort().join(' '),
      [key('command')]: upstreamCommands(method, first, describeAll),
      ...Object.fromEntries(pools.map((pool) => [key(`budget ${pool}`), budget[pool] ?? 0])),
      ...(!together && { [key('count')]: (method.unstable?.commands?.[0] ?? method.commands ?? []).length }),
    },
    lull: {
      [key('candidates')]: candidatesIn(decideFrozen(cluster), (it) => it.reason === reason && isMine(it.pool)),
      [key('command')]: first,
      ...Object.fromEntries(pools.map((pool) => [key(`budget ${pool}`), left(pool)])),
      ...(!together && { [key('count')]: commands.length }),
    },
  };
}

/**
 * What upstream would do to consolidate: its group if it has one, otherwise its single node. Lull, groups included, does the
 * same, or saves at least as much and moves no more pods; prices and pods are those of the case's own objects.
 */
function compareConsolidation(cluster: SmallCluster, { methods }: Want): Answers {
  const { MultiNodeConsolidation: multi, SingleNodeConsolidation: single } = methods;
  const first = [multi, single].map(alternativesOf).find((all) => all.some((commands) => commands.length > 0)) ?? [[]];
  const upstream = first.map((commands) => commands.map(tradeOf));
  const lull = tradesOf(decideGroupsAlone(cluster, 'Underutilized'));
  const isAsGood = upstream.some((theirs) => isAtLeastAsGood(cluster, lull, theirs));
  return {
    upstream: { consolidation: isAsGood ? 'as good' : upstream.map((it) => tell(cluster, it)).join(' or ') },
    lull: { consolidation: isAsGood ? 'as good' : tell(cluster, lull) },
  };
}

const alternativesOf = ({ commands = [], unstable }: Method<number>): readonly (readonly UpstreamCommand[])[] =>
  (unstable?.commands ?? [commands]) as readonly (readonly UpstreamCommand[])[];

interface UpstreamCommand {
  readonly candidates: readonly string[];
  readonly replacements: readonly Wanted[];
}

const tradeOf = ({ candidates, replacements }: UpstreamCommand): Trade => ({ nodes: candidates, replacements });

const tradesOf = ({ commands }: Round): Trade[] =>
  commands
    .filter(({ reason }) => reason === 'Underutilized')
    .map(({ nodes, replacements }) => ({
      nodes: nodes.map(({ name }) => name),
      replacements: replacements.map(({ instanceType = '', launch }) => launch ?? { instanceTypes: [instanceType] }),
    }));

/** Lull may start more in one round (F1): the first of its commands, as many as needed, are compared with upstream's one. */
function isAtLeastAsGood(cluster: SmallCluster, ours: readonly Trade[], theirs: readonly Trade[]): boolean {
  if (theirs.length === 0) return ours.length === 0;
  const wanted = worthOf(cluster, theirs);
  return ours.some((_, index) => {
    const { savings, podsMoved } = worthOf(cluster, ours.slice(0, index + 1));
    return savings >= wanted.savings - 1e-9 && podsMoved <= wanted.podsMoved;
  });
}

function tell(cluster: SmallCluster, trades: readonly Trade[]): string {
  const { savings, podsMoved } = worthOf(cluster, trades);
  const words = trades.map(({ nodes, replacements }) => describeCommand(nodes, replacements.length));
  return trades.length === 0 ? 'none' : `${words.join(', ')}: saves ${savings.toFixed(2)}, moves ${podsMoved}`;
}

compareWithUpstream<SmallCluster, Want>('candidates', ({ input, want }) => {
  const methods = Object.entries(want.methods) as [MethodName, Method<number>][];
  const parts = [
    compareNodes(input, want.nodes ?? {}),
    ...methods
      .filter(([name]) => name !== 'MultiNodeConsolidation')
      .map(([name, method]) => compareMethod(input, name, method)),
    compareConsolidation(input, want),
  ];
  return {
    upstream: Object.assign({}, ...parts.map(({ upstream }) => upstream)) as Facets,
    lull: Object.assign({}, ...parts.map(({ lull }) => lull)) as Facets,
  };
});

describe('F5: a replacement never exceeds the limits of its pool, although upstream plans it', () => {
  const reached = readCases<SmallCluster, Want>('candidates').filter(({ name }) => name === 'drift/limits reached');

  it.each(reached)('$name, and a little less', ({ input }) => {
    const nodePools = input.nodePools.map((pool) => ({ ...pool, spec: { ...pool.spec, limits: { cpu: '3' } } }));
    const { verdicts } = decideAlone({ ...input, nodePools }, 'Drifted');
    expect(verdicts.find(({ reason }) => reason === 'Drifted')?.refusals.map(({ code }) => code)).toEqual([
      'NoPlacement',
    ]);
  });
});
