// The reference page of the command line: the help texts of all commands.
import { runInMemory } from '../../test/inMemory.ts';
import { page } from './page.ts';

export async function cliPage(): Promise<string> {
  const root = await helpOf([]);
  const commands = [...root.matchAll(/^ {2}([a-z]+)[ \n]/gm)].map(([, name]) => name as string);
  const sections: string[] = [`\`\`\`text\n${root}\`\`\``];
  for (const name of commands.filter((it) => it !== 'help' && it !== 'version')) {
    sections.push(`## lull ${name}\n\n\`\`\`text\n${await helpOf([name])}\`\`\``);
  }
  return page('Command line', 'The output of `lull --help`, and of `--help` for each command.', sections.join('\n\n'));
}

const helpOf = async (words: readonly string[]): Promise<string> => (await runInMemory([...words, '--help'])).stdout;
