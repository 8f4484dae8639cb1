// The client of the web worker, which runs everything slow so that the page stays responsive.
import { ownHeaders } from '../live/ask.ts';
import type { Answers, Loaded, Loading, Question, WorkerRequest, WorkerResponse } from './protocol.ts';

interface PendingQuestion {
  readonly part: (answer: unknown) => void;
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
}

export class WorkerClient {
  readonly #worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, PendingQuestion>();
  #count = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => {
      const waiting = this.#waiting.get(data.id);
      if ('error' in data) waiting?.failed(new Error(data.error));
      else if (data.isLast) waiting?.done(data.answer);
      else waiting?.part(data.answer);
      if ('error' in data || data.isLast) this.#waiting.delete(data.id);
    };
    this.#worker.onerror = () => {
      for (const { failed } of this.#waiting.values())
        failed(new Error('The background worker has stopped. Reload the page.'));
      this.#waiting.clear();
    };
  }

  /** `part` receives all answers but the last. */
  ask<Kind extends Question['kind']>(
    question: Extract<Question, { kind: Kind }>,
    part: (answer: Answers[Kind]) => void = () => undefined,
  ): Promise<Answers[Kind]> {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {
        part: part as (answer: unknown) => void,
        done: resolve as (answer: unknown) => void,
        failed: reject,
      });
      this.#worker.postMessage({ id, question } satisfies WorkerRequest);
    });
  }

  /** The cluster as it is now. The worker fetches it itself, which avoids copying a large snapshot. */
  loadNow(part: (loading: Loading) => void = () => undefined): Promise<Loaded> {
    const onPart = part as (answer: unknown) => void;
    return this.ask<'load'>({ kind: 'load', headers: ownHeaders() }, onPart);
  }

  close(): void {
    this.#worker.terminate();
  }
}
