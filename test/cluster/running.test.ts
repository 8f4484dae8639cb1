import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryLock } from './lock.ts';
import { takePorts } from './ports.ts';
import { endAll, logFile, pidOf, start, stop, whoRuns } from './running.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-cluster-'));
});
afterEach(async () => {
  await endAll(folder);
  rmSync(folder, { recursive: true, force: true });
});

/** Has its folder among its flags, as every component has it in its path. */
const run = (name: string, code = 'setInterval(() => undefined, 1000)'): void =>
  start(folder, { name, program: process.execPath, flags: ['-e', code, `${folder}/`] });

describe('A process of a cluster', () => {
  it('is recognised by its file, and gone when it is stopped', async () => {
    run('one');
    run('two');
    expect(await whoRuns(folder)).toEqual(['one', 'two']);
    await stop(folder, 'one');
    expect(await whoRuns(folder)).toEqual(['two']);
    expect(existsSync(join(folder, 'one.pid'))).toBe(false);
    await endAll(folder);
    expect(await whoRuns(folder)).toEqual([]);
  });

  it('is not confused with another process that has its number now', async () => {
    writeFileSync(join(folder, 'etcd.pid'), String(process.pid));
    expect(await pidOf(folder, 'etcd')).toBeUndefined();
    // Otherwise this test process would be killed here.
    await stop(folder, 'etcd', 'SIGKILL');
    expect(existsSync(join(folder, 'etcd.pid'))).toBe(false);
  });

  it.each(['', 'x', '0', '-1', '1'])('is not running if its file contains %j', async (text) => {
    writeFileSync(join(folder, 'etcd.pid'), text);
    expect(await pidOf(folder, 'etcd')).toBeUndefined();
  });

  it('keeps the log of every start', async () => {
    const says = (word: string): string => `console.log(${JSON.stringify(word)}); setInterval(() => undefined, 1000)`;
    for (const word of ['first', 'second']) {
      run('talks', says(word));
      await expect.poll(() => readFileSync(logFile(folder, 'talks'), 'utf8')).toContain(word);
      await stop(folder, 'talks');
    }
    expect(readFileSync(logFile(folder, 'talks'), 'utf8')).toBe('first\nsecond\n');
  });
});

describe('A lock', () => {
  it('is held by only one process, until that one has died', () => {
    const file = join(folder, 'lock');
    expect(tryLock(file)).toBe(true);
    expect(tryLock(file)).toBe(false);
    // Above any process number that Linux assigns.
    writeFileSync(file, '99999999');
    expect(tryLock(file)).toBe(true);
  });
});

it('Two clusters that start at once have different ports', async () => {
  const taken = await Promise.all([takePorts(), takePorts(), takePorts()]);
  const ports = taken.flatMap((it) => it.ports);
  expect(new Set(ports).size).toBe(36);
  for (const { lockFile } of taken) rmSync(lockFile);
});
