// Checks that a turn does not pass too soon (C12, C13), with its own record of the domain, apart from the ledger.

import type { Pool } from '../../cluster/model.ts';
import type { Duration, Instant } from '../../time/instant.ts';
import { conditionOf, isTrue } from '../actors/rawObjects.ts';
import { instantOf, type KubeObject, labelsOf, selects, textAt } from '../kubeObject.ts';
import type { RawCommand, RawTurn } from '../ledgerRecord.ts';
import type { Objects } from '../objects.ts';
import type { AuthorView } from './authorView.ts';
import { compiled } from './compiledPolicies.ts';
import { type CheckFinding, decidedAt, finding, type LedgerWrite, nodesIn } from './ledgerWrite.ts';
import { domainName, domainOf, type Host, isReschedulable, isServing, workloadOf } from './raw.ts';
import { sequentialBudget } from './startLimits.ts';
import { domainsInFlight } from './turns.ts';

/** One turn, as observed. */
interface TurnRecord {
  readonly takenAt: Instant;
  /** The domain's nodes that were Ready when the turn was taken. */
  readonly ready: ReadonlySet<string>;
  /** By workload, how many of its pods were Ready before the first eviction in this turn (C13). */
  readonly expected: Map<string, Expected>;
  /** Replacement claims of the domain's nodes, without those of commands that were rolled back. */
  readonly replacements: Map<string, { readonly command: string; wasSeenHealthy: boolean }>;
  /** When drift was last started or finished in the domain (C12). */
  progressAt: Instant;
}

interface Expected {
  readonly count: number;
  /** One of its pods, by which the PDBs over them are found. */
  readonly pod: KubeObject;
}

const turnKey = ({ pool, topologyKey }: RawTurn): string => `${pool} ${topologyKey}`;
const isSame = (a: RawTurn, b: RawTurn | undefined): boolean =>
  b !== undefined && a.domain === b.domain && a.takenAt === b.takenAt;

export class TurnWatch {
  readonly #objects: Pick<Objects, 'get'>;
  readonly #watched = new Map<string, TurnRecord>();

  constructor(objects: Pick<Objects, 'get'>) {
    this.#objects = objects;
  }

  see(written: LedgerWrite): CheckFinding[] {
    const findings = written.before.turns.flatMap((turn) => {
      const next = written.after.turns.find((it) => turnKey(it) === turnKey(turn));
      return isSame(turn, next) ? [] : this.#check(turn, written);
    });
    for (const turn of written.after.turns) this.#follow(turn, written);
    return findings;
  }

  #follow(turn: RawTurn, written: LedgerWrite): void {
    const was = written.before.turns.find((it) => turnKey(it) === turnKey(turn));
    const known = isSame(turn, was) ? this.#watched.get(turnKey(turn)) : undefined;
    const watched = known ?? taken(turn, written);
    this.#watched.set(turnKey(turn), watched);
    followCommands(turn, watched, written);
    for (const [name, replacement] of watched.replacements) {
      replacement.wasSeenHealthy ||= isTrue(written.sight.get('NodeClaim', name), 'Initialized');
    }
  }

  #check(turn: RawTurn, written: LedgerWrite): CheckFinding[] {
    const object = written.sight.get('NodePool', turn.pool);
    const pool = object && compiled('NodePool', object);
    const now = decidedAt(written);
    const budget = pool && sequentialBudget(pool, now);
    const watched = this.#watched.get(turnKey(turn));
    // Without a sequential budget there are no turns that could pass too soon.
    if (!pool || !watched || budget?.topologyKey !== turn.topologyKey) return [];
    const said = [
      ...inFlight(turn, written),
      ...(turn.passAsked === undefined
        ? [
            ...tooEarly(turn, watched, { pool, patience: budget.patience, now, written }),
            ...unhealthy(turn, watched, { ...written, objects: this.#objects }),
            ...unsettled(turn, watched, { settle: budget.settle, now, sight: written.sight }),
          ]
        : []),
    ];
    return said.map(({ rule, message }) =>
      finding(rule, `the turn of ${domainName(turn.domain)} in ${turn.pool} passes, but ${message}`),
    );
  }
}

