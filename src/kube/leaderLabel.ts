// The label `lull.dev/leader` on the pod of the Lull that leads: the Service selects it, and people find its log by it.
import { label } from '../cluster/names.ts';
import { listIn, mapIn } from '../kinds/read/reader.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import { asDuration, second } from '../time/instant.ts';
import { type ApiReply, bodyOf, isDone, isNotFound, sayReply } from './apiReply.ts';
import type { Client } from './client.ts';

interface LeaderLabelOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  /** The pod that this process runs in. */
  readonly pod: string;
  /** Called with the server's message when the label could not be moved, once for each message. */
  readonly onFault: (message: string) => void;
}

const answerWithin = asDuration(5 * second);
const retryEvery = asDuration(2 * second);

export class LeaderLabel {
  readonly #options: LeaderLabelOptions;
  #isWanted = false;
  #isClosed = false;
  #attempt: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #reported: string | undefined;
  /** What the server has; undefined = not known. */
  #applied: boolean | undefined;

  constructor(options: LeaderLabelOptions) {
    this.#options = options;
  }

  /** Puts the label on this pod and takes it off all others, or takes it off this one. Resolves after one attempt; more follow until one succeeds. */
  set(isLeader: boolean): Promise<void> {
    this.#isWanted = isLeader;
    // One after the other: a late answer to an older wish must not win.
    this.#attempt = this.#attempt.then(() => this.#try());
    return this.#attempt;
  }

  /** Takes it off, and tries that once only. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.set(false);
  }

  async #try(): Promise<void> {
    this.#timer?.cancel();
    const isLeader = this.#isWanted;
    if (isLeader === this.#applied) return;
    const fault = await (isLeader ? this.#move() : this.#write(this.#options.pod, null));
    this.#applied = fault === undefined ? isLeader : undefined;
    if (fault !== undefined && fault !== this.#reported) this.#options.onFault(fault);
    this.#reported = fault;
    if (fault !== undefined && !this.#isClosed)
      this.#timer = this.#options.clock.in(retryEvery, () => void this.set(this.#isWanted));
  }

  /** A leader that was killed, or whose node is gone, could not take its label off. Its successor does, first: the Service never has two. */
  async #move(): Promise<string | undefined> {
    const { client, pod } = this.#options;
    const query = { labelSelector: label.leader };
    const reply = await client.request({ method: 'GET', path: this.#path(), query, timeout: answerWithin });
    const body = bodyOf(reply);
    if (!body) return sayReply(reply);
    for (const { metadata } of listIn(body, 'items')) {
      const { name } = mapIn(metadata);
      const fault = typeof name === 'string' && name !== pod ? await this.#write(name, null) : undefined;
      if (fault !== undefined) return fault;
    }
    return this.#write(pod, 'true');
  }

  async #write(pod: string, value: 'true' | null): Promise<string | undefined> {
    const reply: ApiReply = await this.#options.client.request({
      method: 'PATCH',
      path: this.#path(pod),
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { [label.leader]: value } } },
      timeout: answerWithin,
      mayLeave: () => value === null || this.#isWanted,
    });
    // A pod that is gone has no label.
    return isDone(reply) || isNotFound(reply) ? undefined : sayReply(reply);
  }

  #path(pod?: string): string {
    const pods = `/api/v1/namespaces/${encodeURIComponent(this.#options.namespace)}/pods`;
    return pod === undefined ? pods : `${pods}/${encodeURIComponent(pod)}`;
  }
}
