// The control groups of a real node: one name in every hierarchy, derived from its cluster's folder, so that any process can remove them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const top = '/sys/fs/cgroup';

/** Also the name of the network link on the machine's side, where a name has at most 15 characters. */
export const residueName = (folder: string): string =>
  `lull-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;

/** One with cgroup v2; one for each controller with v1. */
function hierarchies(): readonly string[] {
  if (existsSync(join(top, 'cgroup.controllers'))) return [top];
  if (!existsSync(top)) return [];
  const names = readdirSync(top, { withFileTypes: true });
  return names.filter((it) => it.isDirectory()).map(({ name }) => join(top, name));
}

/** The kubelet expects its root to exist. Returns the files that move a process into the group of the daemons. */
export function makeCgroups(folder: string): readonly string[] {
  return hierarchies().map((hierarchy) => {
    const group = join(hierarchy, residueName(folder));
    const daemons = join(group, 'daemons');
    for (const path of [group, daemons]) {
      mkdirSync(path, { recursive: true });
      // Version 1: a group without processors or memory accepts no process.
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        if (existsSync(join(path, file)) && !existsSync(join(hierarchy, 'cgroup.controllers')))
          writeFileSync(join(path, file), readFileSync(join(path, '..', file), 'utf8').trim());
    }
    return join(daemons, 'cgroup.procs');
  });
}

/** Ends every process in them first; does nothing if this folder's cluster had no real node. */
export async function removeCgroups(folder: string): Promise<void> {
  const groups = hierarchies().map((hierarchy) => join(hierarchy, residueName(folder)));
  const began = performance.now();
  for (let left = groups.filter((group) => existsSync(group)); left.length > 0; ) {
    for (const group of left) removeGroup(group);
    left = left.filter((group) => existsSync(group));
    if (left.length === 0) return;
    if (performance.now() - began > 30_000) throw new Error(`Processes that do not end hold ${left.join(', ')}`);
    await setTimeout(50);
  }
}

function removeGroup(group: string): void {
  for (const it of readdirSync(group, { withFileTypes: true })) if (it.isDirectory()) removeGroup(join(group, it.name));
  for (const pid of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
    ignoring(['ESRCH'], () => process.kill(Number(pid), 'SIGKILL'));
  ignoring(['EBUSY', 'ENOENT'], () => rmdirSync(group));
}

function ignoring(codes: readonly string[], work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!codes.includes(code)) throw error;
  }
}
