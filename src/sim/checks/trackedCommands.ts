// The commands that are or recently were in the ledger, against which Lull's writes are checked.

import { asDuration, type Duration, type Instant, second } from '../../time/instant.ts';
import type { LedgerRecord, RawCommand } from '../ledgerRecord.ts';

/** A request may arrive after another controller has moved on: recently ended steps still justify it. */
const lateness: Duration = asDuration(5 * second);

interface TrackedCommand {
  readonly command: RawCommand;
  /** Recent steps, with the instant at which each ended. */
  readonly left: readonly { readonly step: string; readonly at: Instant }[];
  overAt?: Instant;
}

export class TrackedCommands {
  readonly #known = new Map<string, TrackedCommand>();
  readonly #byName = new Map<string, string>();
  /** All names ever launched: a name is launched only once. */
  readonly #launched = new Set<string>();
  #now: Instant;

  constructor(now: Instant) {
    this.#now = now;
  }

  /** Called after each write of the ledger. */
  follow({ commands }: LedgerRecord, now: Instant): void {
    this.#now = now;
    for (const command of commands.values()) {
      this.#known.set(command.id, { command, left: this.#leftBy(command, now) });
      for (const { name, claim } of command.nodes) {
        this.#byName.set(`node ${name}`, command.id);
        if (claim !== undefined) this.#byName.set(`claim ${claim}`, command.id);
      }
      for (const name of command.replacements) this.#byName.set(`replacement ${name}`, command.id);
    }
    for (const [id, known] of this.#known) {
      if (commands.has(id)) continue;
      known.overAt ??= now;
      if (now - known.overAt > lateness) this.#forget(id, known.command);
    }
  }

  tick(now: Instant): void {
    this.#now = now;
  }

  find(id: string): RawCommand | undefined {
    const known = this.#known.get(id);
    return known && (known.overAt === undefined || this.#now - known.overAt <= lateness) ? known.command : undefined;
  }

  /** Whether the command is or recently was in one of these steps. */
  isIn({ id }: RawCommand, ...steps: readonly string[]): boolean {
    const known = this.#known.get(id);
    if (!known) return false;
    const isRecent = ({ step, at }: TrackedCommand['left'][number]): boolean =>
      this.#now - at <= lateness && steps.includes(step);
    return steps.includes(known.command.step) || known.left.some(isRecent);
  }

  #leftBy({ id, step }: RawCommand, now: Instant): TrackedCommand['left'] {
    const known = this.#known.get(id);
    if (!known) return [];
    const recent = known.left.filter(({ at }) => now - at <= lateness);
    return known.command.step === step ? recent : [...recent, { step: known.command.step, at: now }];
  }

  ofNode = (name: string): RawCommand | undefined => this.find(this.#byName.get(`node ${name}`) ?? '');
  ofClaim = (name: string): RawCommand | undefined => this.find(this.#byName.get(`claim ${name}`) ?? '');
  ofReplacement = (name: string): RawCommand | undefined => this.find(this.#byName.get(`replacement ${name}`) ?? '');

  /** The commands in the ledger now. */
  *underWay(): Generator<RawCommand> {
    for (const { command, overAt } of this.#known.values()) if (overAt === undefined) yield command;
  }

  /** Returns false if the name was launched before. */
  launch(name: string): boolean {
    if (this.#launched.has(name)) return false;
    this.#launched.add(name);
    return true;
  }

  #forget(id: string, { nodes, replacements }: RawCommand): void {
    this.#known.delete(id);
    const drop = (name: string): void => {
      if (this.#byName.get(name) === id) this.#byName.delete(name);
    };
    for (const { name, claim } of nodes) {
      drop(`node ${name}`);
      drop(`claim ${claim}`);
    }
    for (const name of replacements) drop(`replacement ${name}`);
  }
}
