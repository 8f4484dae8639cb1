// node parkingProcess.ts KUBECONFIG before|after: parks every node of a cluster, and prints how long that took as one line of JSON.
import { defaultSettings } from '../src/cluster/settings.ts';
import { connect } from '../src/kube/connection.ts';
import { steadyClock, wallClock } from '../src/kube/machine.ts';
import { TokenBucket } from '../src/kube/pacing.ts';
import { openController } from '../src/runtime/controller.ts';
import { runLoop, type WakingPort } from '../src/runtime/loop.ts';
import type { ApiRequest, ApiResponse } from '../src/runtime/port.ts';

const [kubeconfig = '', mode] = process.argv.slice(2);
const connection = connect({ kubeconfig }, 'lull-bench');
const port = connection.openPort({ onFault: (words) => process.stderr.write(`${words}\n`) });
const end = new AbortController();
const bucket = new TokenBucket(steadyClock, { perSecond: 20, burst: 40 });
let began: number | undefined;
let seconds = 0;
let requests = 0;
let unanswered = 0;
let inFlight = 0;
let mostInFlight = 0;
let last: Promise<unknown> = Promise.resolve();

async function send(request: ApiRequest): Promise<ApiResponse> {
  began ??= performance.now();
  requests++;
  mostInFlight = Math.max(mostInFlight, ++inFlight);
  const answer = await port.send(request);
  inFlight--;
  if (answer.status === 'away') unanswered++;
  return answer;
}

/** The former behaviour: each request is answered before the next is sent. */
function sendAlone(request: ApiRequest): Promise<ApiResponse> {
  const turn = last.then(async () => {
    await bucket.take();
    return send(request);
  });
  last = turn;
  return turn;
}

const watched: WakingPort = {
  view: () => port.view(),
  onWake: (listener) => port.onWake(listener),
  catchUp: (kinds) => port.catchUp(kinds),
  send: mode === 'before' ? sendAlone : send,
};
const reconciler = openController(
  watched,
  { ...defaultSettings, role: 'guide' },
  {
    onRound: ({ parking = [] }) => {
      if (began === undefined || parking.some(({ unparked }) => unparked > 0)) return;
      seconds = (performance.now() - began) / 1000;
      end.abort();
    },
  },
);
await runLoop({ port: watched, reconciler, clock: wallClock, signal: end.signal });
process.stdout.write(`${JSON.stringify({ seconds, requests, unanswered, mostInFlight })}\n`);
port.close();
connection.close();
