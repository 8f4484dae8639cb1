// `lull completion`: how does a shell know what can be typed? By a script made from the commands themselves.
import { Argument, type Command } from 'commander';
import { bashScript, fishScript, zshScript } from './completionScripts.ts';
import { branchesOf } from './completionTree.ts';
import type { Io } from './io.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof scripts;

const examples = `
Examples:
  # for this terminal; put it into ~/.bashrc for every one
  $ source <(lull completion bash)

  # zsh: into a folder of its fpath
  $ lull completion zsh > ~/.zfunc/_lull

  # fish
  $ lull completion fish > ~/.config/fish/completions/lull.fish
`;

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .summary('print a script that lets a shell complete commands and flags')
    .description('Prints a script that lets bash, zsh or fish complete the commands and flags of lull.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action((shell: Shell) => io.stdout(scripts[shell](branchesOf(program))));
}
