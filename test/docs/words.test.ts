// The program knows every command and flag in the docs, also in blocks that no test can run.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../inMemory.ts';
import { codeBlocks } from './blocks.ts';

interface Typed {
  readonly at: string;
  readonly words: readonly string[];
}

/** `lull` and what follows it, up to a pipe or the next command. */
const call = /(?:^|[|;&(]|\bkubectl|\bsource <\()\s*(?:bin\/)?lull ((?:[^|;&\n)#`'"]|'[^']*'|"[^"]*")*)/g;

const wordsOf = (text: string): string[] =>
  [...text.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word).filter((word) => word !== '\\');

const typed: readonly Typed[] = codeBlocks()
  .filter(({ language }) => language === 'sh' || language === 'console')
  .flatMap(({ page, line, language, text }) => {
    const lines = text.replaceAll('\\\n', ' ').split('\n');
    const said = language === 'console' ? lines.filter((each) => each.startsWith('$ ')) : lines;
    const calls = said.flatMap((each) => [...each.replace(/^\$ /, '').replace(/#.*$/, '').matchAll(call)]);
    return calls.map(([, words = '']) => ({ at: `${page}:${line}`, words: wordsOf(words) }));
  });

async function unknown(words: readonly string[]): Promise<string[]> {
  const [command = '', ...rest] = words.filter((word) => !word.startsWith('-'));
  if (command === '') return [];
  const path = command === 'turn' ? [command, rest[0] ?? ''] : [command];
  const { stdout } = await runInMemory([...path, '--help']);
  if (!stdout.startsWith(`Usage: lull ${path.join(' ')} `)) return [`lull ${path.join(' ')}`];
  const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
  return flags.filter((flag) => !new RegExp(`(^|[\\s,])${flag}([\\s,]|$)`, 'm').test(stdout));
}

describe('The commands in the docs', () => {
  it('are found', () => expect(typed.length).toBeGreaterThan(40));

  it.each(typed)('$at: lull $words', async ({ words }) => expect(await unknown(words)).toEqual([]));

  it.each([[['whi', 'web-1']], [['why', 'web-1', '--wen']], [['turn', 'round', 'web']]])(
    '%j is not known',
    async (words) => expect(await unknown(words)).not.toEqual([]),
  );
});
