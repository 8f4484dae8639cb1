// Tests of the completion scripts.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';

const script = async (shell: string): Promise<string> => (await runInMemory(['completion', shell])).stdout;
const bash = await script('bash');

const hasShell = (name: string): boolean => {
  try {
    execFileSync(name, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** The completions of bash at the end of the line. */
function offered(line: string): string[] {
  const words = line.split(' ');
  const asked = `${bash}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_lull
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', asked], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(!hasShell('bash'))('lull completion bash', () => {
  it.each([
    { line: 'lull dec', words: ['decide'] },
    { line: 'lull tu', words: ['turn'] },
    { line: 'lull turn ', words: ['pass'] },
    { line: 'lull decide --out', words: ['--output'] },
    { line: 'lull decide -o ', words: ['text', 'json', 'yaml'] },
    { line: 'lull decide --output j', words: ['json'] },
    { line: 'lull decide -f x.yaml --output y', words: ['yaml'] },
    { line: 'lull completion ', words: ['bash', 'zsh', 'fish'] },
    // Nothing: bash falls back to file names.
    { line: 'lull decide -f ', words: [] },
  ])('`$line` = $words', ({ line, words }) => {
    if (words.length === 0) expect(offered(line)).toEqual([]);
    else expect(offered(line)).toEqual(expect.arrayContaining(words));
  });

  it('offers every command that --help names', async () => {
    const { stdout } = await runInMemory(['--help']);
    const named = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)[ \n]/gm)].map(([, it]) => it);
    expect(named.length).toBeGreaterThan(15);
    expect(offered('lull ')).toEqual(expect.arrayContaining(named));
  });
});

describe.each(['zsh', 'fish'])('lull completion %s', (shell) => {
  it('names every command, with balanced quotes', async () => {
    const text = await script(shell);
    for (const word of ['decide', 'turn', 'pass', 'simulate']) expect(text).toContain(word);
    // An odd number of quotes on a line is one that was not closed.
    const quotes = text.replaceAll(/'\\''|\\'|\\\\/g, '').match(/'/g) ?? [];
    expect(quotes.length % 2).toBe(0);
  });

  it.skipIf(!hasShell(shell))('is a valid script', async () => {
    execFileSync(shell, ['-n'], { input: await script(shell) });
  });
});

it('L7: another shell is wrong usage, and says which there are', async () => {
  const { status, stderr } = await runInMemory(['completion', 'csh']);
  expect([status, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
