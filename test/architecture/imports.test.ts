import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles } from './cycles.ts';
import { type Import, isTest, parseSource, readSources, root, type Source } from './sources.ts';
import { dashboard, layers, pureFolders, type Row, table } from './table.ts';

const sources = readSources('src', 'dashboard');
const written = sources.filter((source) => !isTest(source));

/** `src/engine/round.ts` = `engine`; undefined for files outside src. */
const folderOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

/** What is wrong with an import; undefined = nothing. */
function judge({ path }: Source, { target, isFile, typeOnly }: Import): string | undefined {
  if (target === undefined) return 'imports a path that is known only at run time';
  const own = folderOf(path);
  const row: Row | undefined = path.startsWith('dashboard/') ? dashboard : table[own ?? ''];
  if (!row) return 'is in no folder of the table';
  if (!isFile) {
    const allowed = row.packages.some((name) => target === name || (name === 'node:' && target.startsWith(name)));
    return allowed ? undefined : `imports the package ${target}`;
  }
  const other = folderOf(target);
  if (other === undefined)
    return path.startsWith('dashboard/') && target.startsWith('dashboard/') ? undefined : `imports ${target}`;
  if (other === own || row.may.includes(other) || row.may.includes(target.slice('src/'.length))) return undefined;
  if (typeOnly && row.mayTypesOf?.includes(other)) return undefined;
  return `imports ${target}`;
}

const violations = (among: readonly Source[]): string[] =>
  among.flatMap((source) =>
    source.imports.flatMap((it) => {
      const wrong = judge(source, it);
      return wrong ? [`${source.path}:${it.line} ${wrong}`] : [];
    }),
  );

describe('The table of imports', () => {
  it('holds for every import of the source, types and packages included', () => {
    expect(violations(written)).toEqual([]);
  });

  it('covers the whole source', () => {
    expect(written.map(({ path }) => path)).toContain('src/engine/round.ts');
    expect(written.flatMap(({ imports }) => imports).length).toBeGreaterThan(written.length);
  });

  it('lists every folder of src', () => {
    const folders = new Set(sources.flatMap(({ path }) => folderOf(path) ?? []));
    expect([...folders].filter((folder) => !(folder in table))).toEqual([]);
  });

  it.each([
    [
      'a type from a folder that is not in its row',
      'src/time/a.ts',
      "import type { X } from '../engine/x.ts';",
      'imports src/engine/x.ts',
    ],
    [
      'a type written as an import',
      'src/cluster/a.ts',
      "export type X = import('../kinds/x.ts').X;",
      'imports src/kinds/x.ts',
    ],
    ['an import at run time', 'src/engine/a.ts', "const x = await import('../cli/x.ts');", 'imports src/cli/x.ts'],
    ['something exported again', 'src/sim/a.ts', "export * from '../engine/round.ts';", 'imports src/engine/round.ts'],
    ['a package', 'src/engine/a.ts', "import { z } from 'zod';", 'imports the package zod'],
    ['a module of Node', 'src/engine/a.ts', "import { readFileSync } from 'node:fs';", 'imports the package node:fs'],
    [
      'a path that is known only at run time',
      'src/engine/a.ts',
      'await import(name);',
      'imports a path that is known only at run time',
    ],
    [
      'another file of runtime than the loop and its port',
      'src/sim/a.ts',
      "import { x } from '../runtime/controller.ts';",
      'imports src/runtime/controller.ts',
    ],
    [
      'more of the server than its types',
      'dashboard/a.ts',
      "import { x } from '../src/server/x.ts';",
      'imports src/server/x.ts',
    ],
  ])('refuses %s', (_, path, text, wrong) => {
    expect(violations([parseSource(path, text)])).toEqual([`${path}:1 ${wrong}`]);
  });

  it.each([
    ['its own folder', 'src/engine/gates/a.ts', "import { x } from '../round.ts';"],
    ["runtime's port, from the simulator", 'src/sim/a.ts', "import type { Port } from '../runtime/port.ts';"],
    ["the server's types, from the dashboard", 'dashboard/a.ts', "import type { X } from '../src/server/x.ts';"],
    ['a package of its row', 'src/kinds/a.ts', "import { Document } from 'yaml';"],
  ])('permits %s', (_, path, text) => {
    expect(violations([parseSource(path, text)])).toEqual([]);
  });
});

