// An image of busybox for sandboxes and workloads, created from the machine's own static binary: there is no registry to pull from.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const commands = ['sh', 'sleep', 'wget', 'cat', 'touch', 'date'];

/** As `docker save` writes it; `command` is its default command. */
export function writeBusybox(file: string, tags: readonly string[], command: readonly string[]): void {
  const folder = `${file}.d`;
  const tree = join(folder, 'tree');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(tree, 'bin'), { recursive: true });
  mkdirSync(join(tree, 'tmp'), { mode: 0o1777 });
  const found = execFileSync('which', ['busybox'], { encoding: 'utf8' }).trim();
  copyFileSync(found, join(tree, 'bin', 'busybox'));
  for (const name of commands) symlinkSync('busybox', join(tree, 'bin', name));
  const layer = join(folder, 'layer.tar');
  execFileSync('tar', ['--create', '--owner=0', '--group=0', '--file', layer, '--directory', tree, '.']);
  const sum = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Cmd: command, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sum}`] },
  };
  const manifest = [{ Config: 'config.json', RepoTags: tags, Layers: ['layer.tar'] }];
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  execFileSync('tar', ['--create', '--file', file, '--directory', folder, 'manifest.json', 'config.json', 'layer.tar']);
  rmSync(folder, { recursive: true });
}
