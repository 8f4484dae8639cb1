// Detects a server whose versions have gone back, as after a restore: a watch resumed there would deliver nothing until it catches up.
import { mapIn } from '../kinds/read/reader.ts';

import type { Clock } from '../runtime/clock.ts';
import { asDuration, second } from '../time/instant.ts';
import { apiKindOf, collectionPath } from './apiKind.ts';
import { bodyOf, isAway } from './apiReply.ts';
import type { Client } from './client.ts';
import { pause } from './pacing.ts';
import { isVersion } from './rawObject.ts';

interface RestoreCheckOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** How far everything has been seen. */
  readonly seen: () => number;
  /** Called if the versions have gone back: what is known is invalid. */
  readonly onBack: (version: number, seen: number) => void;
  /** Called when the check is complete. */
  readonly onSure: () => void;
}

const askAgain = asDuration(second);

/** One object of a kind that every client may list and of which there are few; every list contains the server's version. */
const question = { method: 'GET', path: collectionPath(apiKindOf('Namespace')), query: { limit: '1' } } as const;

export class RestoreCheck {
  readonly #options: RestoreCheckOptions;
  readonly #closed = new AbortController();
  #asking: Promise<void> | undefined;
  #isToAsk = false;

  constructor(options: RestoreCheckOptions) {
    this.#options = options;
  }

  /** While true, the view cannot be trusted. */
  get isUnsure(): boolean {
    return this.#asking !== undefined;
  }

  /** Called when a watch was resumed: the server may be another or a restored one. */
  check(): void {
    this.#isToAsk = true;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
      if (!this.#closed.signal.aborted) this.#options.onSure();
    });
  }

  close(): void {
    this.#closed.abort();
  }

  async #ask(): Promise<void> {
    const { client, clock, seen, onBack } = this.#options;
    while (this.#isToAsk && !this.#closed.signal.aborted) {
      this.#isToAsk = false;
      // Read before the request: what arrives meanwhile may be newer than the response.
      const known = seen();
      const reply = await client.request(question);
      const { resourceVersion } = mapIn(bodyOf(reply)?.metadata);
      const version = isVersion(resourceVersion) ? Number(resourceVersion) : undefined;
      // If listing is forbidden, retrying does not help; bookmarks must do.
      if (version === undefined && isAway(reply)) {
        this.#isToAsk = true;
        await pause(clock, askAgain, this.#closed.signal);
      } else if (version !== undefined && version < known) onBack(version, known);
    }
  }
}
