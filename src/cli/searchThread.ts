// What runs in the thread beside the loop? One search after another, each to its end or until its time is up: then its best answer so far.
import { parentPort } from 'node:worker_threads';
import { longSearch, searchGroups } from '../engine/consolidation/searchGroups.ts';
import type { SearchTask } from '../engine/consolidation/searchTask.ts';
import type { Answered } from './liveSearch.ts';

/** Whoever has found nothing better for so long has found enough. */
const longest = 30_000;

parentPort?.on('message', (task: SearchTask) => {
  const began = performance.now();
  const search = searchGroups(task, longSearch);
  let next = search.next();
  while (!next.done && performance.now() - began < longest) next = search.next();
  parentPort?.postMessage({ proposals: next.value } satisfies Answered);
});
