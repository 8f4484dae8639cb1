// Tests of files given as arguments, without -f.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';

const snapshot = 'scenarios/first-look.yaml';
const at = ['--at', '2026-11-17T10:20:00Z'];

describe('L1: files without -f', () => {
  it.each([
    { name: 'decide', bare: ['decide', snapshot, ...at], flag: ['decide', '-f', snapshot, ...at] },
    { name: 'explain', bare: ['explain', snapshot, ...at], flag: ['explain', '-f', snapshot, ...at] },
    { name: 'lint', bare: ['lint', snapshot, ...at], flag: ['lint', '-f', snapshot, ...at] },
    { name: 'why', bare: ['why', 'general', snapshot, ...at], flag: ['why', 'general', '-f', snapshot, ...at] },
    { name: 'when', bare: ['when', snapshot], flag: ['when', '-f', snapshot] },
    { name: 'convert', bare: ['convert', snapshot], flag: ['convert', '-f', snapshot] },
    { name: 'snapshot', bare: ['snapshot', snapshot, '-o', '-'], flag: ['snapshot', '-f', snapshot, '-o', '-'] },
    { name: 'forecast', bare: ['forecast', snapshot, ...at], flag: ['forecast', '-f', snapshot, ...at] },
  ])('$name accepts them with the same answer', async ({ bare, flag }) => {
    const [without, given] = [await runInMemory(bare), await runInMemory(flag)];
    expect(without).toEqual(given);
    expect(given.stdout).not.toBe('');
  });

  it('are combined with -f', async () => {
    const { stdout } = await runInMemory(['decide', '-f', snapshot, '-', ...at, '-o', 'json'], {
      stdin: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: more}\n',
    });
    expect(JSON.parse(stdout).allowances.map(({ pool }: { pool: string }) => pool)).toContain('more');
  });

  it('that do not exist are named in the error', async () => {
    expect(await runInMemory(['decide', 'nowhere.yaml'])).toMatchObject({
      status: 2,
      stderr: 'nowhere.yaml: No such file or folder.\n',
    });
  });
});
