// Tests docs/guide/installing.md: its values render, and Helm and Lull know the commands on it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../cluster/places.ts';
import { runInMemory } from '../inMemory.ts';
import { binary, chart, helm } from './helm.ts';

const page = readFileSync(join(root, 'docs', 'guide', 'installing.md'), 'utf8');
const blocks = (kind: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}[^\\n]*\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

/** One per line, split as a shell would; none of them has quotes. */
const commands = blocks('sh')
  .flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
  .map((line) =>
    line
      .replace(/ > \S+$/, '')
      .trim()
      .split(/\s+/),
  );
const of = (name: string): string[][] => commands.filter(([first]) => first === name).map(([, ...words]) => words);

const folder = mkdtempSync(join(tmpdir(), 'lull-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(binary === undefined)('docs/guide/installing.md', () => {
  it.each(blocks('yaml').map((text, index) => ({ text, index })))(
    'Helm accepts the values $index',
    ({ text, index }) => {
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, text);
      expect(helm(['template', 'lull', chart, '-f', file])).toContain('role: guide');
    },
  );

  it('shows how to install, upgrade and uninstall with Helm', () =>
    expect(of('helm').map(([word]) => word)).toEqual(['install', 'upgrade', 'uninstall']));

  it('`helm install` renders what it names', () => {
    const [, name = '', , ...flags] = of('helm').find(([word]) => word === 'install') ?? [];
    const rendered = helm(['template', name, chart, ...flags.filter((it) => it !== '--create-namespace')]);
    expect(rendered).toContain('image: registry.example.com/lull:0.1.0');
  });

  it.each(of('helm').map((words) => ({ words })))('Helm knows the flags of $words', ({ words }) => {
    const help = helm([words[0] ?? '', '--help']);
    for (const flag of words.filter((word) => word.startsWith('--'))) expect(help).toMatch(new RegExp(`${flag}\\b`));
  });
});

describe('docs/guide/installing.md', () => {
  it.each(of('lull').map((words) => ({ words })))('lull knows $words', async ({ words }) => {
    const dry = words[0] === 'install' && !words.includes('--dry-run') ? [...words, '--dry-run'] : words;
    const { status, stdout } = await runInMemory(dry);
    expect(status).toBe(0);
    expect(stdout).not.toBe('');
  });
});
