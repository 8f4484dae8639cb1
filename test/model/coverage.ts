// What the seeds reached: every step of a command, every refusal and every fault, counted once per node.
import type { Round } from '../../src/engine/verdict.ts';

export type What = 'step' | 'code' | 'fault';

export class Coverage {
  readonly #reached = new Map<string, Set<string>>();

  note(what: What, name: string, whom: string): void {
    const key = `${what} ${name}`;
    const known = this.#reached.get(key) ?? new Set<string>();
    this.#reached.set(key, known.add(whom));
  }

  round(seed: number, { verdicts, commands }: Round): void {
    for (const { node, reason, refusals } of verdicts)
      for (const { code } of refusals) this.note('code', code, `${seed} ${node} ${reason}`);
    for (const { id, step } of commands) this.note('step', step, `${seed} ${id}`);
  }

  add(other: Coverage): void {
    for (const [key, whom] of other.#reached) {
      const known = this.#reached.get(key) ?? new Set<string>();
      for (const each of whom) known.add(each);
      this.#reached.set(key, known);
    }
  }

  count(what: What, name: string): number {
    return this.#reached.get(`${what} ${name}`)?.size ?? 0;
  }

  toString(): string {
    return [...this.#reached]
      .map(([key, { size }]) => `${key} ${size}`)
      .sort()
      .join('\n');
  }
}
