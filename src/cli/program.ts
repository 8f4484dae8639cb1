// What did the user ask for, and how did it end? The whole program but for the process around it.
import { Command, CommanderError } from 'commander';
import { escapeControls } from '../kinds/escaping.ts';
import { addCompletion } from './completion.ts';
import { addConvert } from './convert.ts';
import { addCrds } from './crds.ts';
import { addDecide } from './decide.ts';
import { addExplain } from './explain.ts';
import { Failure, Found, formatProblem, problemsAsJson, Unfinished } from './failure.ts';
import { addForecast } from './forecast.ts';
import { addInstall } from './install.ts';
import type { Io } from './io.ts';
import { addLint } from './lint.ts';
import { wantsJson } from './output.ts';
import { addPause } from './pause.ts';
import { guarded } from './printed.ts';
import { addRecord } from './record.ts';
import { addRelease } from './release.ts';
import { addReplay } from './replay.ts';
import { addRun } from './run.ts';
import { addSettings } from './settings.ts';
import { addShadow } from './shadow.ts';
import { addSimulate } from './simulate.ts';
import { addSnapshot } from './snapshot.ts';
import { paint, styled } from './span.ts';
import { addTurn } from './turn.ts';
import { addUninstall } from './uninstall.ts';
import { addUp } from './up.ts';
import { addWhen } from './when.ts';
import { addWhy } from './why.ts';

/** L7. */
const done = 0;
const found = 1;
const wrong = 2;
const unfinished = 3;

/** Runs one command line and gives its exit status. Never throws. */
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
    .description('Decides when Kubernetes nodes may be taken away, and says why not yet.')
    .version(versionLine(io), '--version', 'print the version, and what it was built from')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureHelp({ styleTitle: (title) => paint([[styled('bold', title)]], io.color).trimEnd() })
    .configureOutput({
      writeOut: (text) => io.stdout(asCalled(text, io)),
      writeErr: (text) => io.stderr(asCalled(text, io)),
      // Errors are reported below, in the form that was asked for.
      outputError: () => undefined,
      getOutHelpWidth: () => io.width,
      getErrHelpWidth: () => io.width,
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
    })
    .addHelpText('after', '\n`lull COMMAND --help` shows examples.');
  addUp(root, io);
  addRun(root, io);
  addDecide(root, io);
  addSimulate(root, io);
  addWhy(root, io);
  addForecast(root, io);
  addPause(root, io);
  addTurn(root, io);
  addRelease(root, io);
  addSnapshot(root, io);
  addRecord(root, io);
  addReplay(root, io);
  addShadow(root, io);
  addWhen(root, io);
  addExplain(root, io);
  addLint(root, io);
  addConvert(root, io);
  addSettings(root, io);
  addInstall(root, io);
  addUninstall(root, io);
  addCrds(root, io);
  addCompletion(root, io);
  root
    .command('version')
    .description('print the version, and what it was built from')
    .action(() => io.stdout(`${versionLine(io)}\n`));
  return root;
}

const versionLine = ({ version, builtFrom }: Io): string =>
  builtFrom === undefined ? `lull ${version}` : `lull ${version} (${builtFrom})`;

/** Examples are to be typed as the program was called: as a plugin of kubectl it has another name. */
const asCalled = (text: string, { calledAs }: Io): string =>
  calledAs === undefined ? text : text.replaceAll(/(\$ |`|\| )lull\b/g, `$1${calledAs}`);

function report(error: unknown, argv: readonly string[], io: Io): number {
  if (error instanceof Found) return found;
  if (error instanceof Unfinished) return unfinished;
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

/** The message may hold anything, line breaks too; the places after it are our own. */
function stackOf(error: Error): string {
  const head = String(error);
  const stack = error.stack ?? head;
  const places = stack.startsWith(head) ? stack.slice(head.length) : '';
  return [head, ...places.split('\n').slice(1)].map((line) => `${escapeControls(line)}\n`).join('');
}

/** Commander's sentence without its prefix and line breaks. */
const usage = ({ message }: CommanderError): string =>
  message.replace(/^error: /, '').replace(/\.?\s*\n\((Did you mean .*)\)$/, '. $1');

const internal = (error: unknown): string =>
  escapeControls(
    `internal error: ${error instanceof Error ? error.message : String(error)}; please report it with the input`,
  );
