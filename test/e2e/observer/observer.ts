// The observer of a story: it starts with the cluster, records whatever happens, and is queried at the end.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readTimeline, type Timeline } from './timeline.ts';

export interface Observer {
  /** When it returns, the observer has seen everything that happened before the call. */
  timeline(): Promise<Timeline>;
  close(): void;
}

export function openObserver(folder: string): Observer {
  const file = join(folder, 'timeline.ndjson');
  const log = openSync(join(folder, 'observer.log'), 'a');
  const words = [join(import.meta.dirname, 'process.ts'), join(folder, 'observer.kubeconfig'), file];
  // Its input ends with this process, which ends it.
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', log] });
  closeSync(log);
  const { stdin } = child;
  stdin?.on('error', () => undefined);
  let asked = 0;
  return {
    timeline: async () => {
      const line = String(++asked);
      stdin?.write(`${line}\n`);
      for (;;) {
        const timeline = readTimeline(file);
        if (timeline.flushed.has(line)) return timeline;
        if (child.exitCode !== null) throw new Error(`The observer has ended: ${join(folder, 'observer.log')}`);
        await setTimeout(100);
      }
    },
    close: () => stdin?.end(),
  };
}
