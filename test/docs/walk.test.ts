// Walks through every page of the docs: writes its files, runs its commands, compares their output.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/sources.ts';
import { firstMissing } from '../e2e/guide/page.ts';
import { blocksIn } from './blocks.ts';
import { Reader } from './reader.ts';
import { type Deed, deedsOf, type Shown, walks } from './walk.ts';

describe.each(walks())('$page', ({ deeds }) => {
  let reader: Reader;
  let hasFailed = false;
  beforeAll(async () => {
    reader = await Reader.sit();
  });
  afterAll(() => reader.leave());

  it.each(deeds.map((deed) => ({ deed, title: titleOf(deed) })))('$title', async ({ deed }) => {
    if (hasFailed) throw new Error('A step before this one failed.');
    hasFailed = true;
    await does(reader, deed);
    hasFailed = false;
  });
});

async function does(reader: Reader, deed: Deed): Promise<void> {
  const { block } = deed;
  if (deed.kind === 'write') reader.write(deed.file, block.text);
  else if (deed.kind === 'open') await reader.open(deed.terminal, block.text, deed.shown);
  else if (deed.kind === 'interrupt') expect(await reader.interrupt(deed.terminal)).toMatchObject({ code: 0 });
  else if (deed.kind === 'session') await hold(reader, deed);
  else if (deed.until !== undefined) await reader.typeUntil(block.text, deed.shown, deed.until);
  else {
    const { code, printed } = await reader.type(block.text);
    expect(code, printed).toBe(0);
    expect(firstMissing(deed.shown, printed), printed).toBe(undefined);
  }
}

/** Compares exactly; `UPDATE_GOLDEN=1` writes the output into the page. */
async function hold(reader: Reader, { block, commands, status }: Deed & { kind: 'session' }): Promise<void> {
  const fresh: Shown[] = [];
  for (const { command, printed: shown } of commands) {
    const { code, printed } = await reader.type(command);
    expect(code, printed).toBe(status);
    const isPart = shown.split('\n').includes('…');
    if (isPart) expect(inOrder(shown, printed), printed).toBe(shown);
    else if (!process.env.UPDATE_GOLDEN) expect(shown).toBe(printed);
    fresh.push({ command, printed: isPart ? shown : printed });
  }
  if (!process.env.UPDATE_GOLDEN) return;
  const path = resolve(root, block.page);
  const text = fresh.map(({ command, printed }) => `$ ${command}\n${printed}`).join('');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(block.text, () => text),
  );
}

/** The expected lines that are printed, in order; `…` always matches. */
function inOrder(shown: string, printed: string): string {
  const lines = printed.split('\n');
  let from = 0;
  const found = shown.split('\n').filter((line) => {
    if (line === '…') return true;
    const at = lines.indexOf(line, from);
    if (at >= 0) from = at + 1;
    return at >= 0;
  });
  return found.join('\n');
}

const titleOf = ({ kind, block }: Deed): string =>
  `line ${block.line}, ${kind}: ${block.interrupts ?? block.text.split('\n', 1)[0]}`;

describe('A walk', () => {
  const fence = '```';

  it('consists of the steps of a page, in order', () => {
    const page = `${fence}yaml file=a.yaml\nkind: Pod\n${fence}\n\n${fence}sh\nls\n${fence}\n\n${fence}text\na.yaml\n${fence}\n
${fence}sh terminal=box\nlull up\n${fence}\n\n<!-- Ctrl-C box -->\n\n${fence}console exit=1\n$ a\\\n b\nc\n$ d\n${fence}\n`;
    expect(deedsOf(blocksIn('docs/x.md', page))).toMatchObject([
      { kind: 'write', file: 'a.yaml' },
      { kind: 'type', shown: ['a.yaml'] },
      { kind: 'open', terminal: 'box' },
      { kind: 'interrupt', terminal: 'box' },
      {
        kind: 'session',
        status: 1,
        commands: [
          { command: 'a\\\n b', printed: 'c\n' },
          { command: 'd', printed: '' },
        ],
      },
    ]);
  });

  it.skipIf(process.env.UPDATE_GOLDEN)(
    'fails if a command fails, prints something else, or leaves out a line',
    async () => {
      const reader = await Reader.sit();
      const walk = async (text: string): Promise<void> => {
        for (const deed of deedsOf(blocksIn('docs/x.md', text))) await does(reader, deed);
      };
      await expect(walk(`${fence}sh\nfalse\n${fence}\n`)).rejects.toThrow();
      await expect(walk(`${fence}sh\necho a\n${fence}\n\n${fence}text\nb\n${fence}\n`)).rejects.toThrow();
      await expect(walk(`${fence}console\n$ echo a; echo b\na\n…\nc\n${fence}\n`)).rejects.toThrow();
      await expect(walk(`${fence}console\n$ echo a; echo b\na\n${fence}\n`)).rejects.toThrow();
      await walk(`${fence}console\n$ echo a; echo b; echo c\na\n…\nc\n${fence}\n`);
      reader.leave();
    },
  );
});
