// A lock file for a folder that several processes use; the lock of a process that died does not count.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** False: another living process holds it. */
export function tryLock(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true });
  return take(file) || (!holderLives(file) && clear(file) && take(file));
}

/** Written before it is linked into place, so that a process that finds it can read its owner. */
function take(file: string): boolean {
  const own = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own);
  }
}

/** Moved away first: only one of several processes that find a dead one gets it, and a process that moved a living one gives it back. */
function clear(file: string): boolean {
  const old = `${file}.${process.pid}.old`;
  try {
    renameSync(file, old);
  } catch {
    return true;
  }
  const isDead = !holderLives(old);
  if (!isDead) linkSync(old, file);
  rmSync(old);
  return isDead;
}

function holderLives(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export async function withLock<T>(file: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  for (let isFirst = true; !tryLock(file); isFirst = false) {
    if (isFirst) waiting();
    await setTimeout(500);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
