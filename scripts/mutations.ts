// npm run mutations: breaks Lull on purpose, one way after another, and sees whether tests notice. [words of a name], or --random 300 --seed 1 [--in FOLDER]… [--stages 2] [--jobs 2].
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutation, mutations } from './mutations/mutations.ts';
import { runRandom } from './mutations/random.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', multiple: true, default: [] },
    stages: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '1' },
  },
});

const copies = Array.from({ length: values.random ? Number(values.jobs) : 1 }, copyRepository);
try {
  const isClean = values.random
    ? await runRandom({
        count: Number(values.random),
        seed: Number(values.seed),
        within: values.in,
        stages: Number(values.stages),
        copies,
      })
    : runNamed(positionals.join(' ').toLowerCase(), copies[0] ?? root);
  process.exitCode = isClean ? 0 : 1;
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'lull-mutations-'));
  const parts = ['src', 'test', 'scenarios', 'docs', 'deploy', 'scripts', 'dashboard', 'package.json', 'tsconfig.json'];
  for (const part of [...parts, 'vitest.config.ts']) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Tries each listed mutation against the model tests. */
function runNamed(wanted: string, copy: string): boolean {
  if (modelTests(copy).status !== 0) throw new Error('The model tests fail before any mutation');
  const chosen = mutations.filter(({ name }) => name.toLowerCase().includes(wanted));
  const missed = chosen.filter((mutation) => !isCaught(mutation, copy));
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} caught`);
  return missed.length === 0;
}

function isCaught({ name, file, from, to }: Mutation, copy: string): boolean {
  const path = join(copy, file);
  const sound = readFileSync(path, 'utf8');
  if (sound.split(from).length !== 2) throw new Error(`${name}: the text must occur exactly once in ${file}`);
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  const { status, stdout, stderr } = modelTests(copy);
  writeFileSync(path, sound);
  const by = /FAIL\s+(.*)/.exec(stdout + stderr)?.[1] ?? '';
  console.log(`${status === 0 ? 'MISSED' : 'caught'}  ${name}${by && `\n        by ${by}`}`);
  return status !== 0;
}

function modelTests(copy: string) {
  return spawnSync('npx', ['vitest', 'run', 'test/model', '--bail=1', '--reporter=dot'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NO_COLOR: '1' },
  });
}
