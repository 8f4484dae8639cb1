import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { asInstant } from '../../src/time/instant.ts';
import { root } from '../architecture/sources.ts';

const path = resolve(root, 'README.md');
const readme = readFileSync(path, 'utf8');

/** A block that shows one command and what it prints. */
const sessions = [...readme.matchAll(/^```console\n\$ bin\/lull (.+)\n([\s\S]*?)^```$/gm)].map(
  ([block, command = '', shown = '']) => ({ block, command, shown }),
);

/** Words as a shell would split them: by spaces, but not within single quotes. */
const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

async function print(command: string): Promise<string> {
  const printed: string[] = [];
  const write = (text: string) => printed.push(text);
  await run(words(command), {
    stdin: async () => new Uint8Array(),
    stdout: write,
    stderr: write,
    now: () => asInstant(0),
    localZone: 'UTC',
    width: 100,
    color: false,
    version: '',
    debug: false,
  });
  return printed.join('');
}

describe('The README', () => {
  it('has examples', () => {
    expect(sessions.length).toBeGreaterThan(1);
  });

  it.each(sessions)('shows what lull $command prints', async ({ block, command, shown }) => {
    const printed = await print(command);
    if (process.env.UPDATE_GOLDEN) {
      const fresh = block.replace(/\n[\s\S]*\n```$/, () => `\n$ bin/lull ${command}\n${printed}\`\`\``);
      const now = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        now.replace(block, () => fresh),
      );
    } else expect(shown).toBe(printed);
  });
});