function taken(turn: RawTurn, { sight }: LedgerWrite): TurnRecord {
  const ready = hostsIn(turn, sight).filter(({ isReady }) => isReady);
  return {
    takenAt: turn.takenAt,
    ready: new Set(ready.map(({ name }) => name)),
    expected: new Map(),
    replacements: new Map(),
    progressAt: turn.takenAt,
  };
}

const hostsIn = ({ pool, topologyKey, domain }: RawTurn, sight: AuthorView): Host[] =>
  sight.hosts().filter((host) => host.claim && host.pool === pool && domainOf(host, topologyKey) === domain);

/** Follows the drift commands in the domain: replacements, evictions, starts and ends. */
function followCommands(turn: RawTurn, watched: TurnRecord, { before, after, sight, at }: LedgerWrite): void {
  for (const [id, was] of before.commands) {
    if (after.commands.has(id) || was.reason !== 'Drifted' || was.pool !== turn.pool) continue;
    const isProgress = was.hands !== 'karpenter' || was.step === 'taken';
    if (isProgress && was.nodes.some(({ domain }) => domain === turn.domain)) watched.progressAt = at;
    if (was.step === 'terminating') continue;
    for (const [name, { command }] of watched.replacements) if (command === id) watched.replacements.delete(name);
  }
  for (const command of after.commands.values()) {
    if (command.reason !== 'Drifted' || command.pool !== turn.pool) continue;
    const was = before.commands.get(command.id);
    for (const { name } of command.nodes) {
      const host = sight.host(name);
      if (!host || domainOf(host, turn.topologyKey) !== turn.domain) continue;
      if (isProgress(was, command)) watched.progressAt = at;
      for (const claim of command.replacements) {
        // A command older than the turn has already waited for its replacements (G1).
        const wasSeenHealthy = command.step === 'draining' || command.step === 'terminating';
        if (!watched.replacements.has(claim)) watched.replacements.set(claim, { command: command.id, wasSeenHealthy });
      }
      const isEmptied =
        command.hands === 'karpenter' ? !was && command.step === 'offered' : command.evictedAt !== was?.evictedAt;
      if (isEmptied) expectAgain(host, watched, sight);
    }
  }
}

/** An offer is not progress; Karpenter's start or abort is (C12). */
function isProgress(was: RawCommand | undefined, is: RawCommand): boolean {
  if (is.hands !== 'karpenter') return !was;
  return (was?.step === 'taken') !== (is.step === 'taken');
}

function expectAgain(host: Host, { expected }: TurnRecord, sight: AuthorView): void {
  const here = new Map<string, KubeObject>();
  for (const pod of sight.podsOn(host.name)) {
    const workload = isReschedulable(pod) ? workloadOf(pod) : undefined;
    if (workload !== undefined && !expected.has(workload)) here.set(workload, pod);
  }
  if (here.size === 0) return;
  const serving = servingPods(sight);
  for (const [workload, pod] of here) expected.set(workload, { count: serving.get(workload) ?? 0, pod });
}

function servingPods(sight: AuthorView): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of sight.list('Pod')) {
    // Pods of a deleted node exist for a while.
    const isThere = sight.get('Node', textAt(pod.spec, 'nodeName') ?? '') !== undefined;
    const workload = isServing(pod) && isThere ? workloadOf(pod) : undefined;
    if (workload !== undefined) counts.set(workload, (counts.get(workload) ?? 0) + 1);
  }
  return counts;
}

function inFlight(turn: RawTurn, { before, sight }: LedgerWrite): CheckFinding[] {
  return domainsInFlight(turn.pool, turn.topologyKey, before, sight).has(turn.domain)
    ? [finding('C12', 'drift is in flight there')]
    : [];
}

interface Patience {
  readonly pool: Pool;
  readonly patience: Duration;
  readonly now: Instant;
  readonly written: LedgerWrite;
}

/** The turn may not pass before its patience ends; time in which the pool is frozen only extends it (C12). */
function tooEarly(turn: RawTurn, watched: TurnRecord, { pool, patience, now, written }: Patience): CheckFinding[] {
  const { sight } = written;
  const left = hostsIn(turn, sight).filter(
    ({ claim, isLeaving }) => claim && !isLeaving && isSurelyDrifted(claim, pool),
  );
  if (left.length === 0 || now - watched.progressAt >= patience) return [];
  return [
    finding('C12', `${left.map(({ name }) => name).join(', ')} is still drifted, and the patience has not ended`),
  ];
}

