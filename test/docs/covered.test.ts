// Every code block of the docs is run, or listed with the reason why not.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/sources.ts';
import { type Block, blocksIn, codeBlocks, isByHand } from './blocks.ts';
import { keeperOf, keepers } from './keepers.ts';
import { isMeant, untried, whyUntried } from './untried.ts';
import { isWalked } from './walk.ts';
import { kindOfYaml } from './yamlKind.ts';

const blocks = codeBlocks();
const at = ({ page, line }: Block): string => `${page}:${line}`;

/** Undefined if no test covers it. */
function whoKeeps(block: Block): string | undefined {
  const keeper = isByHand(block) ? undefined : keeperOf(block);
  const reason = whyUntried(block);
  if (keeper) return keeper.test;
  if (reason) return reason.shownBy;
  if (block.language === 'yaml') return kindOfYaml(block) === undefined ? undefined : 'test/docs/yaml.test.ts';
  return isWalked(block) ? 'test/docs/walk.test.ts' : undefined;
}

describe('Every code block of the docs', () => {
  it('is covered by a test', () => {
    expect(blocks.length).toBeGreaterThan(100);
    expect(blocks.filter((block) => whoKeeps(block) === undefined).map(at)).toEqual([]);
  });

  it('a block that no test covers is found', () => {
    const fence = '```';
    const [odd, byHand] = blocksIn('docs/x.md', `${fence}hcl\na = 1\n${fence}\n\n${fence}sh by hand\nrm x\n${fence}\n`);
    expect([odd, byHand].map((block) => block && whoKeeps(block))).toEqual([undefined, undefined]);
  });

  it.each(keepers)('$test covers $page', ({ page, languages, test, says }) => {
    expect(readFileSync(resolve(root, test), 'utf8')).toContain(says);
    expect(blocks.some((block) => page.test(block.page) && languages.includes(block.language))).toBe(true);
  });

  it.each(untried)('blocks that are not run here exist, and are shown elsewhere: $begins of $page', (each) => {
    expect(blocks.some((block) => isMeant(block, each))).toBe(true);
    expect(existsSync(resolve(root, each.shownBy))).toBe(true);
  });

  it('blocks marked as typed by hand are listed with a reason', () => {
    expect(
      blocks
        .filter(isByHand)
        .filter((block) => !whyUntried(block))
        .map(at),
    ).toEqual([]);
  });
});
