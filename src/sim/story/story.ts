// The story of a simulation: events derived from changed objects and requests, never from the engine's own results.

import { defined } from '../../cluster/defined.ts';
import { annotation, label, taint } from '../../cluster/names.ts';
import type { ApiRequest } from '../../runtime/port.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, between, type Instant, second } from '../../time/instant.ts';
import { conditionOf, isTrue, nodeNameOf, taintsOf } from '../actors/rawObjects.ts';
import { isDeleting, type KubeObject } from '../kubeObject.ts';
import type { ObjectChange, Objects } from '../objects.ts';
import type { VirtualClock } from '../virtualClock.ts';
import { ledgerEvents } from './ledgerStory.ts';
import { type EventKind, type NewStoryEvent, type StoryEvent, workloadOf } from './storyEvent.ts';

/** The request that removed a pod. */
interface PodRemoval {
  readonly verb: string;
  readonly command?: string;
  readonly graceSeconds?: number;
}

type CommandFields = Pick<StoryEvent, 'reason' | 'command' | 'domain' | 'topologyKey'>;

export class Story {
  readonly events: StoryEvent[] = [];
  readonly #clock: VirtualClock;
  readonly #objects: Objects;
  readonly #listeners: ((event: StoryEvent) => void)[] = [];
  /** When each node was chosen. */
  readonly #chosenAt = new Map<string, Instant>();
  readonly #launchedAt = new Map<string, Instant>();
  readonly #reasons = new Map<string, CommandFields>();
  /** NodeClaims of unused replacements being deleted, by node. */
  readonly #unusedReplacements = new Map<string, string>();
  /** The command whose node Karpenter has just started to disrupt, and the commands of the claims it launched. */
  #startedByKarpenter: string | undefined;
  readonly #launchedByKarpenter = new Map<string, string>();
  /** The request being carried out and its sender: distinguishes evictions from deletions. */
  #sending: { readonly request: ApiRequest; readonly by: string } | undefined;

