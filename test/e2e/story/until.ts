// Waiting in a story: polls until a condition holds; after a timeout it shows the state of the cluster.
import { setTimeout } from 'node:timers/promises';

interface Patience {
  /** Seconds; default 60. */
  readonly within?: number;
}

export type Until = <T>(
  words: string,
  look: () => Promise<T> | T,
  patience?: Patience,
) => Promise<Exclude<T, false | undefined | null | 0 | ''>>;

export function openUntil(picture: () => Promise<string>, say: (sentence: string) => void): Until {
  return async (words, look, { within = 60 } = {}) => {
    const began = performance.now();
    const seconds = (): number => (performance.now() - began) / 1000;
    for (;;) {
      let trouble = '';
      try {
        const seen = await look();
        if (seen) {
          say(`${words} (${seconds().toFixed(1)} s)`);
          return seen as Exclude<typeof seen, false | undefined | null | 0 | ''>;
        }
      } catch (error) {
        // A server that is down may answer later; a persistent error is reported at the end.
        trouble = `\nThe last look failed: ${error instanceof Error ? error.message : String(error)}`;
      }
      if (seconds() > within) throw new Error(`Not within ${within} s: ${words}${trouble}\n\n${await picture()}`);
      await setTimeout(150);
    }
  };
}
