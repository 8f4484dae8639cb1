// An image unpacked into a folder, and its programs run from there by runc, without a container engine.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageIn, imagesIn, layersOf } from '../../../scripts/image/layout.ts';
import { isInstalled } from '../../../scripts/image/tools.ts';

/** Why no image can be built and run here; undefined = it can. */
export function whyNoImage(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'building and running an image needs root on Linux';
  const missing = ['buildah', 'runc', 'debootstrap'].filter((program) => !isInstalled(program));
  return missing.length > 0 ? `${missing.join(', ')} not installed` : undefined;
}

export interface Unpacked {
  readonly image: ImageIn;
  /** The folder with its files. */
  readonly root: string;
}

/** The only image of an OCI archive, each layer over the one before. */
export function unpack(archive: string, folder: string): Unpacked {
  const [layout, root] = [join(folder, 'layout'), join(folder, 'root')];
  for (const path of [layout, root]) mkdirSync(path, { recursive: true });
  execFileSync('tar', ['-xf', archive, '-C', layout]);
  const [image, ...others] = imagesIn(layout);
  if (!image || others.length > 0) throw new Error('The archive must have exactly one image');
  for (const layer of layersOf(layout, image))
    execFileSync('tar', ['-x', '--same-owner', '--same-permissions', '-C', root], { input: layer });
  const whiteouts = execFileSync('find', [root, '-name', '.wh.*'], { encoding: 'utf8' });
  if (whiteouts !== '') throw new Error(`The image removes files of its base: ${whiteouts}`);
  return { image, root };
}

export interface Container {
  /** What it has printed so far. */
  readonly output: () => string;
  readonly kill: (signal: string) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

/** As Kubernetes runs it: the image's user and environment, a read-only root, no capabilities. It shares the network. */
export function start({ image, root }: Unpacked, args: readonly string[]): Container {
  const folder = mkdtempSync(join(root, '..', 'bundle-'));
  const id = `lull-test-${process.pid}-${folder.slice(-6)}`;
  writeFileSync(join(folder, 'config.json'), JSON.stringify(specOf({ image, root }, args)));
  const child = spawn('runc', ['run', '--bundle', folder, id], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const ended = new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      spawnSync('runc', ['delete', '--force', id], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, output: output.join('') });
    });
  });
  return {
    output: () => output.join(''),
    kill: (signal) => void spawnSync('runc', ['kill', id, signal], { stdio: 'ignore' }),
    ended,
  };
}

function specOf({ image, root }: Unpacked, args: readonly string[]): unknown {
  const { User, Env, WorkingDir } = image.config.config;
  const [uid, gid] = User.split(':').map(Number);
  const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
  return {
    ociVersion: '1.0.2',
    root: { path: root, readonly: true },
    process: { user: { uid, gid }, args, env: Env, cwd: WorkingDir, capabilities: none, noNewPrivileges: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
    ],
    linux: { namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
  };
}
