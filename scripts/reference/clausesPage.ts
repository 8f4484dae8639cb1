// The page of the contract's clauses: the test files that prove each one, found by the clause codes that test titles begin with.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { filesBelow, root } from '../../test/architecture/sources.ts';
import { page } from './page.ts';

/** The codes at the start of a title: `C5: …`, `C11, C12: …`, `E4–E6: …`. */
const titles =
  /\b(?:describe|describeStory|it|test)(?:\.\w+)*(?:\([^()]*\))?\(\s*['"`]([A-Z]\d+(?:(?:, | and |–)[A-Z]\d+)*)\b/g;

export function clausesPage(): string {
  const provenBy = testsByClause();
  const contract = readFileSync(`${root}/docs/contract.md`, 'utf8');
  const clauses = [...contract.matchAll(/^- \[?([A-Z]\d+)\b/gm)].map(([, code = '']) => code);
  const body = clauses.map((code) => `## ${code}\n\n${linksTo(provenBy.get(code))}\n`).join('\n');
  return page('Clauses and their tests', intro, body);
}

const intro =
  'The test files that prove each clause of the [contract](../contract.md): those with a test whose title begins with its code. Files that end in `.e2e.ts` run against a real API server and a real Karpenter.';

const linksTo = (paths: readonly string[] = []): string =>
  paths.length === 0
    ? 'No test of its own: the clause refers to others.'
    : paths.map((path) => `[${basename(path)}](../../${path})`).join(', ');

function testsByClause(): Map<string, string[]> {
  const paths = ['src', 'dashboard', 'test'].flatMap((folder) => filesBelow(folder, '.ts'));
  const byClause = new Map<string, string[]>();
  for (const path of paths.filter((name) => /\.(test|e2e)\.ts$/.test(name))) {
    const text = readFileSync(`${root}/${path}`, 'utf8');
    const codes = [...text.matchAll(titles)].flatMap(([, given = '']) => codesIn(given));
    for (const code of new Set(codes)) byClause.set(code, [...(byClause.get(code) ?? []), path]);
  }
  return byClause;
}

/** `E4–E6` names all three. */
function codesIn(text: string): string[] {
  return text.split(/, | and /).flatMap((part) => {
    const [from = '', to = from] = part.split('–');
    const last = Number(to.slice(1));
    const codes: string[] = [];
    for (let number = Number(from.slice(1)); number <= last; number += 1) codes.push(`${from[0]}${number}`);
    return codes;
  });
}
