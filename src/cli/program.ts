// The command line program without its process: runs a command and returns the exit status.
import { Command, CommanderError } from 'commander';
import { escapeControls } from '../kinds/text/escaping.ts';
import { addCommand } from './commands/command.ts';
import { deciding } from './commands/deciding.ts';
import { intervening } from './commands/intervening.ts';
import { policies } from './commands/policies.ts';
import { recordings } from './commands/recordings.ts';
import { setup } from './commands/setup.ts';
import { ExitUnfinished, ExitWithFindings, Failure, formatProblem, messageOf, problemsAsJson } from './failure.ts';
import { guarded, type Io } from './io.ts';
import { wantsJson } from './output.ts';
import { paint, styled } from './span.ts';

/** In the order of the help. */
const commands = [...deciding, ...intervening, ...recordings, ...policies, ...setup];

/** Exit statuses (L7). */
const done = 0;
const found = 1;
const wrong = 2;
const unfinished = 3;

/** Runs one command line and returns its exit status. Never throws. */
export async function run(argv: readonly string[], unguarded: Io): Promise<number> {
  const io = guarded(unguarded);
  try {
    await program(io).parseAsync([...argv], { from: 'user' });
    return done;
  } catch (error) {
    return report(error, argv, io);
  }
}

function program(io: Io): Command {
  const root = new Command(io.calledAs ?? 'lull')
    .description('Decides when Kubernetes nodes may be disrupted, and reports what holds the others.')
    .version(versionLine(io), '--version', 'print the version and the commit it was built from')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureHelp({ styleTitle: (title) => paint([[styled('bold', title)]], io.color).trimEnd() })
    .configureOutput({
      writeOut: (text) => io.stdout(asCalled(text, io)),
      writeErr: (text) => io.stderr(asCalled(text, io)),
      // `report` prints errors, as JSON if that is the output format.
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(io),
      getErrHelpWidth: () => helpWidth(io),
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
    })
    .addHelpText('after', '\n`lull COMMAND --help` shows examples.');
  for (const entry of commands) addCommand(root, entry, { io, program: root });
  root
    .command('version')
    .description('print the version and the commit it was built from')
    .action(() => io.stdout(`${versionLine(io)}\n`));
  return root;
}

/** Help is a page, not a list of findings: it is wrapped even in a pipe. */
const helpWidth = ({ width }: Io): number => (width === Number.POSITIVE_INFINITY ? 80 : width);

const versionLine = ({ version, builtFrom }: Io): string =>
  builtFrom === undefined ? `lull ${version}` : `lull ${version} (${builtFrom})`;

/** Examples name the program as it was called: `kubectl lull` as a kubectl plugin. */
const asCalled = (text: string, { calledAs }: Io): string =>
  calledAs === undefined ? text : text.replaceAll(/(\$ |`|\| )lull\b/g, `$1${calledAs}`);

function report(error: unknown, argv: readonly string[], io: Io): number {
  if (error instanceof ExitWithFindings) return found;
  if (error instanceof ExitUnfinished) return unfinished;
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) {
    return error.exitCode === 0 ? done : wrong;
  }
  const problems =
    error instanceof Failure
      ? error.problems
      : [{ message: error instanceof CommanderError ? usage(error) : internal(error) }];
  if (wantsJson(argv)) io.stderr(problemsAsJson(problems), 'json');
  else for (const problem of problems) io.stderr(`${formatProblem(problem)}\n`);
  if (io.debug && error instanceof Error) io.stderr(stackOf(error));
  return wrong;
}

/** The message may contain anything, line breaks too, so it is escaped apart from the stack frames. */
function stackOf(error: Error): string {
  const head = String(error);
  const stack = error.stack ?? head;
  const frames = stack.startsWith(head) ? stack.slice(head.length) : '';
  return [head, ...frames.split('\n').slice(1)].map((line) => `${escapeControls(line)}\n`).join('');
}

/** Commander's message without its prefix and line breaks. */
const usage = ({ message }: CommanderError): string =>
  message.replace(/^error: /, '').replace(/\.?\s*\n\((Did you mean .*)\)$/, '. $1');

const internal = (error: unknown): string =>
  escapeControls(`internal error: ${messageOf(error)}; please report it together with the input`);
