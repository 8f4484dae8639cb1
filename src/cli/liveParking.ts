// How far the first parking of all governed nodes is: for the log and for /readyz (N3). Until it is done, guide does not hold yet.
import type { Round } from '../engine/verdict.ts';
import { formatDuration } from '../time/duration.ts';
import { asDuration, between, type Instant, second } from '../time/instant.ts';
import type { Told } from './liveLog.ts';
import { count } from './scene.ts';

/** Lines of progress are at least this far apart. */
const tellEvery = asDuration(5 * second);

interface Lasting {
  readonly since: Instant;
  readonly toldAt: Instant;
}

export class ParkingProgress {
  #isWhole = false;
  #lasting: Lasting | undefined;
  #hindrance: string | undefined;

  /** A process that leads anew has parked nothing yet. */
  restart(): void {
    this.#isWhole = false;
    this.#lasting = undefined;
    this.#hindrance = undefined;
  }

  /** Why guide does not hold yet, in words; undefined = it does, or nothing is to be parked. */
  get hindrance(): string | undefined {
    return this.#hindrance;
  }

  /** After the first time a node that has just been born is no trouble: it is parked in the next round. */
  next({ parking = [], at }: Pick<Round, 'parking' | 'at'>): readonly Told[] {
    const parked = sum(parking.map((it) => it.parked));
    const unparked = sum(parking.map((it) => it.unparked));
    const missing = this.#isWhole ? sum(parking.map((it) => it.late)) : unparked;
    const all = parked + unparked;
    if (missing === 0) return this.#isDone(at, all);
    this.#hindrance = `parked ${parked} of ${count(all, 'node')}; until all are, Karpenter may take the others by itself`;
    const { since, toldAt } = this.#lasting ?? { since: at, toldAt: undefined };
    const isDue = toldAt === undefined || between(toldAt, at) >= tellEvery;
    this.#lasting = { since, toldAt: isDue ? at : toldAt };
    return isDue ? [{ kind: 'parking', text: this.#hindrance, parked, nodes: all }] : [];
  }

  #isDone(at: Instant, all: number): readonly Told[] {
    const lasting = this.#lasting;
    this.#isWhole = true;
    this.#lasting = undefined;
    this.#hindrance = undefined;
    if (!lasting) return [];
    const took = formatDuration(asDuration(Math.round(between(lasting.since, at) / second) * second));
    return [{ kind: 'parked', text: `all ${count(all, 'node')}, in ${took}`, parked: all, nodes: all }];
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
