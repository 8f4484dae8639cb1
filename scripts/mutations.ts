// npm run mutations -- [words of a name]: breaks Lull on purpose, one way after another, and sees whether the model tests notice.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutation, mutations } from './mutations/mutations.ts';

const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2).join(' ').toLowerCase();
const chosen = mutations.filter(({ name }) => name.toLowerCase().includes(wanted));
const copy = mkdtempSync(join(tmpdir(), 'lull-mutations-'));

try {
  for (const part of ['src', 'test', 'scenarios', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (modelTests().status !== 0) throw new Error('The model tests fail already, with nothing broken.');
  const missed = chosen.filter((mutation) => !isCaught(mutation));
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} caught`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function isCaught({ name, file, from, to }: Mutation): boolean {
  const path = join(copy, file);
  const sound = readFileSync(path, 'utf8');
  if (sound.split(from).length !== 2) throw new Error(`${name}: the text is not in ${file} exactly once`);
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  const { status, stdout, stderr } = modelTests();
  writeFileSync(path, sound);
  const by = /FAIL\s+(.*)/.exec(stdout + stderr)?.[1] ?? '';
  console.log(`${status === 0 ? 'MISSED' : 'caught'}  ${name}${by && `\n        by ${by}`}`);
  return status !== 0;
}

function modelTests() {
  return spawnSync('npx', ['vitest', 'run', 'test/model', '--bail=1', '--reporter=dot'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NO_COLOR: '1' },
  });
}
