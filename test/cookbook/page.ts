// The recipes of the cookbook: each heading with its policy, its claims and its sessions.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { root } from '../architecture/sources.ts';
import { type Claim, readClaim } from './claim.ts';

export interface Session {
  /** The command line, without `$ bin/lull`. */
  readonly command: string;
  /** Lines of its output, in order; other lines may come between them. */
  readonly shown: readonly string[];
}

export interface Recipe {
  readonly heading: string;
  readonly policy: string;
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
  /** Warnings that the text mentions, on a cluster with nodes: `lint RULE …` in a comment. */
  readonly warnings: readonly string[];
}

const page = readFileSync(resolve(root, 'docs/guide/cookbook.md'), 'utf8');

/** Every heading that has YAML below it. */
export const recipes: readonly Recipe[] = page
  .split(/^#{2,3} /m)
  .slice(1)
  .filter((section) => section.includes('```yaml'))
  .map(readRecipe);

function readRecipe(section: string): Recipe {
  const heading = section.slice(0, section.indexOf('\n')).trim();
  const [policy = '', ...more] = fenced(section, 'yaml');
  if (more.length > 0) throw new Error(`${heading}: more than one yaml block; write one with --- in it`);
  const claims = [...section.matchAll(/^<!-- decide ([\s\S]*?)-->$/gm)].map(([, text = '']) => readClaim(text));
  const warnings = /^<!-- lint (.+) -->$/m.exec(section)?.[1]?.split(' ') ?? [];
  return { heading, policy, claims, warnings, sessions: fenced(section, 'console').map(readSession) };
}

function fenced(section: string, language: string): string[] {
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
}

function readSession(text: string): Session {
  const [first = '', ...shown] = text.trimEnd().split('\n');
  return { command: first.replace(/^\$ bin\/lull /, ''), shown: shown.filter((line) => line.trim() !== '…') };
}
