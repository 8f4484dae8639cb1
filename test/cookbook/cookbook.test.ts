// Every recipe of the cookbook is linted, and decided at the instants its claims name.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../inMemory.ts';
import type { Claim, Clause } from './claim.ts';
import { clusterAround } from './cluster.ts';
import { parse } from './manifest.ts';
import { type Recipe, recipes, type Session } from './page.ts';

interface Verdict {
  readonly node: string;
  readonly reason: string;
  readonly outcome: string;
  readonly podsAgreeAt?: string;
  readonly refusals: readonly { readonly code: string; readonly liftsAt?: string }[];
}

/** Claims are true in observe and in guide mode. */
const roles = ['observe', 'guide'];

it('has recipes, each with claims', () => {
  expect(recipes.length).toBeGreaterThan(20);
  expect(recipes.filter(({ claims }) => claims.length === 0).map(({ heading }) => heading)).toEqual([]);
});

describe.each(recipes)('cookbook: $heading', (recipe) => {
  it.each(roles)('is linted without a warning in the role %s', async (role) => {
    expect(await findings(recipe.policy, ['--set', `role=${role}`])).toEqual([]);
    for (const claim of recipe.claims) {
      const flags = ['--set', `role=${role}`, '--at', claim.at];
      expect(await findings(clusterFor(recipe, claim), flags, recipe.warnings)).toEqual([]);
    }
  });

  const moments = recipe.claims.flatMap((claim) => roles.map((role) => ({ ...claim, role })));
  it.each(moments)('at $at in the role $role', async ({ role, ...claim }) => {
    const verdicts = await decide(recipe, claim, role);
    expect(claim.clauses.map((clause) => found(clause, verdicts))).toEqual(claim.clauses.map(({ text }) => text));
  });

  it.each(recipe.sessions)('prints what it shows for $command', async (session) => {
    const { stdout, stderr } = await runInMemory(commandLine(session), { stdin: stdinFor(session, recipe) });
    const printed = (stdout + stderr).split('\n');
    expect(inOrder(session.shown, printed), printed.join('\n')).toEqual(session.shown);
  });
});

const clusterFor = ({ policy }: Recipe, { at, facts }: Claim): string =>
  JSON.stringify(clusterAround(parse(policy), at, facts));

/** Warnings that the recipe does not mention. Info findings do not count. */
async function findings(stdin: string, flags: readonly string[], told: readonly string[] = []): Promise<unknown[]> {
  const argv = ['lint', '-f', '-', '-o', 'json', ...flags];
  const { stdout, stderr } = await runInMemory(argv, { stdin, now: '2026-03-11T12:00:00Z' });
  if (stdout === '') throw new Error(stderr);
  const all = JSON.parse(stdout) as { rule: string; severity: string }[];
  return all.filter(({ rule, severity }) => severity !== 'info' && !told.includes(rule));
}

async function decide(recipe: Recipe, claim: Claim, role: string): Promise<Verdict[]> {
  const settings = [`role=${role}`, ...claim.settings].flatMap((setting) => ['--set', setting]);
  const argv = ['decide', '-f', '-', '--at', claim.at, '-o', 'json', '--all', ...settings];
  const { stdout, stderr } = await runInMemory(argv, { stdin: clusterFor(recipe, claim) });
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { verdicts: Verdict[] }).verdicts;
}

/** The clause as decided: the same text if the claim is true. */
function found(clause: Clause, verdicts: readonly Verdict[]): string {
  const { kind, reason } = clause;
  const same = verdicts.filter((each) => each.reason === reason);
  if (kind === 'goes') return `goes ${same.filter(({ outcome }) => outcome === 'go').length} ${reason}`;
  const verdict = same.find(({ node }) => node === clause.node);
  if (!verdict) return `none ${clause.node} ${reason}`;
  if (kind === 'agree') return `agree ${clause.node} ${reason} ${verdict.podsAgreeAt}`;
  const start = `${verdict.outcome} ${clause.node} ${reason}`;
  if (verdict.refusals.length === 0) return start;
  const codes = [...new Set(verdict.refusals.map(({ code }) => code))].join('+');
  const until = kind === 'held' && clause.until !== undefined ? ` until ${lift(verdict)}` : '';
  return `${start} ${codes}${until}`;
}

/** When time lifts the last refusal. */
const lift = ({ refusals }: Verdict): string =>
  refusals
    .map(({ liftsAt }) => liftsAt ?? 'something changes')
    .sort()
    .at(-1) ?? '';

/** Splits words as a shell does. Files are read from stdin here. */
const commandLine = ({ command }: Session): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .map((word) => (word.endsWith('.yaml') ? '-' : word));

/** `cluster.yaml` is the cluster of the claim at that instant; any other file is the recipe. */
function stdinFor({ command }: Session, recipe: Recipe): string {
  const claim = recipe.claims.find(({ at }) => command.includes(at));
  return command.includes('cluster.yaml') && claim ? clusterFor(recipe, claim) : recipe.policy;
}

/** The lines that are printed, in their order. */
function inOrder(lines: readonly string[], printed: readonly string[]): string[] {
  let from = 0;
  return lines.filter((line) => {
    const at = printed.indexOf(line, from);
    if (at >= 0) from = at + 1;
    return at >= 0;
  });
}
