// Checks Lull's evictions (once, from a drained node, in tier and window: E4–E9, G1, G2, G6) and its forced deletions (only
// under a deadline, and no sooner than needed: H2, H3).
// Past 300 lines: both check the same requests with the same state.

import type { SeenVersions } from '../../cluster/ledger.ts';
import type { ApiRequest } from '../../runtime/port.ts';
import {
  after,
  asDuration,
  asInstant,
  type Duration,
  formatInstant,
  type Instant,
  minute,
  second,
} from '../../time/instant.ts';
import { annotationsOf, instantOf, type KubeObject, keyAt, keyOf, textAt, versionOf } from '../kubeObject.ts';
import type { RawCommand } from '../ledgerRecord.ts';
import type { ObjectChange } from '../objects.ts';
import type { SentRequest } from '../simPort.ts';
import type { AuthorView } from './authorView.ts';
import { closedBy, isOptedOut } from './compiledPolicies.ts';
import { type CheckFinding, finding, type InvariantContext, isForcedCommand } from './ledgerWrite.ts';
import {
  deadlineAnnotation,
  deadlineOf,
  graceOf,
  isActive,
  isDrained,
  isOverdue,
  isServing,
  taintedBy,
  tierOf,
} from './raw.ts';
import { pdbsOver } from './startLimits.ts';

type PodRequest = Exclude<ApiRequest, { verb: 'commit' }>;

/** The interval between forced deletions of pods of one PDB (H3). */
const forcedInterval: Duration = asDuration(2 * minute);

/** With less time than this per pod, pods cannot be deleted one after another. */
const minimumRoom: Duration = asDuration(20 * second);

interface Drain {
  readonly since: Instant;
  readonly deadline: Instant;
}

interface CoveredPod {
  readonly pod: KubeObject;
  readonly deadline: Instant;
  /** When the drain of its node started. */
  readonly since: Instant;
}

class ForcedDeletionChecks {
  readonly #around: InvariantContext;
  /** When a pod of each PDB was last deleted by force. */
  readonly #last = new Map<string, Instant>();
  #disturbedUntil = asInstant(0);

  constructor(around: InvariantContext) {
    this.#around = around;
  }

  disturbed(until: Instant): void {
    this.#disturbedUntil = asInstant(Math.max(this.#disturbedUntil, until));
  }

  /** `before`: the pod before the request, if the request started its termination; absent if it was already terminating. */
  check(request: PodRequest, before: KubeObject | undefined, at: Instant): CheckFinding[] {
    const key = keyAt(request.namespace, request.name);
    const pod = before ?? this.#around.objects.get('Pod', key);
    if (!pod) return [];
    const what = `pod ${key} is deleted`;
    const drain = this.#drainOf(pod);
    if (!drain) return [finding('H2', `${what}, though it has no deadline`)];
    const { deadline, since } = drain;
    const findings: CheckFinding[] = [];
    const grace = 1000 * (request.graceSeconds ?? graceOf(pod) / 1000);
    if (at + grace > Math.max(deadline, at + second) + second)
      findings.push(finding('H2', `${what} with a longer grace period than is left until ${formatInstant(deadline)}`));
    if (!before) return findings;
    const covered = this.#alsoCovered(pod);
    const ends = [{ pod, deadline }, ...covered].map((it) => it.deadline - graceOf(it.pod));
    const earliest = Math.max(Math.min(...ends) - covered.length * forcedInterval, since);
    if (at < earliest)
      findings.push(
        finding('H2', `${what} ${(earliest - at) / 1000} s earlier than necessary (${formatInstant(deadline)})`),
      );
    // If the drain of another pod of the PDB has just started, several pods may be due at the same time.
    const isCrowded = covered.some(({ since }) => since > at - forcedInterval);
    return isCrowded ? findings : [...findings, ...this.#together(pod, { at, drain, others: covered.length })];
  }

  /** Pods of one PDB are deleted one at a time (H3). */
  #together(pod: KubeObject, { at, drain, others }: { at: Instant; drain: Drain; others: number }): CheckFinding[] {
    // A pod that is not Ready does not count.
    if (!isServing(pod)) return [];
    return pdbsOver(pod, this.#around.objects.list('PodDisruptionBudget')).flatMap((pdb) => {
      const last = this.#last.get(keyOf(pdb));
      this.#last.set(keyOf(pdb), at);
      const room = (drain.deadline - drain.since) / (others + 2);
      const isCalm = at > this.#disturbedUntil + forcedInterval;
      if (last === undefined || at - last >= second || room < minimumRoom || !isCalm) return [];
      return [finding('H3', `pod ${keyOf(pod)} is forced together with another of PDB ${keyOf(pdb)}`)];
    });
  }

  #drainOf(pod: KubeObject): Drain | undefined {
    const { commands, objects, settings } = this.#around;
    const node = textAt(pod.spec, 'nodeName') ?? '';
    if (settings.role === 'guide') return this.#drainByKarpenter(node);
    const command = commands.ofNode(node);
    if (!command || !commands.isIn(command, 'draining')) return undefined;
    const claim = command.nodes.find(({ name }) => name === node)?.claim;
    const deadline = claim === undefined ? undefined : deadlineOf(objects.get('NodeClaim', claim), command.stepAt);
    return deadline === undefined ? undefined : { since: command.stepAt, deadline };
  }

  /** Karpenter annotates a claim with its deadline when the claim is deleted. */
  #drainByKarpenter(node: string): Drain | undefined {
    const claim = [...this.#around.objects.list('NodeClaim')].find(({ status }) => textAt(status, 'nodeName') === node);
    const since = instantOf(claim?.metadata.deletionTimestamp);
    const deadline = claim && instantOf(annotationsOf(claim)[deadlineAnnotation]);
    return since === undefined || deadline === undefined ? undefined : { since, deadline };
  }

  /** The other pods of the same PDBs that have a deadline. */
  #alsoCovered(pod: KubeObject): CoveredPod[] {
    const { objects } = this.#around;
    const pdbs = new Set(pdbsOver(pod, objects.list('PodDisruptionBudget')));
    if (pdbs.size === 0) return [];
    return this.#drained().flatMap((name) =>
      [...objects.podsOn(name)].flatMap((other) => {
        const isOther = other.metadata.uid !== pod.metadata.uid && isActive(other) && isDrained(other);
        const drain = isOther ? this.#drainOf(other) : undefined;
        const isCovered = drain && pdbsOver(other, objects.list('PodDisruptionBudget')).some((pdb) => pdbs.has(pdb));
        return isCovered ? [{ pod: other, deadline: drain.deadline, since: drain.since }] : [];
      }),
    );
  }

  #drained(): readonly string[] {
    const { objects, commands, settings } = this.#around;
    if (settings.role !== 'guide')
      return [...commands.underWay()].flatMap(({ nodes }) => nodes.map(({ name }) => name));
    return [...objects.list('Node')].map(({ metadata }) => metadata.name);
  }
}

