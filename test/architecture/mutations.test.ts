import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { judged } from '../../scripts/mutations/judged.ts';
import { mutations } from '../../scripts/mutations/mutations.ts';
import { sitesIn } from '../../scripts/mutations/sites.ts';
import { root } from './sources.ts';

const read = (file: string): string => readFileSync(resolve(root, file), 'utf8');

it.each(mutations)('npm run mutations can still break: $name', ({ file, from }) => {
  expect(read(file).split(from)).toHaveLength(2);
});

it('every mutation that was judged to change nothing still applies', () => {
  const sites = new Set(
    sitesIn(['src/engine', 'src/cluster', 'src/time']).map(({ file, from, to }) => `${file} ${from} ${to}`),
  );
  const gone = judged.filter(
    ({ file, on, from, to }) => !read(file).includes(on) || !sites.has(`${file} ${from} ${to}`),
  );
  expect(gone).toEqual([]);
});
