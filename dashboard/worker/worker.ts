// The web worker: runs engine, linter and simulator in the browser. Nothing is applied to the cluster.
import { forecastFor, forecastRuns } from '../../src/forecast/poolForecasts.ts';
import type { Loading, Question, WorkerRequest, WorkerResponse } from './protocol.ts';
import { readRecording } from './recording.ts';
import { WhatIf } from './whatIf.ts';

let whatIf: WhatIf | undefined;

function* answers(question: Exclude<Question, { kind: 'load' }>): Generator<unknown> {
  if (question.kind === 'recording') {
    yield readRecording(question.text);
    return;
  }
  if (!whatIf) throw new Error('No snapshot is loaded yet.');
  if (question.kind === 'forecast') yield* forecastRuns(whatIf.snapshot, forecastFor(whatIf.loaded.nodes));
  else if (question.kind === 'decide') yield whatIf.decide(question.yaml);
  else if (question.kind === 'read') yield whatIf.read(question.yaml);
  else if (question.kind === 'patch') yield whatIf.patch(question.yaml);
  else {
    const snapshot = whatIf.snapshotWith(question.yaml);
    if (snapshot) yield* forecastRuns(snapshot, { ...forecastFor(whatIf.loaded.nodes), runs: 2 });
    else yield undefined;
  }
}

async function load(headers: Readonly<Record<string, string>>, report: (loading: Loading) => void): Promise<unknown> {
  const response = await fetch('/api/snapshot', { headers });
  if (!response.ok)
    throw new Error(
      response.status === 404
        ? 'This Lull provides no snapshot of its cluster, so What if and forecasts are not available.'
        : `The server returned status ${response.status}.`,
    );
  whatIf = new WhatIf(await textOf(response, report), (read, total) => report({ read, total }));
  return whatIf.loaded;
}

const megabyte = 1024 * 1024;

async function textOf(response: Response, report: (loading: Loading) => void): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const pieces: string[] = [];
  let [size, reported] = [0, 0];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return pieces.join('');
    pieces.push(value);
    size += value.length;
    if (size - reported < megabyte) continue;
    reported = size;
    report({ megabytes: Math.round(size / megabyte) });
  }
}

const respond = (response: WorkerResponse): void => postMessage(response);

async function answer({ id, question }: WorkerRequest): Promise<void> {
  try {
    if (question.kind === 'load') {
      const report = (loading: Loading): void => respond({ id, answer: loading, isLast: false });
      respond({ id, answer: await load(question.headers, report), isLast: true });
      return;
    }
    const all = answers(question);
    for (let next = all.next(); !next.done; ) {
      const value = next.value;
      next = all.next();
      respond({ id, answer: value, isLast: next.done === true });
    }
  } catch (error) {
    respond({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => void answer(data));
