// The search thread: runs one search after another, each to its end or until its time is up, and posts the best result so far.
import { parentPort } from 'node:worker_threads';
import { longSearch, searchGroups } from '../../engine/consolidation/searchGroups.ts';
import type { SearchTask } from '../../engine/consolidation/searchTask.ts';
import type { SearchResult } from './liveSearch.ts';

/** A search ends after this many milliseconds, with the best result so far. */
const longest = 30_000;

parentPort?.on('message', (task: SearchTask) => {
  const began = performance.now();
  const search = searchGroups(task, longSearch);
  let next = search.next();
  while (!next.done && performance.now() - began < longest) next = search.next();
  parentPort?.postMessage({ proposals: next.value } satisfies SearchResult);
});
