// The open history, of this cluster or of a recording; kept while the user changes pages.
import { signal } from '@preact/signals';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { emptyPicture } from '../../src/engine/picture/pictureChange.ts';
import { askJson } from '../live/ask.ts';
import { past } from '../live/live.ts';
import { WorkerClient } from '../worker/client.ts';
import { type HistoryItem, Moments } from './moments.ts';

export interface OpenHistory {
  readonly moments: Moments;
  /** The name of the file; absent = this cluster. */
  readonly recording?: string;
}

export const opened = signal<OpenHistory | undefined>(undefined);
export const index = signal(0);
export const trouble = signal('');
export const isReading = signal(false);

export async function openLive(): Promise<void> {
  await open(async () => {
    const { base, items } = (await askJson('/api/history')) as { base: Picture; items: HistoryItem[] };
    return { moments: new Moments(base, items) };
  });
  past.value = undefined;
}

export async function openFile(file: File): Promise<void> {
  const worker = new WorkerClient();
  await open(async () => {
    const { items } = await worker.ask<'recording'>({ kind: 'recording', text: await textOf(file) });
    return { moments: new Moments(emptyPicture, items), recording: file.name };
  });
  worker.close();
  if (opened.value?.recording) step(0);
}

async function open(read: () => Promise<OpenHistory>): Promise<void> {
  isReading.value = true;
  trouble.value = '';
  try {
    const next = await read();
    opened.value = next;
    index.value = Math.max(0, next.moments.length - 1);
  } catch (error) {
    trouble.value = (error as Error).message;
  }
  isReading.value = false;
}

/** Selects a round; all pages show it. */
export function step(to: number): void {
  const history = opened.value;
  if (!history || history.moments.length === 0) return;
  index.value = Math.min(history.moments.length - 1, Math.max(0, to));
  const picture = history.moments.picture(index.value);
  past.value = { picture, ...(history.recording !== undefined && { recording: history.recording }) };
}

/** Recordings are usually compressed. */
async function textOf(file: File): Promise<string> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  try {
    return await new Response(stream).text();
  } catch {
    throw new Error('The file is damaged or incomplete. Create a recording with `lull record`.');
  }
}
