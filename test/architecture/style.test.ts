import { describe, expect, it } from 'vitest';
import { isTest, lineOf, parseSource, readSources, type Source, type Syntax } from './sources.ts';
import { pureFolders } from './table.ts';

const everything = readSources('src', 'test', 'dashboard', 'bench', 'scripts');
const sources = everything.filter((source) => /^(src|dashboard)\//.test(source.path) && !isTest(source));
const pure = sources.filter(({ path }) => pureFolders.some((folder) => path.startsWith(`src/${folder}/`)));

/** `path:line what` for each matching node of the syntax tree. */
const find = (among: readonly Source[], what: (node: Syntax) => string | undefined): string[] =>
  among.flatMap(({ path, text, syntax }) =>
    syntax.flatMap((node) => {
      const found = what(node);
      return found ? [`${path}:${lineOf(text, node)} ${found}`] : [];
    }),
  );

describe('Names', () => {
  it('are specific: no utils, helpers, common, misc, types or manager', () => {
    const empty = /(^|\/)(utils?|helpers?|common|misc|types|managers?)(\.test)?(\.tsx?$|\/)/i;
    expect(everything.map(({ path }) => path).filter((path) => empty.test(path))).toEqual([]);
  });
});

describe('A source file', () => {
  it('begins with a comment that says what it contains', () => {
    expect(sources.filter(({ text }) => !/^\/\/ \S/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  /** A longer file gives the reason in its top comment: `// Past 300 lines: the indexes change together.` */
  const maxLines = 300;
  const topComment = (text: string): string => /^(\/\/.*\n)*/.exec(text)?.[0] ?? '';

  it(`has at most ${maxLines} lines, or gives the reason for more`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length - 1 > maxLines);
    const unexplained = long.filter(({ text }) => !topComment(text).includes(`Past ${maxLines} lines: `));
    expect(unexplained.map(({ path, text }) => `${path} has ${text.split('\n').length - 1} lines`)).toEqual([]);
  });
});

describe('Functions', () => {
  const maxParameters = 4;
  const tooMany = ({ params }: Syntax): string | undefined =>
    Array.isArray(params) && params.length > maxParameters ? `has ${params.length} parameters` : undefined;

  it(`have at most ${maxParameters} parameters, otherwise an object`, () => {
    expect(find(sources, tooMany)).toEqual([]);
  });

  it('are counted in every form', () => {
    const text =
      'const f = (a, b, c, d, e) => a;\nclass C {\n  m(a, b, c, d, e) {}\n}\ntype F = (a: 1, b: 1, c: 1, d: 1, e: 1) => void;';
    expect(find([parseSource('src/engine/a.ts', text)], tooMany)).toEqual(
      [1, 3, 5].map((line) => `src/engine/a.ts:${line} has 5 parameters`),
    );
  });
});

describe('Exports', () => {
  it('have names', () => {
    const unnamed = ({ type }: Syntax) => (type === 'ExportDefaultDeclaration' ? 'exports a default' : undefined);
    expect(find(sources, unnamed)).toEqual([]);
  });
});

describe('What would make two runs differ', () => {
  const member = (node: Syntax): string | undefined => {
    if (node.type !== 'MemberExpression') return undefined;
    const { object, property } = node as unknown as { object: Syntax; property: Syntax };
    return `${object.name ?? ''}.${property.name ?? property.value ?? ''}`;
  };

  it('there is no randomness without a seed', () => {
    expect(find(sources, (node) => (member(node) === 'Math.random' ? 'uses Math.random' : undefined))).toEqual([]);
  });

  // Biome bans Date, timers and performance there; these are members of ordinary values, which it cannot see.
  it('the pure folders do not sort or format by the locale of the machine', () => {
    const locale = (node: Syntax): string | undefined => {
      const name = member(node)?.split('.').at(-1) ?? '';
      return /^(toLocale|localeCompare$|Collator$)/.test(name) ? `uses ${name}` : undefined;
    };
    expect(find(pure, locale)).toEqual([]);
  });
});
