// node --expose-gc apiProcess.ts KUBECONFIG CHANGES…: reads a large cluster in its own process, so that only Lull's memory is measured.
// Each of CHANGES is the path of a pod to change once everything is listed. Prints one line of JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { defaultSettings } from '../src/cluster/settings.ts';
import { connect } from '../src/kube/connection.ts';
import { wallClock } from '../src/kube/machine.ts';
import { openController } from '../src/runtime/controller.ts';
import { runLoop, type WakingPort } from '../src/runtime/loop.ts';
import type { Reconciler } from '../src/runtime/port.ts';

const [kubeconfig = '', ...changes] = process.argv.slice(2);
const stall = monitorEventLoopDelay({ resolution: 1 });
stall.enable();
const began = performance.now();
const connection = connect({ kubeconfig }, 'lull-bench');
const port = connection.openPort({ onFault: (words) => process.stderr.write(`${words}\n`) });

let syncedMs: number | undefined;
let verdicts = 0;
let heard: ((tookMs: number) => void) | undefined;
const nextRound = (): Promise<number> =>
  new Promise((resolve) => {
    heard = resolve;
  });

const watched: WakingPort = {
  onWake: (listener) => port.onWake(listener),
  send: (request) => port.send(request),
  catchUp: (kinds) => port.catchUp(kinds),
  view: () => {
    const view = port.view();
    if (view.unsynced.length === 0) syncedMs ??= performance.now() - began;
    return view;
  },
};

let isDecided = false;
const controller = openController(watched, defaultSettings, {
  onRound: (round) => {
    isDecided = true;
    verdicts = round.verdicts.length;
  },
});
/** In observe a pass sends no requests: it is a round, from reading the facts to the report. */
const reconciler: Reconciler = {
  *pass(now) {
    isDecided = false;
    const from = performance.now();
    const rest = yield* controller.pass(now);
    if (isDecided) heard?.(performance.now() - from);
    return rest;
  },
};

const mb = (bytes: number): number => Math.round(bytes / 2 ** 20);
const end = new AbortController();
const first = nextRound();
const loop = runLoop({ port: watched, reconciler, clock: wallClock, signal: end.signal });
const firstRoundMs = await first;
const firstDecidedMs = performance.now() - began;
const whole = process.memoryUsage();
const longestStallMs = stall.max / 1e6;
stall.reset();
globalThis.gc?.();
const kept = process.memoryUsage();

const rounds: number[] = [];
const answered: number[] = [];
for (const [turn, path] of changes.entries()) {
  const from = performance.now();
  const decided = nextRound();
  const body = { metadata: { labels: { turn: `${process.pid}-${turn}` } } };
  const reply = await connection.client.request({
    method: 'PATCH',
    path,
    body,
    contentType: 'application/merge-patch+json',
  });
  if (reply.kind !== 'answer' || reply.code !== 200) throw new Error(`${path}: ${JSON.stringify(reply)}`);
  rounds.push(await decided);
  answered.push(performance.now() - from);
}
const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const result = {
  syncedMs,
  firstDecidedMs,
  firstRoundMs,
  verdicts,
  rssMb: mb(whole.rss),
  heapMb: mb(kept.heapUsed),
  longestStallMs,
  laterStallMs: stall.max / 1e6,
  changeRoundMs: median(rounds),
  changeAnsweredMs: median(answered),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
end.abort();
await loop;
port.close();
connection.close();
