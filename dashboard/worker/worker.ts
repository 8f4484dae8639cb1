// What is done aside? Engine, linter and simulator, run in the browser: nothing of it is applied to the cluster.
import { forecastFor, forecastRuns } from '../../src/forecast/forecast.ts';
import type { Asked, Loading, Question, Told } from './protocol.ts';
import { readRecording } from './recording.ts';
import { WhatIf } from './whatIf.ts';

let whatIf: WhatIf | undefined;

function* answers(question: Exclude<Question, { kind: 'load' }>): Generator<unknown> {
  if (question.kind === 'recording') {
    yield readRecording(question.text);
    return;
  }
  if (!whatIf) throw new Error('There is no snapshot yet.');
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

async function load(headers: Readonly<Record<string, string>>, say: (loading: Loading) => void): Promise<unknown> {
  const response = await fetch('/api/snapshot', { headers });
  if (!response.ok)
    throw new Error(
      response.status === 404
        ? 'This Lull keeps no copy of its cluster, so that nothing can be tried or forecast on one.'
        : `The server answers ${response.status}.`,
    );
  whatIf = new WhatIf(await textOf(response, say), (read, total) => say({ read, total }));
  return whatIf.loaded;
}

const megabyte = 1024 * 1024;

async function textOf(response: Response, say: (loading: Loading) => void): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const pieces: string[] = [];
  let [size, said] = [0, 0];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return pieces.join('');
    pieces.push(value);
    size += value.length;
    if (size - said < megabyte) continue;
    said = size;
    say({ megabytes: Math.round(size / megabyte) });
  }
}

const tell = (told: Told): void => postMessage(told);

async function answer({ id, question }: Asked): Promise<void> {
  try {
    if (question.kind === 'load') {
      const say = (loading: Loading): void => tell({ id, answer: loading, isLast: false });
      tell({ id, answer: await load(question.headers, say), isLast: true });
      return;
    }
    const all = answers(question);
    for (let next = all.next(); !next.done; ) {
      const value = next.value;
      next = all.next();
      tell({ id, answer: value, isLast: next.done === true });
    }
  } catch (error) {
    tell({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => void answer(data));
