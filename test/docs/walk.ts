// The steps of a page in order: write files, run commands, compare the output with the page.
import { readMarks } from '../e2e/guide/page.ts';
import { type Block, blocksOf, fileOf, isByHand, pages } from './blocks.ts';
import { keeperOf } from './keepers.ts';
import { whyUntried } from './untried.ts';

export type Deed =
  | { readonly kind: 'write'; readonly block: Block; readonly file: string }
  | { readonly kind: 'type'; readonly block: Block; readonly shown: readonly string[]; readonly until?: number }
  | { readonly kind: 'open'; readonly block: Block; readonly shown: readonly string[]; readonly terminal: string }
  | { readonly kind: 'interrupt'; readonly block: Block; readonly terminal: string }
  | { readonly kind: 'session'; readonly block: Block; readonly commands: readonly Shown[]; readonly status: number };

/** A command and its exact output; a line `…` matches any lines. */
export interface Shown {
  readonly command: string;
  readonly printed: string;
}

/** Whether the walk runs the block, or compares the output with it. */
export const isWalked = (block: Block): boolean =>
  ['sh', 'text', 'console'].includes(block.language) && !isByHand(block) && !isElsewhere(block);

const isElsewhere = (block: Block): boolean => keeperOf(block) !== undefined || whyUntried(block) !== undefined;

export function deedsOf(blocks: readonly Block[]): Deed[] {
  const deeds: Deed[] = [];
  for (const block of blocks) {
    const file = fileOf(block);
    if (block.interrupts !== undefined) deeds.push({ kind: 'interrupt', block, terminal: block.interrupts });
    else if (file !== undefined) deeds.push({ kind: 'write', block, file });
    else if (!isWalked(block)) continue;
    else if (block.language === 'console') deeds.push(sessionOf(block));
    else if (block.language === 'sh') deeds.push(typed(block));
    else show(deeds, block);
  }
  return deeds;
}

function typed(block: Block): Deed {
  const { terminal, until } = readMarks(block.marks);
  if (terminal !== undefined) return { kind: 'open', block, terminal, shown: [] };
  return { kind: 'type', block, shown: [], ...(until !== undefined && { until }) };
}

/** `text` is the output of the block before it. */
function show(deeds: Deed[], { page, line, text }: Block): void {
  const last = deeds.pop();
  if (last?.kind !== 'type' && last?.kind !== 'open')
    throw new Error(`${page}:${line}: no command before this block could print it`);
  deeds.push({ ...last, shown: text.trimEnd().split('\n') });
}

function sessionOf(block: Block): Deed {
  const commands = block.text.split(/^\$ /m).slice(1);
  if (commands.length === 0) throw new Error(`${block.page}:${block.line}: a session begins with $ and a command`);
  const status = Number(/(?:^|\s)exit=(\d+)/.exec(block.marks)?.[1] ?? 0);
  const shown = commands.map((text) => {
    // A line that ends with a backslash continues the command.
    const [command = ''] = /^(?:[^\n]*\\\n)*[^\n]*/.exec(text) ?? [];
    return { command, printed: text.slice(command.length + 1) };
  });
  return { kind: 'session', block, commands: shown, status };
}

/** The pages that have steps to run. */
export const walks = (): { page: string; deeds: readonly Deed[] }[] =>
  pages
    .map((page) => ({ page, deeds: deedsOf(blocksOf(page)) }))
    .filter(({ deeds }) => deeds.some(({ kind }) => kind === 'type' || kind === 'open' || kind === 'session'));
