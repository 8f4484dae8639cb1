// How many more may leave together? Budgets, PodDisruptionBudgets and the ledger, as a search counts them; the round asks them again.
import type { SearchCandidate, SearchTask } from './searchTask.ts';

export class Allowances {
  readonly #left: Map<string, number>;
  readonly #guards: SearchTask['guards'];
  /** By PDB: pods that wait on nodes that leave. */
  readonly #waiting: Int32Array;
  #commands: number;

  constructor({ left, guards, commands }: SearchTask) {
    this.#left = new Map(left);
    this.#guards = guards;
    this.#waiting = Int32Array.from(guards, ({ waiting }) => waiting);
    this.#commands = commands;
  }

  /** Whether one more may go. */
  admits({ pool, guarded }: SearchCandidate): boolean {
    if (this.#commands < 1 || (this.#left.get(pool) ?? 1) < 1) return false;
    for (let index = 0; index < guarded.length; index += 2) {
      const guard = guarded[index] as number;
      const waiting = this.#waiting[guard] as number;
      // E10: the first node needs one, which a gate has asked for; a further one needs them all.
      if (waiting > 0 && waiting + (guarded[index + 1] as number) > (this.#guards[guard]?.allowed ?? 0)) return false;
    }
    return true;
  }

  /** It goes (1), or stays after all (-1). */
  spend({ pool, guarded }: SearchCandidate, change: 1 | -1): void {
    this.#commands -= change;
    const left = this.#left.get(pool);
    if (left !== undefined) this.#left.set(pool, left - change);
    for (let index = 0; index < guarded.length; index += 2) {
      const guard = guarded[index] as number;
      this.#waiting[guard] = (this.#waiting[guard] as number) + change * (guarded[index + 1] as number);
    }
  }
}
