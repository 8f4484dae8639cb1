import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { requestOn, threeForOne } from '../../../test/threeForOne.ts';
import { longSearch } from '../../engine/consolidation/searchGroups.ts';
import { type SearchRequest, searchTask } from '../../engine/consolidation/searchTask.ts';
import { searchAll } from '../../engine/search.ts';
import { LiveSearcher, type SearchThread } from './liveSearch.ts';

const now = at(noon);
/** Bundled as by scripts/build.ts. */
async function bundled(folder: string): Promise<string> {
  const outfile = join(folder, 'searchThread.mjs');
  const entry = join(import.meta.dirname, 'searchThread.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node22', format: 'esm' });
  return outfile;
}

/** The proposals, or the error. */
function found(search: SearchRequest, open?: () => SearchThread): Promise<LiveSearcher['proposals']> {
  return new Promise((resolve, reject) => {
    const searcher = new LiveSearcher({ onFault: (words) => reject(new Error(words)), ...(open && { open }) });
    searcher.onNews(() => {
      resolve(searcher.proposals);
      searcher.close();
    });
    searcher.submit(search, now);
  });
}

describe('The search thread finds the same as a search in the main thread', () => {
  it('from source', async () => {
    const search = requestOn(threeForOne);
    const here = searchAll(searchTask(search), longSearch);
    expect(here.map(({ nodes }) => nodes)).toEqual([['n1', 'n2', 'n3']]);
    expect(await found(search)).toEqual(here);
  });

  it('from the bundle', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lull-'));
    try {
      const file = await bundled(folder);
      const search = requestOn(threeForOne);
      expect(await found(search, () => new Worker(file))).toEqual(searchAll(searchTask(search), longSearch));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
