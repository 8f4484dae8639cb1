// Detects a view older than the one the ledger was written from. Deciding on it would count nodes that are gone and miss new ones.
import type { SeenVersions } from '../cluster/ledger.ts';
import { after, asDuration, type Instant, minute, second } from '../time/instant.ts';
import type { ClusterView, Port, Unsynced } from './port.ts';

/** Watches of a quiet kind report progress only once a minute. After this delay, list the kind again instead of waiting. */
export const catchUpAfter = asDuration(2 * second);
/** Listing a whole kind is expensive for the server: at most this often. */
const catchUpEvery = asDuration(15 * second);
/** If every list since then has shown an older state, the state that the ledger's author saw no longer exists. */
const believedFor = asDuration(3 * minute);
const believedLooks = 3;

export class LagCheck {
  readonly #port: Port;
  readonly #warn: (message: string) => void;
  #since: Instant | undefined;
  #lookedAt: Instant | undefined;
  #looks = 0;
  /** The ledger version that the fields above are about: a ledger written meanwhile may require more. */
  #version: string | undefined;
  /** The version of a ledger whose author saw a state that no longer exists. */
  #forgiven: string | undefined;

  constructor(port: Port, warn: (message: string) => void) {
    this.#port = port;
    this.#warn = warn;
  }

  /** What is older than the ledger. Empty = nothing. */
  of(view: ClusterView, now: Instant): readonly Unsynced[] {
    const kinds = behind(view);
    if (kinds.length === 0 || view.ledger?.version !== this.#version) {
      this.#version = view.ledger?.version;
      this.#since = undefined;
      this.#looks = 0;
    }
    if (kinds.length === 0) return [];
    if (view.ledger?.version === this.#forgiven) return [];
    this.#since ??= now;
    // Kinds that are being listed again have no result yet.
    if (view.unsynced.length === 0) this.#look(kinds, now);
    if (this.#looks > believedLooks && now >= after(this.#since, believedFor)) {
      this.#forgive(view, kinds);
      return [];
    }
    const needed = view.ledger?.record.seen ?? {};
    return kinds.map((kind) => ({
      cause: 'behind',
      kind,
      seen: view.seen[kind] ?? 'none',
      needed: needed[kind] ?? 'none',
    }));
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
   * A restored server counts resource versions from an earlier value, and the ledger came from the backup. What the ledger records stays
   * in force until the facts show otherwise, so that no limit is exceeded. Only its author's resource versions mean nothing here.
   */
  #forgive({ ledger, seen }: ClusterView, kinds: readonly string[]): void {
    this.#forgiven = ledger?.version;
    const [kind = ''] = kinds;
    this.#warn(
      `The API server's resource versions went back: the ledger was written at ${ledger?.record.seen?.[kind]} of ${kind}, and the newest is now ${seen[kind]}. Was the cluster restored from a backup? What the ledger records stays in force; to see it, run \`kubectl get disruptionledger lull -o yaml\`.`,
    );
  }
}

const latest = (a: Instant, b: Instant): Instant => (a > b ? a : b);

function behind({ ledger, seen }: ClusterView): readonly string[] {
  const needed: SeenVersions = ledger?.record.seen ?? {};
  return Object.keys(needed).filter((kind) => Number(seen[kind] ?? 0) < Number(needed[kind]));
}
