// The code blocks of every page of the docs.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesBelow, root } from '../architecture/sources.ts';

export interface Block {
  readonly page: string;
  readonly heading: string;
  /** The line of its first fence. */
  readonly line: number;
  readonly language: string;
  /** The words after the language: `by hand`, `file=policy.yaml`, `until=60`. */
  readonly marks: string;
  readonly text: string;
  /** `<!-- Ctrl-C NAME -->` in the place of a block: ends the program that runs in that terminal. */
  readonly interrupts?: string;
}

export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...filesBelow('scenarios', '.md'),
  ...filesBelow('docs', '.md'),
];

const readPage = (page: string): string => readFileSync(resolve(root, page), 'utf8');

const heading = /^#{1,6} (.+)$/;
const fence = /^(\s*)(`{3,}|~{3,})(\w*)[ \t]*(.*)$/;
const interrupt = /^<!-- Ctrl-C (\w+) -->$/;

/** The blocks of a page, in order. */
export function blocksIn(page: string, source: string): Block[] {
  const blocks: Block[] = [];
  const lines = source.split('\n');
  let title = '';
  for (let at = 0; at < lines.length; at++) {
    const text = lines[at] ?? '';
    const [, found] = heading.exec(text) ?? [];
    if (found !== undefined) title = found;
    const [, ended] = interrupt.exec(text) ?? [];
    const here = { page, heading: title, line: at + 1 };
    if (ended !== undefined) blocks.push({ ...here, language: '', marks: '', text: '', interrupts: ended });
    const [whole, , marker = '', language = '', marks = ''] = fence.exec(text) ?? [];
    if (whole === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === marker);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block is not closed`);
    const body = lines.slice(at + 1, end).map((line) => `${line}\n`);
    blocks.push({ ...here, language, marks: marks.trim(), text: body.join('') });
    at = end;
  }
  return blocks;
}

export const blocksOf = (page: string): Block[] => blocksIn(page, readPage(page));

export const codeBlocks = (): Block[] =>
  pages.flatMap((page) => blocksOf(page).filter(({ interrupts }) => interrupts === undefined));

/** The file into which a block is written for the commands below it. */
export const fileOf = ({ marks }: Block): string | undefined => /(?:^|\s)file=(\S+)/.exec(marks)?.[1];

export const isByHand = ({ marks }: Block): boolean => /(?:^|\s)by hand(?:\s|$)/.test(marks);
