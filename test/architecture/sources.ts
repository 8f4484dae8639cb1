// Every TypeScript file of a folder, parsed, with its imports (types included).
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A node of the syntax tree, as ESTree and its TypeScript dialect name them. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface Source {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly syntax: readonly Syntax[];
  readonly imports: readonly Import[];
}

export interface Import {
  /** A file of the repository, the name of a package, or `node:…`. Undefined = computed at run time. */
  readonly target: string | undefined;
  readonly isFile: boolean;
  readonly typeOnly: boolean;
  readonly line: number;
}

export const isTest = ({ path }: Source): boolean => path.endsWith('.test.ts');

/** Every file below a folder with this ending; none if there is no such folder. */
export function filesBelow(folder: string, ending: string): string[] {
  let entries: string[];
  try {
    entries = readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  const paths = entries.map((entry) => posix.join(folder, entry.replaceAll('\\', '/')));
  return paths.filter((path) => path.endsWith(ending) && !path.includes('node_modules/')).sort();
}

export const readSources = (...folders: string[]): Source[] =>
  folders.flatMap((folder) => [...filesBelow(folder, '.ts'), ...filesBelow(folder, '.tsx')]).map(readSource);

function readSource(path: string): Source {
  return parseSource(path, readFileSync(resolve(root, path), 'utf8'));
}

export function parseSource(path: string, text: string): Source {
  const syntax = [...walk(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Syntax)];
  return { path, text, syntax, imports: syntax.flatMap((node) => readImport(node, path, text)) };
}

function* walk(node: Syntax): Generator<Syntax> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isSyntax(child)) yield* walk(child);
  }
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string';

/** `import … from`, `export … from`, `import()`, `import('…').Type` and `require()`. */
function readImport(node: Syntax, path: string, text: string): Import[] {
  const source = importedFrom(node);
  if (source === undefined) return [];
  const specifier = isSyntax(source) && typeof source.value === 'string' ? source.value : undefined;
  const isFile = specifier?.startsWith('.') ?? false;
  const target = isFile ? posix.join(posix.dirname(path), specifier as string) : specifier && packageOf(specifier);
  return [{ target, isFile, typeOnly: isTypeOnly(node), line: lineOf(text, node) }];
}

function importedFrom(node: Syntax): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source ?? undefined;
    case 'TSExternalModuleReference':
      return node.expression;
    case 'CallExpression':
      return (node.callee as Syntax).name === 'require' ? ((node.arguments as Syntax[])[0] ?? null) : undefined;
    default:
      return undefined;
  }
}

function isTypeOnly(node: Syntax): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = (node.specifiers ?? []) as Syntax[];
  return specifiers.length > 0 && specifiers.every((it) => it.importKind === 'type' || it.exportKind === 'type');
}

/** `@scope/name/part` = `@scope/name`; Node's own modules keep their prefix. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export const lineOf = (text: string, { start }: Syntax): number => text.slice(0, start).split('\n').length;