type PolicyObjects = Pick<AuthorView, 'get' | 'list'>;

/** The time between a decision and the arrival of its requests: a pass sends many, one after another. */
const transitTime: Duration = asDuration(50);
const longestPass: Duration = asDuration(2 * second);

/** How long Lull waits for pods that were bound before the node was tainted. */
const bindGrace: Duration = asDuration(second);

export class EvictionChecks {
  readonly #around: InvariantContext;
  readonly #forced: ForcedDeletionChecks;
  /** By uid: the pod's version after its eviction. Never removed, because no pod is evicted twice. */
  readonly #evicted = new Map<string, number>();
  /** By controller: the versions it had seen at its last decision. */
  readonly #decidedOn = new Map<string, SeenVersions>();
  /** By controller: the pods that its current request deletes, as they were before. */
  readonly #ended = new Map<string, Map<string, KubeObject>>();
  readonly #committedAt = new Map<string, Instant>();
  /** By uid: the version at which a pod was bound. Absent: before the start. */
  readonly #bound = new Map<string, number>();
  /** By node: the version and the instant at which it was tainted. */
  readonly #tainted = new Map<string, { readonly version: number; readonly at: Instant }>();

  constructor(around: InvariantContext) {
    this.#around = around;
    this.#forced = new ForcedDeletionChecks(around);
  }

  /** A controller's request deletes a pod; the request itself is reported afterwards. */
  ended(by: string, pod: KubeObject): void {
    const ended = this.#ended.get(by) ?? new Map<string, KubeObject>();
    this.#ended.set(by, ended.set(keyOf(pod), pod));
  }

  /** Follows changes of pods and nodes by any actor. */
  follow({ object, was, version, type }: ObjectChange, at: Instant): void {
    const { kind, metadata } = object;
    if (kind === 'Node') {
      const mark = type === 'DELETED' ? undefined : taintedBy(object);
      if (mark === undefined) this.#tainted.delete(metadata.name);
      else if (!was || taintedBy(was) !== mark) this.#tainted.set(metadata.name, { version, at });
    }
    if (kind !== 'Pod' || metadata.uid === undefined) return;
    if (type === 'DELETED') this.#bound.delete(metadata.uid);
    else if (textAt(object.spec, 'nodeName') !== undefined && !(was && textAt(was.spec, 'nodeName') !== undefined))
      this.#bound.set(metadata.uid, version);
  }

