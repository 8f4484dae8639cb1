// A command as data, and its registration with commander. The code of a command is loaded when it is called.
import type { Argument, Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { filesArgument } from './options.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary?: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Printed after the help. */
  readonly after: string;
  readonly commands?: readonly CommandEntry[];
  readonly load?: () => Promise<CommandAction>;
}

/** Called with the options and, by name, the arguments. `program` is the root command. */
type CommandAction = (flags: never, io: Io, program: Command) => void | Promise<void>;

export function addCommand(parent: Command, entry: CommandEntry, { io, program }: { io: Io; program: Command }): void {
  const { name, summary, description, options = [], commands = [], after, load } = entry;
  const command = parent.command(name).description(description).addHelpText('after', after);
  if (summary !== undefined) command.summary(summary);
  for (const argument of entry.arguments ?? []) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  for (const each of commands) addCommand(command, each, { io, program });
  if (load) command.action(async () => (await load())(flagsOf(command) as never, io, program));
}

/** Files given as arguments are added to those of -f. */
function flagsOf(command: Command): Readonly<Record<string, unknown>> {
  const flags: Record<string, unknown> = command.opts();
  command.registeredArguments.forEach((argument, index) => {
    const given: unknown = command.processedArgs[index];
    if (argument !== filesArgument) flags[argument.name()] = given;
    else if (Array.isArray(given) && given.length > 0)
      flags.file = [...(Array.isArray(flags.file) ? flags.file : []), ...given];
  });
  return flags;
}
