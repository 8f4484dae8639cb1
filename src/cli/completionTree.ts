// What can be typed after what? The tree of commands as rows, one a command, from commander's own.
import type { Argument, Command, Option } from 'commander';

export interface Word {
  readonly name: string;
  readonly says: string;
}

export interface Flag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly says: string;
  /** Absent = it stands alone. Empty = any word, or a file. */
  readonly choices?: readonly string[];
}

export interface Branch {
  /** The words that lead here: `turn pass`; empty = lull itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Of its argument, where that is one of a few. */
  readonly choices: readonly string[];
  readonly flags: readonly Flag[];
}

export function branchesOf(command: Command, path: readonly string[] = []): readonly Branch[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: Branch = {
    path: path.join(' '),
    commands: commands.map((it) => ({ name: it.name(), says: firstLine(help.subcommandDescription(it)) })),
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
    flags: help.visibleOptions(command).map(flagOf),
  };
  // `help` comes with commander and has no tree of its own.
  const known = commands.filter((it) => command.commands.includes(it));
  return [own, ...known.flatMap((it) => branchesOf(it, [...path, it.name()]))];
}

const flagOf = ({ short, long, description, required, optional, argChoices }: Option): Flag => ({
  names: [short, long].filter((name) => name !== undefined),
  says: firstLine(description),
  ...((required || optional) && { choices: argChoices ?? [] }),
});

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