  /** `seen`: the policies in the controller's view, which may be older than the cluster's. */
  check({ request, answer, at, by, seen: saw }: SentRequest, seen: PolicyObjects): CheckFinding[] {
    const ended = this.#ended.get(by);
    this.#ended.delete(by);
    if (request.verb === 'commit') {
      this.#committedAt.set(by, at);
      this.#decidedOn.set(by, saw ?? {});
      return [];
    }
    if (request.kind !== 'Pod') return [];
    const { verb, namespace, name } = request;
    const pod = ended?.get(keyAt(namespace, name));
    if (verb === 'evict') return this.#evicts(request, pod, { at, by, isDone: answer.status === 'done', seen });
    if (verb === 'patch' && this.#around.settings.role === 'guide') return [];
    if (verb !== 'delete') return [finding('K4', `Lull writes pod ${namespace}/${name}`)];
    return answer.status === 'refused' ? [] : this.#forced.check(request, pod, at);
  }

  /** The cluster was disturbed: forced deletions may come together. */
  disturbed(until: Instant): void {
    this.#forced.disturbed(until);
  }

  #evicts(request: PodRequest, pod: KubeObject | undefined, context: EvictionContext): CheckFinding[] {
    const what = `pod ${request.namespace}/${request.name}`;
    const uid = pod?.metadata.uid ?? request.preconditions?.uid;
    if (!pod) return this.#isRepeated(request, context) ? [finding('G2', `${what} is evicted twice`)] : [];
    const findings: CheckFinding[] = [];
    if (uid !== undefined) this.#evicted.set(uid, versionOf(this.#around.objects.get('Pod', keyOf(pod)) ?? pod));
    if (request.preconditions?.uid !== pod.metadata.uid)
      findings.push(finding('G2', `${what} is evicted without its uid`));
    const node = textAt(pod.spec, 'nodeName') ?? '';
    const command = this.#around.commands.ofNode(node);
    if (!command || !this.#around.commands.isIn(command, 'draining'))
      return [...findings, finding('G2', `${what} is evicted from ${node}, which no command drains`)];
    return [
      ...findings,
      ...this.#untainted(pod, command),
      ...this.#outOfTier(pod, context),
      ...this.#held(pod, command, context),
    ];
  }

  /** Two controllers may evict the same pod at the same time, but no controller evicts a pod it has seen terminating. */
  #isRepeated({ preconditions }: PodRequest, { by, isDone }: EvictionContext): boolean {
    const ending = this.#evicted.get(preconditions?.uid ?? '');
    const seen = this.#decidedOn.get(by)?.Pod;
    return isDone && ending !== undefined && seen !== undefined && ending <= Number(seen);
  }

  #untainted(pod: KubeObject, { id }: RawCommand): CheckFinding[] {
    const node = this.#around.objects.get('Node', textAt(pod.spec, 'nodeName') ?? '');
    if (!node || taintedBy(node) === id) return [];
    return [
      finding('G1', `pod ${pod.metadata.name} is evicted from ${node.metadata.name}, which has no taint of ${id}`),
    ];
  }

  /** A tier starts when the previous one is gone (G6). */
  #outOfTier(pod: KubeObject, { by }: EvictionContext): CheckFinding[] {
    const node = textAt(pod.spec, 'nodeName') ?? '';
    const now = this.#committedNow();
    const first = [...this.#around.objects.podsOn(node)].find(
      (other) =>
        isDrained(other) && tierOf(other) < tierOf(pod) && !isOverdue(other, now) && this.#isKnown(other, by, now),
    );
    if (!first) return [];
    return [finding('G6', `pod ${pod.metadata.name} is evicted from ${node} before ${first.metadata.name} is gone`)];
  }

  /** Lull waits briefly for pods bound before the taint (G5); pods bound later may not be in its view. */
  #isKnown(pod: KubeObject, by: string, decidedAt: Instant): boolean {
    const bound = this.#bound.get(pod.metadata.uid ?? '');
    const seen = this.#decidedOn.get(by)?.Pod;
    if (bound === undefined || seen === undefined || bound <= Number(seen)) return true;
    const tainted = this.#tainted.get(textAt(pod.spec, 'nodeName') ?? '');
    return tainted !== undefined && bound < tainted.version && decidedAt < after(tainted.at, bindGrace);
  }

  #committedNow(): Instant {
    return asInstant(Math.max(0, ...this.#committedAt.values()));
  }

  /** Schedules are checked before each eviction (E9). A change while the request was in transit does not count. */
  #held(pod: KubeObject, command: RawCommand, { at, by, seen }: EvictionContext): CheckFinding[] {
    const { objects } = this.#around;
    if (isForcedCommand(command, this.#around, at)) return [];
    const decidedAt = asInstant(Math.max(this.#committedAt.get(by) ?? at, at - longestPass) - transitTime);
    const moments = [at, decidedAt];
    const what = `pod ${pod.metadata.namespace}/${pod.metadata.name} is evicted`;
    if (moments.every((moment) => isOptedOut(pod, command.reason, moment)))
      return [finding('E8', `${what}, though it has opted out`)];
    const policies: readonly PolicyObjects[] = [objects, seen];
    const held = moments.flatMap((moment) => policies.map((known) => closedBy(pod, moment, known)));
    return held.every((why) => why !== undefined) ? [finding('E9', `${what}, though ${held[0]} is closed`)] : [];
  }
}

interface EvictionContext {
  readonly at: Instant;
  readonly by: string;
  readonly isDone: boolean;
  readonly seen: PolicyObjects;
}
