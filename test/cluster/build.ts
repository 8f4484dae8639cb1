// npm run cluster:build [-- --aws]: builds etcd, Kubernetes, KWOK and Karpenter from the Go module proxy into .cluster, where they are missing or
// old. With --aws also AWS's own Karpenter, and the fake AWS it runs against.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPython, isInstalled } from './aws/python.ts';
import {
  awsModule,
  binOf,
  goVersion,
  isBuilt,
  type Module,
  moduleFolder,
  modules,
  nodeModule,
  noGo,
  shareOf,
  stampFile,
  stampOf,
} from './binaries.ts';
import { allowOwnLabel, generateModule } from './generate.ts';
import { withLock } from './lock.ts';
import { whyNoNodeHere } from './node/requirements.ts';
import { base } from './places.ts';

/** A build from scratch would otherwise print nothing for minutes. */
const every = 20_000;
const say = (sentence: string): void => void process.stderr.write(`cluster:build: ${sentence}\n`);

const isAwsWanted = process.argv.includes('--aws');
const go = goVersion();
const wanted = [
  ...modules,
  ...(whyNoNodeHere() === undefined ? [nodeModule] : []),
  ...(isAwsWanted ? [awsModule] : []),
];
if (wanted.every(isBuilt)) say('everything is built already.');
else if (go === undefined) say(noGo);
else {
  await withLock(
    join(base, 'build.lock'),
    () => say('another build is running; waiting for it.'),
    async () => {
      for (const module of wanted) if (!isBuilt(module)) await build(module, go);
    },
  );
}

if (isAwsWanted && !isInstalled()) {
  say('installing moto, the fake AWS, from PyPI.');
  const why = installPython();
  if (why) say(`${why}. The stories beside AWS's Karpenter are skipped.`);
}

async function build(module: Module, go: string): Promise<void> {
  const names = Object.values(module.programs).join(', ');
  const title = module.generated ? `${names} ${module.generated.version}` : names;
  say(`building ${title}: minutes the first time, seconds when Go has it cached.`);
  const began = performance.now();
  const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
  const folder = join(base, `build-${module.folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mkdirSync(binOf(module), { recursive: true });
  if (module.generated) generateModule(module.generated, moduleFolder(module));
  const env = { ...process.env, ...toolchainFor(module, go) };
  const cwd = moduleFolder(module);
  const progress = setInterval(() => say(`still building ${module.folder} (${seconds()}) …`), every);
  try {
    // A generated go.mod has no go.sum yet: Go writes it from its checksum database.
    const what = module.generated ? ['-mod=mod', ...module.generated.packages] : ['tool'];
    const how = ['-trimpath', `-ldflags=${module.ldflags}`, '-o', `${folder}/`];
    await run(['build', ...how, ...what], { cwd, env });
  } finally {
    clearInterval(progress);
  }
  for (const { of, paths, to } of module.files) {
    const source = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', of], { cwd, env, encoding: 'utf8' }).trim();
    const target = join(shareOf(module), to);
    rmSync(target, { recursive: true, force: true });
    for (const path of paths) copyYaml(join(source, path), target);
    if (module.generated) allowOwnLabel(target);
  }
  // Renamed one by one: a running cluster keeps the program it was started with.
  for (const [name, called] of Object.entries(module.programs))
    renameSync(join(folder, name), join(binOf(module), called));
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(stampFile(module), stampOf(module));
  say(`${title} built in ${seconds()}.`);
}

/** A module may need a newer Go than the installed one; the module proxy has those too. */
function toolchainFor(module: Module, go: string): { GOTOOLCHAIN?: string } {
  const text = readFileSync(join(moduleFolder(module), 'go.mod'), 'utf8');
  const needed = /^go (\S+)$/m.exec(text)?.[1] ?? '';
  return isOlder(go.replace('go', ''), needed) ? { GOTOOLCHAIN: `go${needed}` } : {};
}

function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) < 0;
}

function copyYaml(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is missing: has the module changed its folders?`);
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name.endsWith('.yaml') && name !== 'kustomization.yaml') {
      cpSync(join(from, name), join(to, name));
      execFileSync('chmod', ['u+w', join(to, name)]);
    }
  }
}

async function run(words: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  const child = spawn('go', words, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  if (code !== 0) throw new Error(`go ${words.join(' ')} in ${options.cwd} failed; its messages are above`);
}