  constructor(objects: Objects, clock: VirtualClock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Starts recording; earlier changes are not part of the story. */
  begin(): void {
    this.#objects.onChange((change) => this.#note(change));
  }

  onEvent(listener: (event: StoryEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Attributes all changes made by `send` to the request. */
  during<T>(request: ApiRequest, by: string, send: () => T): T {
    this.#sending = { request, by };
    try {
      return send();
    } finally {
      this.#sending = undefined;
    }
  }

  record(fields: NewStoryEvent): void {
    const event = { at: this.#clock.now, ...fields };
    this.events.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  #note(change: ObjectChange): void {
    switch (change.object.kind) {
      case 'Node':
        this.#noteNode(change);
        break;
      case 'NodeClaim':
        this.#noteClaim(change);
        break;
      case 'Pod':
        this.#notePod(change);
        break;
      case 'DisruptionLedger':
        this.#noteLedger(change);
        break;
    }
  }

  #noteLedger({ type, object, was }: ObjectChange): void {
    for (const event of ledgerEvents(was, type === 'DELETED' ? undefined : object, this.#objects)) {
      if (event.kind === 'NodeChosen' && event.node !== undefined) {
        this.#chosenAt.set(event.node, this.#clock.now);
        const { reason = '', command = '', domain, topologyKey } = event;
        this.#reasons.set(event.node, defined({ reason, command, domain, topologyKey }));
      }
      this.record(event);
      if (event.kind === 'NodeReleased' && event.node !== undefined) this.#forget(event.node);
    }
  }

  #noteNode({ type, object, was }: ObjectChange): void {
    const node = object.metadata.name;
    const place = poolAndZone(object);
    if (type === 'DELETED') {
      if (place.pool === undefined) return;
      const claim = this.#unusedReplacements.get(node);
      this.record({
        kind: 'NodeGone',
        node,
        ...place,
        ...this.#reasons.get(node),
        ...(claim !== undefined && { claim }),
        text:
          claim === undefined
            ? `${node} is gone${this.#sinceChosen(node)}.`
            : `${node} (unused replacement) is deleted.`,
      });
      this.#forget(node);
      this.#unusedReplacements.delete(node);
      return;
    }
    if (ourTaint(object) !== undefined && (!was || ourTaint(was) === undefined)) {
      this.record({
        kind: 'NodeTainted',
        node,
        ...place,
        ...this.#reasons.get(node),
        text: `${node} is tainted and takes no new pods.`,
      });
    }
    if (was && isReady(was) && !isReady(object)) {
      this.record({ kind: 'NodeNotReady', node, ...place, text: `${node} becomes NotReady.` });
    }
  }

  #noteClaim({ type, object, was, by }: ObjectChange): void {
    const claim = object.metadata.name;
    const { pool } = poolAndZone(object);
    if (was && isStarted(object) && !isStarted(was))
      this.#startedByKarpenter = this.#reasons.get(String(object.status?.nodeName ?? ''))?.command;
    if (type === 'ADDED' && by === 'karpenter' && this.#startedByKarpenter !== undefined)
      this.#launchedByKarpenter.set(claim, this.#startedByKarpenter);
    const command = object.metadata.annotations?.[annotation.command] ?? this.#launchedByKarpenter.get(claim);
    if (type === 'ADDED') {
      this.#launchedAt.set(claim, this.#clock.now);
      const replaces = command === undefined ? undefined : this.#nodesOf(command);
      const text = command === undefined ? `${claim} is launched.` : `${claim} is launched to replace ${replaces}.`;
      const kind: EventKind = command === undefined ? 'NodeLaunched' : 'ReplacementLaunched';
      const isStatic = kind === 'NodeLaunched' && this.#isStatic(pool);
      this.record({ ...defined({ kind, claim, pool, command, text }), ...(isStatic && { isStatic }) });
      return;
    }
    if (type === 'DELETED') {
      this.#launchedAt.delete(claim);
      this.#launchedByKarpenter.delete(claim);
      return;
    }
    if (command !== undefined && this.#sending && isDeleting(object) && !(was && isDeleting(was)))
      this.#noteUnusedReplacement(object);
    if (isInitialized(object) && !(was && isInitialized(was))) this.#recordReady(object, pool, command);
    if (isTerminating(object) && !(was && isTerminating(was))) this.#recordTerminating(object);
  }

  #isStatic(pool: string | undefined): boolean {
    return pool !== undefined && this.#objects.get('NodePool', pool)?.spec?.replicas !== undefined;
  }

  /** Lull deletes a replacement that is no longer needed, or that it stopped waiting for. */
  #noteUnusedReplacement(claim: KubeObject): void {
    const node = nodeNameOf(claim);
    if (node !== undefined && !this.#reasons.has(node)) this.#unusedReplacements.set(node, claim.metadata.name);
  }

  #recordTerminating(claim: KubeObject): void {
    const node = nodeNameOf(claim);
    if (node === undefined) return;
    const text = `The instance of ${node} is being terminated.`;
    this.record({ kind: 'NodeTerminating', node, ...poolAndZone(claim), ...this.#reasons.get(node), text });
  }

  #recordReady(object: KubeObject, pool: string | undefined, command: string | undefined): void {
    const claim = object.metadata.name;
    const launchedAt = this.#launchedAt.get(claim);
    const elapsed = launchedAt === undefined ? '' : ` after ${roughly(between(launchedAt, this.#clock.now))}`;
    const node = nodeNameOf(object);
    const kind: EventKind = command === undefined ? 'NodeReady' : 'ReplacementReady';
    this.record(defined({ kind, claim, node, pool, command, text: `${claim} is ready${elapsed}.` }));
  }

  #notePod({ object, was, by }: ObjectChange): void {
    if (!was || isDeleting(was) || !isDeleting(object)) return;
    const removal = this.#removalOf(object, by);
    if (!removal) return;
    const { verb, command, graceSeconds } = removal;
    const { name, namespace = 'default' } = object.metadata;
    const node = nodeNameOf(object);
    const pod = `${namespace}/${name}`;
    const grace = graceSeconds === undefined ? '' : ` with a grace period of ${graceSeconds}s`;
    const on = node === undefined ? undefined : this.#objects.get('Node', node);
    this.record({
      kind: verb === 'evict' ? 'PodEvicted' : 'PodDeleted',
      pod,
      workload: workloadOf(object),
      ...(on && poolAndZone(on)),
      ...(node !== undefined && { node, ...this.#reasons.get(node) }),
      ...(command !== undefined && { command }),
      text:
        verb === 'evict'
          ? `${pod} is evicted from ${node}.`
          : `${pod} is deleted from ${node} at its deadline${grace}.`,
    });
  }

  /** Removed by Lull's request, or by Karpenter from a node that Lull offered. */
  #removalOf(pod: KubeObject, by: string): PodRemoval | undefined {
    const sending = this.#sending;
    if (sending?.by === by) {
      const { request } = sending;
      return request.verb === 'commit' ? undefined : request;
    }
    const command = this.#reasons.get(nodeNameOf(pod) ?? '')?.command;
    if (by !== 'karpenter-terminator' || command === undefined) return undefined;
    if (conditionOf(pod, 'DisruptionTarget')) return { verb: 'evict', command };
    return defined({ verb: 'delete', command, graceSeconds: pod.metadata.deletionGracePeriodSeconds });
  }

  #nodesOf(command: string): string {
    const nodes = [...this.#reasons].filter(([, it]) => it.command === command).map(([node]) => node);
    return nodes.length > 0 ? nodes.join(' and ') : `the nodes of ${command}`;
  }

  #sinceChosen(node: string): string {
    const chosenAt = this.#chosenAt.get(node);
    return chosenAt === undefined ? '' : `, ${roughly(between(chosenAt, this.#clock.now))} after it was chosen`;
  }

  #forget(node: string): void {
    this.#chosenAt.delete(node);
    this.#reasons.delete(node);
  }
}

/** The event fields for an object's pool and zone. */
function poolAndZone({ metadata }: KubeObject): { pool?: string; domain?: string } {
  return defined({ pool: metadata.labels?.[label.pool], domain: metadata.labels?.[label.zone] });
}

/** Rounds to the second. */
export const roughly = (elapsed: number): string => formatDuration(asDuration(Math.round(elapsed / second) * second));

const ourTaint = (node: KubeObject): string | undefined =>
  taintsOf(node).find(({ key }) => key === taint.lullDisrupted)?.value;

const isReady = (node: KubeObject): boolean => isTrue(node, 'Ready');
const isStarted = (claim: KubeObject): boolean => isTrue(claim, 'DisruptionReason');
const isTerminating = (claim: KubeObject): boolean => isTrue(claim, 'InstanceTerminating');
const isInitialized = (claim: KubeObject): boolean => isTrue(claim, 'Initialized');
