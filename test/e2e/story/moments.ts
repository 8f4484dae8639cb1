// Random moments at which Lull is killed, equal for equal seeds: after some writes or milliseconds, whichever comes first.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Random } from '../../../src/sim/random.ts';
import { lullUser } from './audit.ts';
import type { RunningLull } from './lull.ts';
import type { Roll } from './roll.ts';
import type { Story } from './story.ts';

interface Moment {
  /** This many write requests after its start. */
  readonly writes: number;
  /** At the latest after this many milliseconds. */
  readonly within: number;
}

/** `SEED=… npx vitest run …` repeats the same moments. */
export const chosenSeed = (): number => Number(process.env.SEED ?? Date.now() % 1_000_000);

const mostWrites = 6;
const mostPatience = 7_000;

const draw = (random: Random): Moment => ({
  writes: 1 + random.whole(mostWrites),
  within: random.whole(mostPatience),
});

export interface Kills {
  readonly times: number;
  readonly seed: number;
}

/**
 * Kills and restarts it this many times, spread over the whole roll: each disrupted node gets its share. It must be
 * started with `ready: false`, so that it is also hit while it starts. Returns after how many starts it had written something.
 */
export async function killThrough(
  story: Story,
  lull: RunningLull,
  roll: Roll,
  { times, seed }: Kills,
): Promise<number> {
  story.say(`It is killed ${times} times, with SEED=${seed}`);
  const random = new Random(seed);
  const writes = new Writes(story.cluster.auditLog);
  const told: string[] = [];
  let livesThatWrote = 0;
  for (let kill = 0; kill < times; kill++) {
    const due = Math.floor((kill * roll.old.size) / times);
    const moment = draw(random);
    const before = writes.count();
    if ((await roll.gone()) < due)
      await story.until(`${due} nodes are gone`, async () => (await roll.gone()) >= due, { within: 240 });
    const from = performance.now();
    while (writes.count() - before < moment.writes && performance.now() - from < moment.within) await setTimeout(5);
    if (!(await lull.isRunning())) throw new Error(`It ended by itself:\n${lull.tail()}`);
    await lull.kill();
    const wrote = writes.count() - before;
    if (wrote > 0) livesThatWrote++;
    told.push(String(wrote));
    await lull.start();
  }
  writes.close();
  story.say(`Writes after each start: ${told.join(' ')}`);
  return livesThatWrote;
}

/** Counts Lull's write requests to nodes, claims, pods and its ledger, as the audit log grows. */
class Writes {
  readonly #file: number;
  #read = 0;
  #rest = '';
  #count = 0;

  constructor(auditLog: string) {
    this.#file = openSync(auditLog, 'r');
    this.count();
  }

  count(): number {
    const size = fstatSync(this.#file).size;
    const piece = Buffer.alloc(size - this.#read);
    this.#read += readSync(this.#file, piece, 0, piece.length, this.#read);
    const lines = (this.#rest + piece.toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#count += lines.filter(isWrite).length;
    return this.#count;
  }

  close(): void {
    closeSync(this.#file);
  }
}

const changing = /"resource":"(nodes|nodeclaims|pods|disruptionledgers)"/;

const isWrite = (line: string): boolean =>
  line.includes(`"username":"${lullUser}"`) &&
  /"verb":"(create|patch|delete)"/.test(line) &&
  changing.test(line) &&
  line.includes('"stage":"ResponseComplete"');
