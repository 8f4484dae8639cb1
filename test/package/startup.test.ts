// What a small command loads of Node: each of these modules would cost more than the command itself.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const program = join(import.meta.dirname, '../../dist/lull.mjs');

/** Prints the name of every module that is imported. */
const hooks = `
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => { process.stderr.write('loads ' + url + '\\n'); return next(url, context); } });`;

it('lull when imports no expensive module of Node', () => {
  const words = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, program, 'when', '0 9 * * *'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(status).toBe(0);
  const loaded = Array.from(stderr.matchAll(/^loads (node:\S+)$/gm), ([, name]) => name);
  expect(loaded.sort()).toEqual(['node:events', 'node:os', 'node:path']);
});
