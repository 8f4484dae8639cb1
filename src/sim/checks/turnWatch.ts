// Did a turn pass too soon (C12, C13)? What a domain was like when its turn was taken is remembered here, apart from what the ledger says.
import type { Pool } from '../../cluster/model.ts';
import type { Duration, Instant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import { selects } from '../labelSelector.ts';
import type { Objects } from '../objects.ts';
import { sequentialBudget } from './budgets.ts';
import { domainName, domainOf, type Host } from './host.ts';
import type { RawCommand, RawTurn } from './ledgerRecord.ts';
import { compiled } from './policy.ts';
import { conditionOf, instantOf, isReschedulable, isServing, isTrue, labelsOf, textAt, workloadOf } from './raw.ts';
import type { Sight } from './sight.ts';
import { domainsInFlight } from './turns.ts';
import { type Finding, finding } from './violation.ts';
import { decidedAt, nodesIn, type Written } from './written.ts';

/** One turn, as it was seen from outside. */
interface Watched {
  readonly takenAt: Instant;
  /** Nodes of the domain that were Ready when it was taken. */
  readonly ready: ReadonlySet<string>;
  /** C13: by workload, how many of its pods served before the first of them was evicted here. */
  readonly expected: Map<string, Expected>;
  /** Claims that replace nodes of the domain; those of commands that were rolled back are dropped again. */
  readonly replacements: Map<string, { readonly command: string; isSeenWell: boolean }>;
  /** C12: when drift was last started or finished here. */
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
  readonly #watched = new Map<string, Watched>();

  constructor(objects: Pick<Objects, 'get'>) {
    this.#objects = objects;
  }

  see(written: Written): Finding[] {
    const findings = written.before.turns.flatMap((turn) => {
      const next = written.after.turns.find((it) => turnKey(it) === turnKey(turn));
      return isSame(turn, next) ? [] : this.#judge(turn, written);
    });
    for (const turn of written.after.turns) this.#follow(turn, written);
    return findings;
  }

  #follow(turn: RawTurn, written: Written): void {
    const was = written.before.turns.find((it) => turnKey(it) === turnKey(turn));
    const known = isSame(turn, was) ? this.#watched.get(turnKey(turn)) : undefined;
    const watched = known ?? taken(turn, written);
    this.#watched.set(turnKey(turn), watched);
    followCommands(turn, watched, written);
    for (const [name, replacement] of watched.replacements) {
      replacement.isSeenWell ||= isTrue(written.sight.get('NodeClaim', name), 'Initialized');
    }
  }

  #judge(turn: RawTurn, written: Written): Finding[] {
    const object = written.sight.get('NodePool', turn.pool);
    const pool = object && compiled('NodePool', object);
    const now = decidedAt(written);
    const budget = pool && sequentialBudget(pool, now);
    const watched = this.#watched.get(turnKey(turn));
    // Where no such budget is in force any more, nothing is rolled by turns, and nothing can pass too soon.
    if (!pool || !watched || budget?.topologyKey !== turn.topologyKey) return [];
    const said = [
      ...stillGoing(turn, written),
      ...(turn.passAsked === undefined
        ? [
            ...impatient(turn, watched, { pool, patience: budget.patience, now, written }),
            ...unwell(turn, watched, { ...written, objects: this.#objects }),
            ...unsettled(turn, watched, { settle: budget.settle, now, sight: written.sight }),
          ]
        : []),
    ];
    return said.map(({ rule, message }) =>
      finding(rule, `the turn of ${domainName(turn.domain)} in ${turn.pool} passes, but ${message}`),
    );
  }
}

function taken(turn: RawTurn, { sight }: Written): Watched {
  const ready = hostsIn(turn, sight).filter(({ isReady }) => isReady);
  return {
    takenAt: turn.takenAt,
    ready: new Set(ready.map(({ name }) => name)),
    expected: new Map(),
    replacements: new Map(),
    progressAt: turn.takenAt,
  };
}

const hostsIn = ({ pool, topologyKey, domain }: RawTurn, sight: Sight): Host[] =>
  sight.hosts().filter((host) => host.claim && host.pool === pool && domainOf(host, topologyKey) === domain);

/** Drift commands in the domain: what they replace, whom they evict, and when they come and go. */
function followCommands(turn: RawTurn, watched: Watched, { before, after, sight, at }: Written): void {
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
        // A command that is older than the turn has waited for them already (G1).
        const isSeenWell = command.step === 'draining' || command.step === 'terminating';
        if (!watched.replacements.has(claim)) watched.replacements.set(claim, { command: command.id, isSeenWell });
      }
      const isEmptied =
        command.hands === 'karpenter' ? !was && command.step === 'offered' : command.evictedAt !== was?.evictedAt;
      if (isEmptied) expectAgain(host, watched, sight);
    }
  }
}

/** C12: what is only offered is no progress; what Karpenter takes, or gives up, is. */
function isProgress(was: RawCommand | undefined, is: RawCommand): boolean {
  if (is.hands !== 'karpenter') return !was;
  return (was?.step === 'taken') !== (is.step === 'taken');
}

function expectAgain(host: Host, { expected }: Watched, sight: Sight): void {
  const here = new Map<string, KubeObject>();
  for (const pod of sight.podsOn(host.name)) {
    const workload = isReschedulable(pod) ? workloadOf(pod) : undefined;
    if (workload !== undefined && !expected.has(workload)) here.set(workload, pod);
  }
  if (here.size === 0) return;
  const serving = servingPods(sight);
  for (const [workload, pod] of here) expected.set(workload, { count: serving.get(workload) ?? 0, pod });
}

