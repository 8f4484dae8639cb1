// Has the server gone back in time, as from a backup? A watch that is taken up there again would tell nothing until it has come as far once more.
import { isMap } from '../kinds/reader.ts';
import type { Clock } from '../runtime/clock.ts';
import { asDuration, second } from '../time/instant.ts';
import { apiKindOf, collectionPath } from './apiKind.ts';
import type { Client, Reply } from './client.ts';
import { pause } from './pause.ts';
import { isVersion } from './rawObject.ts';

export interface TimelineOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** How far everything has been seen. */
  readonly seen: () => number;
  /** It has: what is known is of another time. */
  readonly onBack: (version: number, seen: number) => void;
  /** It is known now. */
  readonly onSure: () => void;
}

const askAgain = asDuration(second);

/** One object of a kind that everybody may list and few have many of; every list says how far the server has come. */
const question = { method: 'GET', path: collectionPath(apiKindOf('Namespace')), query: { limit: '1' } } as const;

export class Timeline {
  readonly #options: TimelineOptions;
  readonly #closed = new AbortController();
  #asking: Promise<void> | undefined;
  #isToAsk = false;

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  /** Nothing that is seen can be trusted until the server has said. */
  get isUnsure(): boolean {
    return this.#asking !== undefined;
  }

  /** A watch has been taken up again: by the same server as before? */
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
      // Before it is asked: what comes meanwhile may be younger than the answer.
      const known = seen();
      const reply = await client.request(question);
      const version = versionIn(reply);
      if (version === undefined && mayAnswer(reply)) {
        this.#isToAsk = true;
        await pause(clock, askAgain, this.#closed.signal);
      } else if (version !== undefined && version < known) onBack(version, known);
    }
  }
}

function versionIn(reply: Reply): number | undefined {
  if (reply.kind === 'silence' || reply.code !== 200) return undefined;
  const { body } = reply;
  const version = isMap(body) && isMap(body.metadata) ? body.metadata.resourceVersion : undefined;
  return isVersion(version) ? Number(version) : undefined;
}

/** Who is forbidden to ask will not be told later either; then bookmarks have to do. */
const mayAnswer = (reply: Reply): boolean => reply.kind === 'silence' || reply.code >= 500 || reply.code === 429;
