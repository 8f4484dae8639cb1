// What happened, as a person would tell it? Made from raw changes and the requests that made them, never from what the engine thinks.
import { annotation, label, taint } from '../../cluster/names.ts';
import type { Request } from '../../runtime/port.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, between, type Instant, second } from '../../time/instant.ts';
import type { Clock } from '../clock.ts';
import { isDeleting, type KubeObject } from '../kubeObject.ts';
import type { Changed, Objects } from '../objects.ts';
import type { StoryEvent } from './event.ts';
import { hasTrue } from './hasTrue.ts';
import { tellLedger } from './ledgerStory.ts';
import { workloadOf } from './workload.ts';

type Told = Omit<StoryEvent, 'at'>;

/** How a pod was asked to go. */
interface Ended {
  readonly verb: string;
  readonly command?: string;
  readonly graceSeconds?: number;
}

type Chosen = Pick<StoryEvent, 'reason' | 'command' | 'domain' | 'topologyKey'>;

export class Story {
  readonly events: StoryEvent[] = [];
  readonly #clock: Clock;
  readonly #objects: Objects;
  readonly #listeners: ((event: StoryEvent) => void)[] = [];
  /** When a node was chosen, by name. */
  readonly #chosenAt = new Map<string, Instant>();
  readonly #launchedAt = new Map<string, Instant>();
  readonly #reasons = new Map<string, Chosen>();
  /** Claims of nodes that were to replace others and are given back, by node. */
  readonly #spares = new Map<string, string>();
  /** The command whose node Karpenter has just begun with, and what it launched for it, by claim. */
  #begun: string | undefined;
  readonly #byKarpenter = new Map<string, string>();
  /** The request that is being carried out, and by whom: it tells an eviction from a deletion. */
  #sending: { readonly request: Request; readonly by: string } | undefined;

