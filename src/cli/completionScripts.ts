// What does each shell want to be told? The same rows, in three tongues. Where nothing is known, files are offered.
import type { Branch, Flag } from './completionTree.ts';

/** As every POSIX shell reads it. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const wordsOf = ({ commands, choices, flags }: Branch): readonly string[] => [
  ...commands.map(({ name }) => name),
  ...choices,
  ...flags.flatMap(({ names }) => names),
];

/** `decide --output`: what stands before the word that is typed. */
const before = ({ path }: Branch, name: string): string => quote(`${path} ${name}`);

/** Where in the tree the words so far have led; the same for bash and zsh, but for where they count from. */
const walk = (branches: readonly Branch[], word: string): string => {
  const steps = branches.flatMap(({ path }) => {
    if (path === '') return [];
    const cut = path.lastIndexOf(' ');
    return [`${cut < 0 ? '' : path.slice(0, cut)} ${path.slice(cut + 1)}`];
  });
  return `    case "$at ${word}" in
      ${steps.map(quote).join(' | ')}) at="\${at:+$at }${word}" ;;
    esac`;
};

export function bashScript(branches: readonly Branch[]): string {
  const valued = branches.flatMap((branch) =>
    branch.flags.flatMap(({ names, choices }) =>
      choices === undefined
        ? []
        : [
            `    ${names.map((name) => before(branch, name)).join(' | ')}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur")); return ;;`,
          ],
    ),
  );
  const rows = branches.map((branch) => `    ${quote(branch.path)}) words=${quote(wordsOf(branch).join(' '))} ;;`);
  return `# Completion of lull for bash: source <(lull completion bash)
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

export function zshScript(branches: readonly Branch[]): string {
  const described = (name: string, says: string): string => quote(`${name.replaceAll(':', '\\:')}:${says}`);
  const valued = branches.flatMap((branch) =>
    branch.flags.flatMap(({ names, choices }) =>
      choices === undefined
        ? []
        : [
            `    (${names.map((name) => before(branch, name)).join(' | ')}) ${choices.length > 0 ? `compadd -- ${choices.map(quote).join(' ')}` : '_files'}; return ;;`,
          ],
    ),
  );
  const rows = branches.map((branch) => {
    const found = [
      ...branch.commands.map(({ name, says }) => described(name, says)),
      ...branch.choices.map((name) => described(name, '')),
      ...branch.flags.flatMap(({ names, says }) => names.map((name) => described(name, says))),
    ];
    return `    (${quote(branch.path)}) found=(${found.join(' ')}) ;;`;
  });
  return `#compdef lull
# Completion of lull for zsh: lull completion zsh > a folder of your fpath/_lull
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

export function fishScript(branches: readonly Branch[]): string {
  const paths = branches.map(({ path }) => path);
  const lines = branches.flatMap((branch) => {
    const when = `-n ${fishQuote(conditionOf(branch.path, paths))}`;
    return [
      ...branch.commands.map(({ name, says }) => `complete -c lull ${when} -f -a ${name} -d ${fishQuote(says)}`),
      ...branch.choices.map((name) => `complete -c lull ${when} -f -a ${name}`),
      ...branch.flags.map((flag) => `complete -c lull ${when} ${fishFlag(flag)} -d ${fishQuote(flag.says)}`),
    ];
  });
  return `# Completion of lull for fish: lull completion fish > ~/.config/fish/completions/lull.fish\n${lines.join('\n')}\n`;
}

/** In fish a backslash inside quotes is one only before a quote or another of its kind. */
const fishQuote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function conditionOf(path: string, paths: readonly string[]): string {
  if (path === '') return '__fish_use_subcommand';
  const deeper = paths.filter((it) => it.startsWith(`${path} `)).map((it) => it.slice(path.length + 1));
  const here = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const notDeeper = deeper.length > 0 ? [`not __fish_seen_subcommand_from ${deeper.join(' ')}`] : [];
  return [...here, ...notDeeper].join('; and ');
}

function fishFlag({ names, choices }: Flag): string {
  const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (choices === undefined) return named.join(' ');
  return [...named, choices.length > 0 ? `-x -a ${fishQuote(choices.join(' '))}` : '-r'].join(' ');
}
