// Is every pod that Lull moves moved by the rules: once, from a node that a command drains, in its tier and in its window (E4–E9, G1, G2, G6)?
import type { Seen } from '../../cluster/ledger.ts';
import type { Request } from '../../runtime/port.ts';
import { after, asDuration, asInstant, type Duration, type Instant, second } from '../../time/instant.ts';
import { type KubeObject, keyAt, keyOf, versionOf } from '../kubeObject.ts';
import type { Changed } from '../objects.ts';
import type { Sent } from '../simPort.ts';
import { Forced } from './forced.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { closedBy, isOptedOut } from './podRules.ts';
import { isDrained, isOverdue, taintedBy, textAt, tierOf } from './raw.ts';
import type { Sight } from './sight.ts';
import { isTakenAnyway, type Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';

type Policies = Pick<Sight, 'get' | 'list'>;
type Action = Exclude<Request, { verb: 'commit' }>;

/** A request is decided before it is sent, and sent before it is carried out; many of one pass follow one another. */
const onTheWay: Duration = asDuration(50);
const longestPass: Duration = asDuration(2 * second);

/** How long a pod is waited for that was bound before its node was tainted. */
const waitedFor: Duration = asDuration(second);

export class Evictions {
  readonly #around: Surroundings;
  readonly #forced: Forced;
  /** By uid: the version of the pod as its eviction left it. Never forgotten: nothing is evicted twice. */
  readonly #evicted = new Map<string, number>();
  /** By author: how far it had seen when it last decided. */
  readonly #decidedOn = new Map<string, Seen>();
  /** By author: pods that its request under way has begun to end, as they were before. */
  readonly #ended = new Map<string, Map<string, KubeObject>>();
  readonly #committedAt = new Map<string, Instant>();
  /** By uid: the version with which a pod was bound. Absent = before anyone looked. */
  readonly #bound = new Map<string, number>();
  /** By node: the version with which it was tainted, and when. */
  readonly #tainted = new Map<string, { readonly version: number; readonly at: Instant }>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.#forced = new Forced(around);
  }

  /** A pod is marked or gone by an author's request; the request itself is told afterwards. */
  ended(by: string, pod: KubeObject): void {
    const ended = this.#ended.get(by) ?? new Map<string, KubeObject>();
    this.#ended.set(by, ended.set(keyOf(pod), pod));
  }

  /** What happens to pods and nodes, whoever does it. */
  follow({ object, was, version, type }: Changed, at: Instant): void {
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

  /** `seen`: the policies as far as the author is known to have seen them; what is newer need not have reached it. */
  judge({ request, answer, at, by, seen: saw }: Sent, seen: Policies): Finding[] {
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
    return answer.status === 'refused' ? [] : this.#forced.judge(request, pod, at);
  }

  /** That the cluster was not itself, so that what should have come one by one may come at once. */
  disturbed(until: Instant): void {
    this.#forced.disturbed(until);
  }

  #evicts(request: Action, pod: KubeObject | undefined, asked: Asked): Finding[] {
    const what = `pod ${request.namespace}/${request.name}`;
    const uid = pod?.metadata.uid ?? request.preconditions?.uid;
    if (!pod) return this.#asksAgain(request, asked) ? [finding('G2', `${what} is evicted twice`)] : [];
    const findings: Finding[] = [];
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
      ...this.#outOfTier(pod, asked),
      ...this.#held(pod, command, asked),
    ];
  }

  /** Two controllers may ask for the same at once, and it is done once; but nobody asks for what he knows to be on its way. */
  #asksAgain({ preconditions }: Action, { by, isDone }: Asked): boolean {
    const ending = this.#evicted.get(preconditions?.uid ?? '');
    const seen = this.#decidedOn.get(by)?.Pod;
    return isDone && ending !== undefined && seen !== undefined && ending <= Number(seen);
  }

  #untainted(pod: KubeObject, { id }: RawCommand): Finding[] {
    const node = this.#around.objects.get('Node', textAt(pod.spec, 'nodeName') ?? '');
    if (!node || taintedBy(node) === id) return [];
    return [
      finding('G1', `pod ${pod.metadata.name} is evicted from ${node.metadata.name}, which has no taint of ${id}`),
    ];
  }

  /** G6: the next tier when the previous is gone. */
  #outOfTier(pod: KubeObject, { by }: Asked): Finding[] {
    const node = textAt(pod.spec, 'nodeName') ?? '';
    const now = this.#committedNow();
    const first = [...this.#around.objects.podsOn(node)].find(
      (other) =>
        isDrained(other) && tierOf(other) < tierOf(pod) && !isOverdue(other, now) && this.#isKnown(other, by, now),
    );
    if (!first) return [];
    return [finding('G6', `pod ${pod.metadata.name} is evicted from ${node} before ${first.metadata.name} is gone`)];
  }

  /** G5: a pod that was bound to its node before the taint is waited for, for a while; who came later may not be seen yet. */
  #isKnown(pod: KubeObject, by: string, decidedAt: Instant): boolean {
    const bound = this.#bound.get(pod.metadata.uid ?? '');
    const seen = this.#decidedOn.get(by)?.Pod;
    if (bound === undefined || seen === undefined || bound <= Number(seen)) return true;
    const tainted = this.#tainted.get(textAt(pod.spec, 'nodeName') ?? '');
    return tainted !== undefined && bound < tainted.version && decidedAt < after(tainted.at, waitedFor);
  }

  #committedNow(): Instant {
    return asInstant(Math.max(0, ...this.#committedAt.values()));
  }

  /** E9: asked again for each eviction. What opened or closed on the way is not held against anyone. */
  #held(pod: KubeObject, command: RawCommand, { at, by, seen }: Asked): Finding[] {
    const { objects } = this.#around;
    if (isTakenAnyway(command, this.#around, at)) return [];
    const decidedAt = asInstant(Math.max(this.#committedAt.get(by) ?? at, at - longestPass) - onTheWay);
    const moments = [at, decidedAt];
    const what = `pod ${pod.metadata.namespace}/${pod.metadata.name} is evicted`;
    if (moments.every((moment) => isOptedOut(pod, command.reason, moment)))
      return [finding('E8', `${what}, though it is opted out`)];
    const policies: readonly Policies[] = [objects, seen];
    const held = moments.flatMap((moment) => policies.map((known) => closedBy(pod, moment, known)));
    return held.every((why) => why !== undefined) ? [finding('E9', `${what}, though ${held[0]} is closed`)] : [];
  }
}

interface Asked {
  readonly at: Instant;
  readonly by: string;
  readonly isDone: boolean;
  readonly seen: Policies;
}