  constructor(objects: Objects, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** What was before is not told. */
  begin(): void {
    this.#objects.onChange((change) => this.#note(change));
  }

  onEvent(listener: (event: StoryEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Whatever changes meanwhile is the work of this request. */
  during<T>(request: Request, by: string, send: () => T): T {
    this.#sending = { request, by };
    try {
      return send();
    } finally {
      this.#sending = undefined;
    }
  }

  tell(told: Told): void {
    const event = { at: this.#clock.now, ...told };
    this.events.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  #note(change: Changed): void {
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

  #noteLedger({ type, object, was }: Changed): void {
    for (const told of tellLedger(was, type === 'DELETED' ? undefined : object, this.#objects)) {
      if (told.kind === 'NodeChosen' && told.node !== undefined) {
        this.#chosenAt.set(told.node, this.#clock.now);
        const { reason = '', command = '', domain, topologyKey } = told;
        this.#reasons.set(told.node, {
          reason,
          command,
          ...(domain !== undefined && { domain }),
          ...(topologyKey !== undefined && { topologyKey }),
        });
      }
      this.tell(told);
      if (told.kind === 'NodeReleased' && told.node !== undefined) this.#forget(told.node);
    }
  }

  #noteNode({ type, object, was }: Changed): void {
    const node = object.metadata.name;
    const place = placeOf(object);
    if (type === 'DELETED') {
      if (place.pool === undefined) return;
      const claim = this.#spares.get(node);
      this.tell({
        kind: 'NodeGone',
        node,
        ...place,
        ...this.#reasons.get(node),
        ...(claim !== undefined && { claim }),
        text:
          claim === undefined ? `${node} is gone${this.#sinceChosen(node)}.` : `${node}, a replacement, is given back.`,
      });
      this.#forget(node);
      this.#spares.delete(node);
      return;
    }
    if (ourTaint(object) !== undefined && (!was || ourTaint(was) === undefined)) {
      this.tell({
        kind: 'NodeTainted',
        node,
        ...place,
        ...this.#reasons.get(node),
        text: `${node} takes no new pods.`,
      });
    }
    if (was && isReady(was) && !isReady(object)) {
      this.tell({ kind: 'NodeNotReady', node, ...place, text: `${node} is not Ready any more.` });
    }
  }

  #noteClaim({ type, object, was, by }: Changed): void {
    const claim = object.metadata.name;
    const { pool } = placeOf(object);
    if (was && isBegun(object) && !isBegun(was))
      this.#begun = this.#reasons.get(String(object.status?.nodeName ?? ''))?.command;
    if (type === 'ADDED' && by === 'karpenter' && this.#begun !== undefined) this.#byKarpenter.set(claim, this.#begun);
    const command = object.metadata.annotations?.[annotation.command] ?? this.#byKarpenter.get(claim);
    if (type === 'ADDED') {
      this.#launchedAt.set(claim, this.#clock.now);
      const replaces = command === undefined ? undefined : this.#nodesOf(command);
      const text = command === undefined ? `${claim} is launched.` : `${claim} is launched to replace ${replaces}.`;
      const kind = command === undefined ? 'NodeLaunched' : 'ReplacementLaunched';
      this.tell({ kind, claim, ...(pool !== undefined && { pool }), ...(command !== undefined && { command }), text });
      return;
    }
    if (type === 'DELETED') {
      this.#launchedAt.delete(claim);
      this.#byKarpenter.delete(claim);
      return;
    }
    if (command !== undefined && this.#sending && isDeleting(object) && !(was && isDeleting(was)))
      this.#noteSpare(object);
    if (isInitialized(object) && !(was && isInitialized(was))) this.#tellReady(object, pool, command);
    if (isGivenBack(object) && !(was && isGivenBack(was))) this.#tellTerminating(object);
  }

  /** Lull takes a replacement away that it has not chosen: it is not needed, or was not waited for any longer. */
  #noteSpare({ metadata, status }: KubeObject): void {
    const node = status?.nodeName as string | undefined;
    if (node !== undefined && !this.#reasons.has(node)) this.#spares.set(node, metadata.name);
  }

  #tellTerminating(claim: KubeObject): void {
    const node = claim.status?.nodeName as string | undefined;
    if (node === undefined) return;
    const text = `The machine of ${node} is given back.`;
    this.tell({ kind: 'NodeTerminating', node, ...placeOf(claim), ...this.#reasons.get(node), text });
  }

  #tellReady(object: KubeObject, pool: string | undefined, command: string | undefined): void {
    const claim = object.metadata.name;
    const launchedAt = this.#launchedAt.get(claim);
    const elapsed = launchedAt === undefined ? '' : ` after ${roughly(between(launchedAt, this.#clock.now))}`;
    const node = object.status?.nodeName as string | undefined;
    this.tell({
      kind: command === undefined ? 'NodeReady' : 'ReplacementReady',
      claim,
      ...(node !== undefined && { node }),
      ...(pool !== undefined && { pool }),
      ...(command !== undefined && { command }),
      text: `${claim} is ready${elapsed}.`,
    });
  }

  #notePod({ object, was, by }: Changed): void {
    if (!was || isDeleting(was) || !isDeleting(object)) return;
    const ended = this.#endedBy(object, by);
    if (!ended) return;
    const { verb, command, graceSeconds } = ended;
    const { name, namespace = 'default' } = object.metadata;
    const node = object.spec?.nodeName as string | undefined;
    const pod = `${namespace}/${name}`;
    const grace = graceSeconds === undefined ? '' : ` with ${graceSeconds}s to end`;
    const on = node === undefined ? undefined : this.#objects.get('Node', node);
    this.tell({
      kind: verb === 'evict' ? 'PodEvicted' : 'PodDeleted',
      pod,
      workload: workloadOf(object),
      ...(on && placeOf(on)),
      ...(node !== undefined && { node, ...this.#reasons.get(node) }),
      ...(command !== undefined && { command }),
      text:
        verb === 'evict'
          ? `${pod} is evicted from ${node}.`
          : `${pod} is deleted from ${node}${grace}: its time is up.`,
    });
  }

  /** By a request of Lull's, or by Karpenter from a node that Lull let it have. */
  #endedBy({ spec, metadata, status }: KubeObject, by: string): Ended | undefined {
    const sending = this.#sending;
    if (sending?.by === by) {
      const { request } = sending;
      return request.verb === 'commit' ? undefined : request;
    }
    const command = this.#reasons.get(String(spec?.nodeName ?? ''))?.command;
    if (by !== 'karpenter-terminator' || command === undefined) return undefined;
    const conditions = (status?.conditions ?? []) as readonly { readonly type: string }[];
    if (conditions.some(({ type }) => type === 'DisruptionTarget')) return { verb: 'evict', command };
    const { deletionGracePeriodSeconds: graceSeconds } = metadata;
    return { verb: 'delete', command, ...(graceSeconds !== undefined && { graceSeconds }) };
  }

  #nodesOf(command: string): string {
    const nodes = [...this.#reasons].filter(([, it]) => it.command === command).map(([node]) => node);
    return nodes.length > 0 ? nodes.join(' and ') : `what ${command} takes`;
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

/** Its pool, and the zone it stands in. */
function placeOf({ metadata }: KubeObject): { pool?: string; domain?: string } {
  const pool = metadata.labels?.[label.pool];
  const domain = metadata.labels?.[label.zone];
  return { ...(pool !== undefined && { pool }), ...(domain !== undefined && { domain }) };
}

/** To the second: more would not be read. */
export const roughly = (elapsed: number): string => formatDuration(asDuration(Math.round(elapsed / second) * second));

function ourTaint({ spec }: KubeObject): string | undefined {
  const taints = spec?.taints;
  if (!Array.isArray(taints)) return undefined;
  return (taints as { key?: string; value?: string }[]).find(({ key }) => key === taint.lullDisrupted)?.value;
}

const isReady = (node: KubeObject): boolean => hasTrue(node, 'Ready');
const isBegun = (claim: KubeObject): boolean => hasTrue(claim, 'DisruptionReason');
const isGivenBack = (claim: KubeObject): boolean => hasTrue(claim, 'InstanceTerminating');
const isInitialized = (claim: KubeObject): boolean => hasTrue(claim, 'Initialized');
