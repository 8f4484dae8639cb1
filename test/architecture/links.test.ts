import { existsSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, root } from './sources.ts';

const standing = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'scenarios/README.md'];
const pages = [...standing, ...filesBelow('docs', '.md')];
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

interface Link {
  readonly target: string;
  readonly heading: string | undefined;
  readonly text: string;
}

/** The links of a page to files of the repository. */
function linksOf(page: string): Link[] {
  const prose = read(page).replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, text = '']) => {
    if (/^[a-z]+:/.test(text)) return [];
    const [path = '', heading] = text.split('#');
    return [{ target: path === '' ? page : posix.join(posix.dirname(page), path), heading, text }];
  });
}

/** The anchors that GitHub creates from headings. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('The documentation', () => {
  it.each(pages)('%s links to files and headings that exist', (page) => {
    const broken = linksOf(page).filter(
      ({ target, heading }) =>
        !existsSync(resolve(root, target)) || (heading !== undefined && !anchorsOf(target).includes(heading)),
    );
    expect(broken.map(({ text }) => text)).toEqual([]);
  });

  it.each(pages)('%s names only files that exist', (page) => {
    const named = [...read(page).matchAll(/`((?:src|test|scripts|scenarios|docs|bin|bench)\/[\w./-]+)`/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
  });

  it('lists every scenario', () => {
    const told = linksOf('scenarios/README.md').map(({ target }) => target);
    const files = filesBelow('scenarios', '.yaml').filter((path) => !path.startsWith('scenarios/seeds/'));
    expect(files.filter((path) => !told.includes(path))).toEqual([]);
  });

  it('can all be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of linksOf(page)) if (pages.includes(target)) reached.add(target);
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});
