// npm run language [-- FOLDER…] [--list]: counts what our style retires: words, questions in first lines, names declared twice, bare clause codes.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesBelow, isTest, readSources, root, type Source, type Syntax } from '../test/architecture/sources.ts';

const args = process.argv.slice(2);
const isListed = args.includes('--list');
const folders = args.filter((arg) => !arg.startsWith('-'));

/** Words of prose that the style retires, each as a whole word or phrase. */
const retiredWords = [
  'whoever',
  'nobody',
  'somebody',
  'anew',
  'mend|mends|mended|mending',
  'so many',
  'so long',
  'foretell|foretells|foretold',
  'fare|fares|fared',
  'stands',
  '(is|are|was|were|be|been|being) told',
  '(?<!there )(is|are) no (?!longer|more|later|earlier|way|need|reason|one)\\w+',
];

/** Private metaphors, also as part of an identifier: `deskOf`, `MarketShelf`. */
const retiredNames = [
  'Desk',
  'Workplace',
  'Ground',
  'Thrift',
  'Market',
  'Shelf',
  'Leaver',
  'Mover',
  'Guest',
  'Homeless',
  'Snug',
  'Happening',
  'Leftover',
  'Misfortune',
  'Crew',
  'Tale',
];

/** Files that quote the old sentences beside the new ones. */
const quoting = new Set(['docs/decisions/0017-plain-language.md', 'scripts/language.ts']);

/** A clause code with nothing said before it: `/** C5. *\/`, `// E4, E5.` */
const bareCode = /^\s*(\/\/|\/\*\*|\*)\s*[A-Z]\d+(?:[,–-]\s*[A-Z]?\d+)*\.?\s*(\*\/)?\s*$/;

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface Measure {
  readonly name: string;
  readonly hits: readonly Hit[];
}

const isWanted = (path: string): boolean => folders.length === 0 || folders.some((folder) => path.startsWith(folder));

const prosePaths = [
  ...['src', 'dashboard'].flatMap((folder) => [...filesBelow(folder, '.ts'), ...filesBelow(folder, '.tsx')]),
  ...filesBelow('docs', '.md'),
  'README.md',
  'CONTRIBUTING.md',
].filter((path) => !quoting.has(path) && isWanted(path));

/** Tests, scripts and benchmarks: their prose is checked for retired words, not for retired names. */
const toolPaths = [
  ...['test', 'scripts', 'bench'].flatMap((folder) => [...filesBelow(folder, '.ts'), ...filesBelow(folder, '.md')]),
  '.ci/run',
].filter((path) => !quoting.has(path) && isWanted(path));

/**
 * Text of tests and scripts that is data, not prose: a quoted single word such as the label 'nobody', the value of an
 * annotation, entries of /etc/passwd, and the source text that a mutation replaces.
 */
const data = /'[\w.]+\/[\w-]+': '[^']*'|(['"`])\w+\1|'nobody:x:\S*|^\s*(?:from|to): .*/g;

function hitsOf(path: string, pattern: RegExp, ignored?: RegExp): Hit[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  return lines.flatMap((text, index) =>
    pattern.test(ignored ? text.replaceAll(ignored, '') : text) ? [{ path, line: index + 1, text: text.trim() }] : [],
  );
}

const wordMeasures = retiredWords.map((word): Measure => {
  const pattern = new RegExp(`(?<![\\w-])(?:${word})(?![\\w-])`, 'i');
  const hits = prosePaths.flatMap((path) => hitsOf(path, pattern));
  return { name: word, hits: [...hits, ...toolPaths.flatMap((path) => hitsOf(path, pattern, data))] };
});

/** At the start of a word or of a part of a camelCase name. */
const nameMeasures = retiredNames.map((name): Measure => {
  const lower = name.toLowerCase();
  const pattern = new RegExp(`(?:(?<![a-z])${name}|(?<![a-zA-Z])${lower})(?:s|less)?(?![a-z])`);
  return { name, hits: prosePaths.flatMap((path) => hitsOf(path, pattern)) };
});

const headed = ['src', 'dashboard', 'test', 'scripts', 'bench'].flatMap((folder) => [
  ...filesBelow(folder, '.ts'),
  ...filesBelow(folder, '.tsx'),
]);
const questions = headed.filter(isWanted).flatMap((path) => hitsOf(path, /^\/\/.*\?/).filter(({ line }) => line === 1));

const bare = headed.filter(isWanted).flatMap((path) => hitsOf(path, bareCode));

const declarations = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']);

function typesDeclaredTwice(sources: readonly Source[]): Hit[] {
  const declared = new Map<string, Hit[]>();
  for (const { path, text, syntax } of sources) {
    for (const node of syntax) {
      const name = declarations.has(node.type) ? (node.id as Syntax | null)?.name : undefined;
      if (typeof name !== 'string') continue;
      const line = text.slice(0, node.start).split('\n').length;
      declared.set(name, [...(declared.get(name) ?? []), { path, line, text: name }]);
    }
  }
  return [...declared.values()].filter((hits) => hits.length > 1).flat();
}

function filesNamedTwice(sources: readonly Source[]): Hit[] {
  const named = Map.groupBy(sources, ({ path }) => basename(path));
  return [...named.entries()]
    .filter(([, same]) => same.length > 1)
    .flatMap(([name, same]) => same.map(({ path }) => ({ path, line: 1, text: name })));
}

const sources = readSources('src').filter((source) => !isTest(source));
const measures: Measure[] = [
  ...wordMeasures,
  ...nameMeasures,
  { name: 'first lines with a question', hits: questions },
  { name: 'comments that are only a clause code', hits: bare },
  {
    name: 'type names declared more than once in src',
    hits: typesDeclaredTwice(sources).filter(({ path }) => isWanted(path)),
  },
  {
    name: 'file names used more than once in src',
    hits: filesNamedTwice(sources).filter(({ path }) => isWanted(path)),
  },
];

for (const { name, hits } of measures) {
  console.log(`${String(hits.length).padStart(5)}  ${name}`);
  if (isListed) for (const { path, line, text } of hits) console.log(`         ${path}:${line}: ${text.slice(0, 140)}`);
}