/** Imports that go up a layer. */
const upward = (among: readonly Source[]): string[] =>
  among.flatMap(({ path, imports }) =>
    layers.flatMap((order) => {
      const own = order.findIndex((folder) => path.startsWith(`src/${folder}/`));
      const above = order.slice(0, Math.max(own, 0));
      const wrong = imports.filter(({ target }) => above.some((folder) => target?.startsWith(`src/${folder}/`)));
      return wrong.map(({ target, line }) => `${path}:${line} imports ${target}`);
    }),
  );

describe('The layers of a folder', () => {
  it('import downwards only, types included', () => {
    expect(upward(written)).toEqual([]);
  });

  it.each([
    [
      'up',
      'placement',
      "import type { X } from '../consolidation/x.ts';",
      ['src/engine/placement/a.ts:1 imports src/engine/consolidation/x.ts'],
    ],
    ['down', 'consolidation', "import { x } from '../placement/x.ts';", []],
  ])('are found, where one imports %s', (_, folder, text, found) => {
    expect(upward([parseSource(`src/engine/${folder}/a.ts`, text)])).toEqual(found);
  });

  it('are there', () => {
    for (const folder of layers.flat())
      expect(written.some(({ path }) => path.startsWith(`src/${folder}/`))).toBe(true);
  });
});

describe('Import cycles', () => {
  it('there are none, types included', () => {
    expect(findCycles(written).map((cycle) => cycle.join(' → '))).toEqual([]);
  });

  it('are found', () => {
    const files = [
      parseSource('src/engine/c.ts', "import './a.ts';"),
      parseSource('src/engine/b.ts', "import type { C } from './c.ts';"),
      parseSource('src/engine/a.ts', "export type B = import('./b.ts').B;"),
    ];
    expect(findCycles(files)).toEqual([['src/engine/a.ts', 'src/engine/b.ts', 'src/engine/c.ts']]);
  });
});

describe('The folders of the engine', () => {
  /** `src/engine/gates/gates.ts` = `src/engine/gates`; undefined for files directly in the engine. */
  const partOf = (path: string): string | undefined => /^src\/engine\/[^/]+(?=\/)/.exec(path)?.[0];

  /** One source for each folder, with the imports of all its files. */
  const asFolders = (among: readonly Source[]): Source[] => {
    const folders = Map.groupBy(among, ({ path }) => partOf(path));
    return [...folders].flatMap(([path, files]) => {
      const imports = files.flatMap((file) => file.imports);
      const others = imports.flatMap((it) => {
        const target = it.isFile ? partOf(it.target ?? '') : undefined;
        return target === undefined || target === path ? [] : [{ ...it, target }];
      });
      return path === undefined ? [] : [{ path, text: '', syntax: [], imports: others }];
    });
  };

  it('import each other in one direction, types included', () => {
    expect(findCycles(asFolders(written)).map((cycle) => cycle.join(' → '))).toEqual([]);
  });

  it('are checked', () => {
    const both = [
      parseSource('src/engine/gates/a.ts', "import type { X } from '../limits/x.ts';"),
      parseSource('src/engine/limits/b.ts', "import { y } from '../gates/y.ts';"),
    ];
    expect(findCycles(asFolders(both))).toEqual([['src/engine/gates', 'src/engine/limits']]);
  });
});

describe('The pure folders', () => {
  const folders = pureFolders.map((folder) => `src/${folder}`);
  const readJson = (file: string): unknown => JSON.parse(readFileSync(resolve(root, file), 'utf8'));

  it('are compiled without the types of Node or a browser', () => {
    const { compilerOptions, include } = readJson('tsconfig.pure.json') as {
      compilerOptions: { lib: string[]; types: string[] };
      include: string[];
    };
    expect(include).toEqual(folders);
    expect(compilerOptions.types).toEqual([]);
    expect(compilerOptions.lib.filter((lib) => !lib.startsWith('es'))).toEqual([]);
  });

  it('may not read the clock, by a lint rule', () => {
    const { overrides } = readJson('biome.json') as { overrides: { includes: string[]; linter: unknown }[] };
    const rules = overrides.filter(({ linter }) => JSON.stringify(linter).includes('"Date"'));
    expect(rules.map(({ includes }) => includes)).toEqual([folders.map((folder) => `${folder}/**`)]);
  });
});
