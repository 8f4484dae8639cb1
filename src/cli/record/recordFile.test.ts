// Files with names of a cluster are readable by their owner alone.
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('L9: a snapshot', () => {
  it.each(['now.ndjson', 'now.ndjson.gz'])('%s is for its owner alone', async (name) => {
    const file = join(folder, name);
    expect((await runInMemory(['snapshot', '-f', '-', '-o', file], { stdin })).status).toBe(0);
    expect(modeOf(file)).toBe('600');
  });

  it('keeps the mode of a file that is there', async () => {
    const file = join(folder, 'now.ndjson');
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    await runInMemory(['snapshot', '-f', '-', '-o', file], { stdin });
    expect(modeOf(file)).toBe('640');
  });
});
