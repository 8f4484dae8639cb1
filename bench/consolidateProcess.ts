// node --expose-gc consolidateProcess.ts NODES UTILISATION judging|round: one cluster, measured in its own process. Prints one line of JSON.
import { emptyLedger } from '../src/cluster/ledger.ts';
import { ClusterStore } from '../src/cluster/store.ts';
import { longSearch, searchGroups } from '../src/engine/consolidation/searchGroups.ts';
import type { Decision } from '../src/engine/decision.ts';
import { BoardLease } from '../src/engine/placement/boardLease.ts';
import type { ClusterBoard } from '../src/engine/placement/clusterBoard.ts';
import { decide, searchBefore } from '../src/engine/round.ts';
import { type Facts, observe } from '../src/engine/situation.ts';
import { readSettings } from '../src/kinds/readSettings.ts';
import { asInstant, type Instant, parseInstant } from '../src/time/instant.ts';
import type { Figures, Judging, RoundFigures, SearchFigures } from './consolidateFigures.ts';
import { asChange } from './grownCluster.ts';
import { decidedAt, mixedCatalogue, mixedObjects } from './mixedCluster.ts';

const [nodes = 100, utilisation = 0.45] = process.argv.slice(2, 4).map(Number);
const part = process.argv[4] ?? 'round';
const now = parseInstant(decidedAt) as Instant;
const { settings } = readSettings({ role: 'drive', catalogue: mixedCatalogue });
const changes = 15;

/** About every thousandth node's pod, to be changed: the raw object, applied again with other labels or requests. */
const changed: unknown[] = [];
const store = new ClusterStore();
let pods = 0;
for (const object of mixedObjects({ nodes, utilisation })) {
  store.apply(asChange(object));
  if ((object as { kind: string }).kind !== 'Pod') continue;
  if (pods % Math.max(1, Math.floor((nodes * 20) / changes)) === 5) changed.push(object);
  pods++;
}
const facts: Facts = { cluster: store, ledger: emptyLedger };

/** Processor time of this thread: on a shared machine the wall clock measures the others' load. */
function timed<Value>(run: () => Value): { readonly value: Value; readonly ms: number } {
  const began = workedMs();
  const value = run();
  return { value, ms: workedMs() - began };
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

/** One pod requests a little more or a little less, as in a rollout of its app. */
function changeOne(turn: number): void {
  const object = structuredClone(changed[turn % changed.length]) as {
    spec: { containers: { resources: { requests: { cpu: string } } }[] };
  };
  for (const { resources } of object.spec.containers) {
    resources.requests.cpu = `${Number.parseInt(resources.requests.cpu, 10) + (turn % 2 === 0 ? -1 : 0)}m`;
  }
  store.apply(asChange(object));
}

function benchRound(): { decision: Decision; figures: RoundFigures } {
  const { value: decision, ms: firstMs } = timed(() => decide(facts, now, settings));
  const figures = { firstMs, ...worthOf(decision), afterChangeMs: 0 };
  return { decision, figures };
}

/** As in a running cluster: the commands of the first round are under way. */
const benchLater = ({ ledger }: Decision): number =>
  median(
    Array.from({ length: changes }, (_, turn) => {
      changeOne(turn);
      return timed(() => decide({ ...facts, ledger }, asInstant(now + turn + 1), settings)).ms;
    }),
  );

function worthOf({ started }: Decision): Pick<RoundFigures, 'commands' | 'savings' | 'podsMoved'> {
  const commands = started.map(({ command }) => command).filter(({ reason }) => reason === 'Underutilized');
  return {
    commands: commands.length,
    savings: commands.reduce((sum, { savings = 0 }) => sum + savings, 0),
    podsMoved: commands.reduce((sum, { podsMoved = 0 }) => sum + podsMoved, 0),
  };
}

function benchJudging(): Judging {
  // Settings that are equal but not identical drop every cache except the store's own.
  const situation = observe(facts, now, { ...settings });
  const lease = new BoardLease(facts.cluster);
  const opened = timed(() => lease.open(situation));
  const judged = timed(() => judgeAll(opened.value, situation.cluster.nodes));
  const later = Array.from({ length: changes }, (_, turn) => {
    changeOne(turn);
    return timed(() => judgeAll(lease.open(observe(facts, now, settings)), store.nodes)).ms;
  });
  return {
    openMs: opened.ms,
    allMs: judged.ms,
    candidates: nodes,
    fitting: judged.value,
    afterChangeMs: median(later),
  };
}

function judgeAll({ board, removals }: ClusterBoard, views: Facts['cluster']['nodes']): number {
  let fitting = 0;
  for (const { node } of views) {
    const row = board.rows.of(node.name);
    if (row !== undefined && removals.of(row).unplaced.length === 0) fitting++;
  }
  return fitting;
}

/** Over all nodes that could be consolidated, before anything is chosen, as `lull decide` searches. */
function benchSearch(): SearchFigures {
  const made = timed(() => searchBefore(facts, now, settings));
  const none = { taskMs: 0, firstMs: 0, allMs: 0, proposals: 0, commands: 0, savings: 0, podsMoved: 0 };
  if (!made.value) return none;
  const began = workedMs();
  let firstMs: number | undefined;
  const searching = searchGroups(made.value, longSearch);
  let next = searching.next();
  while (!next.done) {
    if (next.value.length > 0) firstMs ??= workedMs() - began;
    next = searching.next();
  }
  const allMs = workedMs() - began;
  const proposals = next.value;
  const decision = decide({ ...facts, proposals }, now, settings);
  return { taskMs: made.ms, firstMs: firstMs ?? allMs, allMs, proposals: proposals.length, ...worthOf(decision) };
}

/** Each part with empty caches. */
function benchPart(): Partial<Figures> {
  if (part === 'judging') return { judging: benchJudging() };
  const { decision, figures } = benchRound();
  const search = benchSearch();
  return { round: { ...figures, afterChangeMs: benchLater(decision) }, search };
}

const figures: Partial<Figures> = { nodes, pods, utilisation, ...benchPart() };
const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(`${JSON.stringify({ ...figures, peakMb })}\n`);
