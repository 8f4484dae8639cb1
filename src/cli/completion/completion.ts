// `lull completion`: scripts for bash, zsh and fish, generated from the commands. Unknown values complete to files.
import type { Argument, Command, Option } from 'commander';
import type { Io } from '../io.ts';

interface Completion {
  readonly name: string;
  readonly description: string;
}

interface CompletionFlag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Absent = it takes no value. Empty = any value, or a file. */
  readonly choices?: readonly string[];
}

interface CompletionNode {
  /** The words of the command, such as `turn pass`; empty = lull itself. */
  readonly path: string;
  readonly commands: readonly Completion[];
  /** The values of its argument, if there are only a few. */
  readonly choices: readonly string[];
  readonly flags: readonly CompletionFlag[];
}

function branchesOf(command: Command, path: readonly string[] = []): readonly CompletionNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: CompletionNode = {
    path: path.join(' '),
    commands: commands.map((it) => ({ name: it.name(), description: firstLine(help.subcommandDescription(it)) })),
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
    flags: help.visibleOptions(command).map(flagOf),
  };
  // Commander's own `help` has no subcommands.
  const known = commands.filter((it) => command.commands.includes(it));
  return [own, ...known.flatMap((it) => branchesOf(it, [...path, it.name()]))];
}

const flagOf = ({ short, long, description, required, optional, argChoices }: Option): CompletionFlag => ({
  names: [short, long].filter((name) => name !== undefined),
  description: firstLine(description),
  ...((required || optional) && { choices: argChoices ?? [] }),
});

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** Quotes for POSIX shells. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const wordsOf = ({ commands, choices, flags }: CompletionNode): readonly string[] => [
  ...commands.map(({ name }) => name),
  ...choices,
  ...flags.flatMap(({ names }) => names),
];

/** `decide --output`: the command and flag before the word being completed. */
const before = ({ path }: CompletionNode, name: string): string => quote(`${path} ${name}`);

/** Shell code that finds the command of the words so far; bash and zsh differ only in the index of the first word. */
const walk = (branches: readonly CompletionNode[], word: string): string => {
  const steps = branches.flatMap(({ path }) => {
    if (path === '') return [];
    const cut = path.lastIndexOf(' ');
    return [`${cut < 0 ? '' : path.slice(0, cut)} ${path.slice(cut + 1)}`];
  });
  return `    case "$at ${word}" in
      ${steps.map(quote).join(' | ')}) at="\${at:+$at }${word}" ;;
    esac`;
};

/** A case for each flag with a value: the completions after it. */
const valuedFlags = (
  branches: readonly CompletionNode[],
  open: '' | '(',
  offer: (choices: readonly string[]) => string,
): readonly string[] =>
  branches.flatMap((branch) =>
    branch.flags.flatMap(({ names, choices }) =>
      choices
        ? [`    ${open}${names.map((name) => before(branch, name)).join(' | ')}) ${offer(choices)}; return ;;`]
        : [],
    ),
  );

function bashScript(branches: readonly CompletionNode[]): string {
  const valued = valuedFlags(
    branches,
    '',
    (choices) => `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur"))`,
  );
  const rows = branches.map((branch) => `    ${quote(branch.path)}) words=${quote(wordsOf(branch).join(' '))} ;;`);
  return `# bash completion for lull: source <(lull completion bash)
_lull() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
${walk(branches, `\${COMP_WORDS[i]}`)}
  done
  case "$at $prev" in
${valued.join('\n')}
  esac
  case "$at" in
${rows.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _lull lull
`;
}

function zshScript(branches: readonly CompletionNode[]): string {
  const described = (name: string, description: string): string =>
    quote(`${name.replaceAll(':', '\\:')}:${description}`);
  const valued = valuedFlags(branches, '(', (choices) =>
    choices.length > 0 ? `compadd -- ${choices.map(quote).join(' ')}` : '_files',
  );
  const rows = branches.map((branch) => {
    const found = [
      ...branch.commands.map(({ name, description }) => described(name, description)),
      ...branch.choices.map((name) => described(name, '')),
      ...branch.flags.flatMap(({ names, description }) => names.map((name) => described(name, description))),
    ];
    return `    (${quote(branch.path)}) found=(${found.join(' ')}) ;;`;
  });
  return `#compdef lull
# zsh completion for lull: lull completion zsh > a folder of your fpath/_lull
_lull() {
  local at='' i prev="\${words[CURRENT-1]}"
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
${walk(branches, `\${words[i]}`)}
  done
  case "$at $prev" in
${valued.join('\n')}
  esac
  case "$at" in
${rows.join('\n')}
  esac
  _describe 'lull' found || _files
}
if [ "\${funcstack[1]}" = '_lull' ]; then _lull "$@"; else compdef _lull lull; fi
`;
}

function fishScript(branches: readonly CompletionNode[]): string {
  const paths = branches.map(({ path }) => path);
  const lines = branches.flatMap((branch) => {
    const when = `-n ${fishQuote(conditionOf(branch.path, paths))}`;
    return [
      ...branch.commands.map(
        ({ name, description }) => `complete -c lull ${when} -f -a ${name} -d ${fishQuote(description)}`,
      ),
      ...branch.choices.map((name) => `complete -c lull ${when} -f -a ${name}`),
      ...branch.flags.map((flag) => `complete -c lull ${when} ${fishFlag(flag)} -d ${fishQuote(flag.description)}`),
    ];
  });
  return `# fish completion for lull: lull completion fish > ~/.config/fish/completions/lull.fish\n${lines.join('\n')}\n`;
}

/** In fish quotes, a backslash escapes only a quote or a backslash. */
const fishQuote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function conditionOf(path: string, paths: readonly string[]): string {
  if (path === '') return '__fish_use_subcommand';
  const deeper = paths.filter((it) => it.startsWith(`${path} `)).map((it) => it.slice(path.length + 1));
  const here = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const notDeeper = deeper.length > 0 ? [`not __fish_seen_subcommand_from ${deeper.join(' ')}`] : [];
  return [...here, ...notDeeper].join('; and ');
}

function fishFlag({ names, choices }: CompletionFlag): string {
  const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (choices === undefined) return named.join(' ');
  return [...named, choices.length > 0 ? `-x -a ${fishQuote(choices.join(' '))}` : '-r'].join(' ');
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof scripts;

export const completion = ({ shell }: { readonly shell: Shell }, io: Io, program: Command): void =>
  io.stdout(scripts[shell](branchesOf(program)));
