// Is this view older than the one the ledger was written from? Such a one may not decide: it would count what is gone, and miss what came.
import type { Seen } from '../cluster/ledger.ts';
import { after, asDuration, type Instant, minute, second } from '../time/instant.ts';
import type { Port, View } from './port.ts';

/** Of a kind that nothing happens to, a watch tells how far it is once a minute: who cannot wait for that looks anew. */
export const catchUpAfter = asDuration(2 * second);
/** Looking at everything of a kind is work for the server. */
const catchUpEvery = asDuration(15 * second);
/** Every look since then has shown an older state: then the state that the ledger's author saw is no longer there. */
const believedFor = asDuration(3 * minute);
const believedLooks = 3;

export class Lag {
  readonly #port: Port;
  readonly #warn: (words: string) => void;
  #since: Instant | undefined;
  #lookedAt: Instant | undefined;
  #looks = 0;
  /** Of the ledger that this is about: one that was written meanwhile may need more. */
  #version: string | undefined;
  /** The version of a ledger whose author saw what is no longer there. */
  #forgiven: string | undefined;

  constructor(port: Port, warn: (words: string) => void) {
    this.#port = port;
    this.#warn = warn;
  }

  /** What is older, in words. Empty = nothing. */
  of(view: View, now: Instant): readonly string[] {
    const kinds = behind(view);
    if (kinds.length === 0 || view.ledger?.version !== this.#version) {
      this.#version = view.ledger?.version;
      this.#since = undefined;
      this.#looks = 0;
    }
    if (kinds.length === 0) return [];
    if (view.ledger?.version === this.#forgiven) return [];
    this.#since ??= now;
    // What is being looked at anew has no answer yet.
    if (view.unsynced.length === 0) this.#look(kinds, now);
    if (this.#looks > believedLooks && now >= after(this.#since, believedFor)) {
      this.#forgive(view, kinds);
      return [];
    }
    const needed = view.ledger?.record.seen ?? {};
    return kinds.map(
      (kind) => `${kind} is seen up to ${view.seen[kind] ?? 'nothing'}, the ledger's author saw ${needed[kind]}`,
    );
  }

  #look(kinds: readonly string[], now: Instant): void {
    const since = after(this.#since ?? now, catchUpAfter);
    const dueAt = this.#lookedAt === undefined ? since : latest(since, after(this.#lookedAt, catchUpEvery));
    if (!this.#port.catchUp || now < dueAt) return;
    this.#lookedAt = now;
    this.#looks++;
    this.#port.catchUp(kinds);
  }

  /**
   * A server that was set up anew counts from the beginning: the ledger came there from a backup. What it remembers stays counted until
   * the facts show otherwise, so that nothing is started beyond a limit for it; only how far its author saw means nothing here.
   */
  #forgive({ ledger, seen }: View, kinds: readonly string[]): void {
    this.#forgiven = ledger?.version;
    const [kind = ''] = kinds;
    this.#warn(
      `The server has gone back in time: the ledger's author saw ${kind} up to ${ledger?.record.seen?.[kind]}, and everything that is there now goes up to ${seen[kind]}. Was it restored from a backup? What the ledger remembers stays in force; look at it with \`kubectl get disruptionledger lull -o yaml\`.`,
    );
  }
}

const latest = (a: Instant, b: Instant): Instant => (a > b ? a : b);

function behind({ ledger, seen }: View): readonly string[] {
  const needed: Seen = ledger?.record.seen ?? {};
  return Object.keys(needed).filter((kind) => Number(seen[kind] ?? 0) < Number(needed[kind]));
}