function servingPods(sight: Sight): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of sight.list('Pod')) {
    // Pods of a node that is gone are told of for a while.
    const isThere = sight.get('Node', textAt(pod.spec, 'nodeName') ?? '') !== undefined;
    const workload = isServing(pod) && isThere ? workloadOf(pod) : undefined;
    if (workload !== undefined) counts.set(workload, (counts.get(workload) ?? 0) + 1);
  }
  return counts;
}

function stillGoing(turn: RawTurn, { before, sight }: Written): Finding[] {
  return domainsInFlight(turn.pool, turn.topologyKey, before, sight).has(turn.domain)
    ? [finding('C12', 'drift is in flight there')]
    : [];
}

interface Patience {
  readonly pool: Pool;
  readonly patience: Duration;
  readonly now: Instant;
  readonly written: Written;
}

/** C12. Time during which the pool is closed may make it longer, never shorter. */
function impatient(turn: RawTurn, watched: Watched, { pool, patience, now, written }: Patience): Finding[] {
  const { sight } = written;
  const left = hostsIn(turn, sight).filter(
    ({ claim, isLeaving }) => claim && !isLeaving && isSurelyDrifted(claim, pool),
  );
  if (left.length === 0 || now - watched.progressAt >= patience) return [];
  return [finding('C12', `${left.map(({ name }) => name).join(', ')} is drifted still, and patience is not used up`)];
}

/** Whatever else drifts: a label of the template that the claim does not have is drift. */
function isSurelyDrifted(claim: Parameters<typeof labelsOf>[0], { template }: Pool): boolean {
  const labels = labelsOf(claim);
  return Object.entries(template.labels).some(([key, value]) => labels[key] !== value);
}

/** C13. */
function unwell(turn: RawTurn, watched: Watched, { before, sight, objects }: Judged): Finding[] {
  const gone = nodesIn(before);
  const nodes = hostsIn(turn, sight).filter(
    (host) => watched.ready.has(host.name) && !host.isReady && !host.isLeaving && !gone.has(host.name),
  );
  const serving = watched.expected.size > 0 ? servingPods(sight) : new Map<string, number>();
  return [
    ...nodes.map(({ name }) => finding('C13', `node ${name} is not Ready`)),
    ...[...watched.replacements].flatMap(([name, { isSeenWell }]) => replacementSays(name, isSeenWell, sight)),
    ...[...watched.expected].flatMap(([workload, { count, pod }]) => {
      const wanted = Math.min(count, ...stillWanted(pod, sight));
      const have = serving.get(workload) ?? 0;
      return have >= Math.min(wanted, wantedNow(workload, objects))
        ? []
        : [finding('C13', `${have} of ${wanted} pods of ${workload} run`)];
    }),
  ];
}

/** A workload that was scaled down need not come back to what it was: the PDBs over it say how many there should be. */
function stillWanted({ metadata: { namespace, labels = {} } }: KubeObject, sight: Sight): number[] {
  return [...sight.list('PodDisruptionBudget')].flatMap(({ metadata, spec, status }) => {
    const isOver = metadata.namespace === namespace && selects(spec?.selector, labels);
    return isOver && typeof status?.expectedPods === 'number' ? [status.expectedPods] : [];
  });
}

type Judged = Written & { readonly objects: Pick<Objects, 'get'> };

/** A workload that was scaled down meanwhile has no more to come back than it wants. */
function wantedNow(workload: string, objects: Pick<Objects, 'get'>): number {
  const [namespace, kind = '', name] = workload.split('/');
  const replicas = objects.get(kind, `${namespace}/${name}`)?.spec?.replicas;
  return typeof replicas === 'number' ? replicas : Number.POSITIVE_INFINITY;
}

function replacementSays(name: string, isSeenWell: boolean, sight: Sight): Finding[] {
  const claim = sight.get('NodeClaim', name);
  if (!claim) return isSeenWell ? [] : [finding('C13', `replacement ${name} is missing`)];
  if (!isTrue(claim, 'Initialized')) return [finding('C13', `replacement ${name} is not Initialized`)];
  const node = textAt(claim.status, 'nodeName');
  const host = node === undefined ? undefined : sight.host(node);
  return host && !host.isReady && !host.isLeaving ? [finding('C13', `replacement node ${host.name} is not Ready`)] : [];
}

interface Settle {
  readonly settle: Duration;
  readonly now: Instant;
  readonly sight: Sight;
}

/** C13: what came up must have been up for so long; and the ledger must say that all was well for so long. */
function unsettled(turn: RawTurn, { replacements }: Watched, { settle, now, sight }: Settle): Finding[] {
  if (settle === 0) return [];
  const wellFor = turn.wellSince === undefined ? 0 : now - turn.wellSince;
  const young = [...replacements.keys()].filter((name) => {
    const since = instantOf(conditionOf(sight.get('NodeClaim', name), 'Initialized')?.lastTransitionTime);
    return since !== undefined && now - since < settle;
  });
  return [
    ...(wellFor < settle
      ? [finding('C13', `it has been well for ${wellFor / 1000} s of ${settle / 1000} s only`)]
      : []),
    ...young.map((name) => finding('C13', `replacement ${name} has not been there for ${settle / 1000} s`)),
  ];
}
