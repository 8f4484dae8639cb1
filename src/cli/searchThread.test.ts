import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { at, noon, storeOf } from '../../test/build.ts';
import { savingSettings, threeForOne } from '../../test/threeForOne.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { longSearch } from '../engine/consolidation/searchGroups.ts';
import type { Search } from '../engine/consolidation/searchTask.ts';
import { decide } from '../engine/round.ts';
import { searchAll } from '../engine/searchedRound.ts';
import { LiveSearcher, type SearchThread } from './liveSearch.ts';

const now = at(noon);
const worthIt = (): Search => {
  const { search } = decide({ cluster: storeOf(...threeForOne), ledger: emptyLedger }, now, savingSettings());
  if (!search) throw new Error('There is nothing to search.');
  return search;
};

/** As scripts/build.ts bundles it. */
async function bundled(folder: string): Promise<string> {
  const outfile = join(folder, 'searchThread.mjs');
  const entry = join(import.meta.dirname, 'searchThread.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node22', format: 'esm' });
  return outfile;
}

/** What is found, or why nothing is. */
function found(search: Search, open?: () => SearchThread): Promise<LiveSearcher['proposals']> {
  return new Promise((resolve, reject) => {
    const searcher = new LiveSearcher({ onFault: (words) => reject(new Error(words)), ...(open && { open }) });
    searcher.onNews(() => {
      resolve(searcher.proposals);
      searcher.close();
    });
    searcher.submit(search, now);
  });
}

describe('The thread beside the loop finds what a search here finds', () => {
  it('from source', async () => {
    const search = worthIt();
    const here = searchAll(search.task(), longSearch);
    expect(here.map(({ nodes }) => nodes)).toEqual([['n1', 'n2', 'n3']]);
    expect(await found(search)).toEqual(here);
  });

  it('from the bundle', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lull-'));
    try {
      const file = await bundled(folder);
      const search = worthIt();
      expect(await found(search, () => new Worker(file))).toEqual(searchAll(search.task(), longSearch));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
