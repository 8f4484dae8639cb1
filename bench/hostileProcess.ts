// node hostileProcess.ts NODES [ROW]: decides a grown cluster, with a row's hostile objects or plain, and prints its figures as JSON.
import { emptyLedger, type Ledger } from '../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../src/cluster/settings.ts';
import { decideRound } from '../src/engine/round.ts';
import type { Round } from '../src/engine/verdict.ts';
import { asInstant, type Instant, parseInstant } from '../src/time/instant.ts';
import { asChange, decidedAt, flippedPod, grow } from './grownCluster.ts';
import { hostileRows } from './hostileRows.ts';

const [nodes = 100, row = ''] = [Number(process.argv[2]), process.argv[3]];
const settings: Settings = { ...defaultSettings, role: 'drive' };
const now = parseInstant(decidedAt) as Instant;
const rounds = 9;
/** Rounds are this far apart, so that schedules open and close between them. */
const apart = 10_000;

/** Processor time of this thread, in milliseconds: other work on the machine does not count. */
const spent = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const began = spent();
const store = grow(nodes);
for (const object of hostileRows.find(({ name }) => name === row)?.objects() ?? []) store.apply(asChange(object));
const read = spent();
const decide = (ledger: Ledger, at: Instant): Round => decideRound({ cluster: store, ledger }, at, settings);
const { ledger } = decide(emptyLedger, now);
const decided = spent();
const times: number[] = [];
for (let turn = 1; turn <= rounds; turn++) {
  store.apply(asChange(flippedPod(turn % nodes, turn % 2 === 0)));
  const start = spent();
  decide(ledger, asInstant(now + turn * apart));
  times.push(spent() - start);
}
times.sort((a, b) => a - b);
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  JSON.stringify({
    readMs: read - began,
    firstMs: decided - read,
    afterMs: times[rounds >> 1],
    slowestMs: times.at(-1),
    peakMb,
  }),
);