/** A sufficient sign of drift: the claim lacks a label of the template. */
function isSurelyDrifted(claim: Parameters<typeof labelsOf>[0], { template }: Pool): boolean {
  const labels = labelsOf(claim);
  return Object.entries(template.labels).some(([key, value]) => labels[key] !== value);
}

/** The domain's nodes and workloads must be healthy again (C13). */
function unhealthy(turn: RawTurn, watched: TurnRecord, { before, sight, objects }: TurnCheck): CheckFinding[] {
  const gone = nodesIn(before);
  const nodes = hostsIn(turn, sight).filter(
    (host) => watched.ready.has(host.name) && !host.isReady && !host.isLeaving && !gone.has(host.name),
  );
  const serving = watched.expected.size > 0 ? servingPods(sight) : new Map<string, number>();
  return [
    ...nodes.map(({ name }) => finding('C13', `node ${name} is not Ready`)),
    ...[...watched.replacements].flatMap(([name, { wasSeenHealthy }]) => replacementSays(name, wasSeenHealthy, sight)),
    ...[...watched.expected].flatMap(([workload, { count, pod }]) => {
      const wanted = Math.min(count, ...stillWanted(pod, sight));
      const have = serving.get(workload) ?? 0;
      return have >= Math.min(wanted, wantedNow(workload, objects))
        ? []
        : [finding('C13', `${have} of ${wanted} pods of ${workload} are Ready`)];
    }),
  ];
}

/** The expected pods of the PDBs over a workload: fewer if it was scaled down. */
function stillWanted({ metadata: { namespace, labels = {} } }: KubeObject, sight: AuthorView): number[] {
  return [...sight.list('PodDisruptionBudget')].flatMap(({ metadata, spec, status }) => {
    const isOver = metadata.namespace === namespace && selects(spec?.selector, labels);
    return isOver && typeof status?.expectedPods === 'number' ? [status.expectedPods] : [];
  });
}

type TurnCheck = LedgerWrite & { readonly objects: Pick<Objects, 'get'> };

/** The workload's current replicas: fewer are expected if it was scaled down. */
function wantedNow(workload: string, objects: Pick<Objects, 'get'>): number {
  const [namespace, kind = '', name] = workload.split('/');
  const replicas = objects.get(kind, `${namespace}/${name}`)?.spec?.replicas;
  return typeof replicas === 'number' ? replicas : Number.POSITIVE_INFINITY;
}

function replacementSays(name: string, wasSeenHealthy: boolean, sight: AuthorView): CheckFinding[] {
  const claim = sight.get('NodeClaim', name);
  if (!claim) return wasSeenHealthy ? [] : [finding('C13', `replacement ${name} is missing`)];
  if (!isTrue(claim, 'Initialized')) return [finding('C13', `replacement ${name} is not Initialized`)];
  const node = textAt(claim.status, 'nodeName');
  const host = node === undefined ? undefined : sight.host(node);
  return host && !host.isReady && !host.isLeaving ? [finding('C13', `replacement node ${host.name} is not Ready`)] : [];
}

interface Settle {
  readonly settle: Duration;
  readonly now: Instant;
  readonly sight: AuthorView;
}

/** Replacements must have existed for the settle time, and the ledger must record that the domain was healthy for it (C13). */
function unsettled(turn: RawTurn, { replacements }: TurnRecord, { settle, now, sight }: Settle): CheckFinding[] {
  if (settle === 0) return [];
  const wellFor = turn.wellSince === undefined ? 0 : now - turn.wellSince;
  const young = [...replacements.keys()].filter((name) => {
    const since = instantOf(conditionOf(sight.get('NodeClaim', name), 'Initialized')?.lastTransitionTime);
    return since !== undefined && now - since < settle;
  });
  return [
    ...(wellFor < settle
      ? [finding('C13', `it has been healthy for only ${wellFor / 1000} s of ${settle / 1000} s`)]
      : []),
    ...young.map((name) => finding('C13', `replacement ${name} has not existed for ${settle / 1000} s`)),
  ];
}
