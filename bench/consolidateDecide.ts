// Time and memory of `lull decide` on a large snapshot, from the file to the answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { decidedAt, mixedCatalogue, mixedObjects } from './mixedCluster.ts';
import { table } from './table.ts';

const program = join(import.meta.dirname, '..', 'dist', 'lull.mjs');

export async function decideSnapshot(nodes: number, folder: string): Promise<string> {
  if (!existsSync(program)) return 'lull decide: build it first (npm run build)';
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ role: 'drive', catalogue: mixedCatalogue }));
  const rows: string[][] = [];
  for (const utilisation of [0.45, 0.8]) {
    const file = join(folder, `${utilisation}.ndjson.gz`);
    await writeSnapshot(file, nodes, utilisation);
    const { seconds, workedSeconds, peakMb, answer } = await run([
      'decide',
      '-f',
      file,
      '--at',
      decidedAt,
      '--settings',
      settings,
    ]);
    const { commands } = JSON.parse(answer) as { commands: { savings?: number; podsMoved?: number }[] };
    rows.push([
      nodes.toLocaleString('en'),
      `${Math.round(utilisation * 100)} %`,
      `${seconds.toFixed(1)} s`,
      `${workedSeconds.toFixed(1)} s`,
      `${peakMb.toFixed(0)} MB`,
      commands.length.toLocaleString('en'),
      commands.reduce((sum, { savings = 0 }) => sum + savings, 0).toFixed(2),
    ]);
  }
  return table(
    ['lull decide: nodes', 'used', 'took', 'processor time', 'peak memory', 'commands', 'saves an hour'],
    rows,
  );
}

async function writeSnapshot(file: string, nodes: number, utilisation: number): Promise<void> {
  const packed = createGzip({ level: 1 });
  const written = packed.pipe(createWriteStream(file));
  for (const object of mixedObjects({ nodes, utilisation })) {
    if (!packed.write(`${JSON.stringify(object)}\n`)) await once(packed, 'drain');
  }
  packed.end();
  await once(written, 'finish');
}

interface Ran {
  readonly seconds: number;
  /** Processor time of all its threads. */
  readonly workedSeconds: number;
  readonly peakMb: number;
  readonly answer: string;
}

/** The child prints its peak memory and processor time when it ends. */
async function run(words: readonly string[]): Promise<Ran> {
  const tell =
    "process.on('exit',()=>{const u=process.resourceUsage();process.stderr.write('used '+u.maxRSS+' '+(u.userCPUTime+u.systemCPUTime)+'\\n')})";
  const began = performance.now();
  const child = spawn(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(tell)}`,
    program,
    ...words,
    '-o',
    'json',
  ]);
  const answer: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => answer.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  const [code] = (await once(child, 'close')) as [number];
  const told = Buffer.concat(said).toString();
  if (code !== 0) throw new Error(`lull ${words.join(' ')}: ${told}`);
  const [, peak = 0, worked = 0] = /used (\d+) (\d+)/.exec(told)?.map(Number) ?? [];
  return {
    seconds: (performance.now() - began) / 1000,
    workedSeconds: worked / 1e6,
    peakMb: peak / 1024,
    answer: Buffer.concat(answer).toString(),
  };
}
