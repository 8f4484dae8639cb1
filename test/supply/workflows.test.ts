// The GitHub workflows: valid, pinned, with the least rights, and without a way in for strangers.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../cluster/places.ts';
import { faultsIn, unguardedIn, writesIn } from './workflowFaults.ts';
import { openParser } from './workflowParser.ts';

const folder = join(root, '.github', 'workflows');
const files = readdirSync(folder).toSorted();
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { devDependencies: { node: string } };
const parser = await openParser();

describe('.github/workflows', () => {
  it('are these', () => expect(files).toEqual(['ci.yml', 'codeql.yml', 'release.yml', 'scorecard.yml']));

  it.each(files)("%s is valid for GitHub's parser", async (file) =>
    expect(await parser.errorsIn(file, textOf(file))).toEqual([]),
  );

  it.each(files)('%s has none of the faults below', (file) => expect(faultsIn(textOf(file))).toEqual([]));

  it.each([
    ['ci.yml', []],
    ['codeql.yml', ['analyze: security-events']],
    ['scorecard.yml', ['analysis: security-events', 'analysis: id-token']],
    [
      'release.yml',
      ['registry: packages', 'registry: id-token', 'registry: attestations', 'npm: id-token', 'github: contents'],
    ],
  ])('%s may write this and nothing else', (file, writes) => expect(writesIn(textOf(file))).toEqual(writes));

  it('publishing needs an approval: every job of release.yml that writes has the environment', () =>
    expect(unguardedIn(textOf('release.yml'))).toEqual([]));

  it('publishing is off by default', () => {
    const { jobs } = parse(textOf('release.yml')) as { jobs: Record<string, { if?: string }> };
    for (const job of ['registry', 'npm', 'github']) expect(jobs[job]?.if).toBe("vars.LULL_PUBLISH == 'yes'");
  });

  it('use one commit of each action, and the Node of package.json', () => {
    const all = files.map(textOf).join('\n');
    const byAction = Map.groupBy(all.matchAll(/uses: ([\w.-]+\/[\w.-]+)\S*@(\S+)/g), ([, action]) => action);
    for (const [action, uses] of byAction)
      expect([action, new Set(uses.map(([, , at]) => at)).size]).toEqual([action, 1]);
    const versions = [...all.matchAll(/node-version: (\S+)/g)].map(([, version]) => version);
    expect(new Set(versions)).toEqual(new Set([own.devDependencies.node]));
  });
});

const workflow = (steps: string, top = 'on: push', job = ''): string => `${top}
permissions:
  contents: read
jobs:
  a:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
${job}    steps:
${steps}
`;
/** Expressions of GitHub Actions, which look like JavaScript placeholders. */
const expression = (text: string): string => `$\{{ ${text} }}`;
const commit = 'c0ffee'.repeat(7).slice(0, 40);

describe('A fault in a workflow is found', () => {
  it.each([
    ['an action by tag', workflow('      - uses: a/b@v1')],
    ['an action by commit without its version', workflow(`      - uses: a/b@${commit}`)],
    ['an action of a branch', workflow('      - uses: a/b@main # v1.0.0')],
    ['pull_request_target', workflow('      - run: "true"', 'on: [push, pull_request_target]')],
    ['workflow_run', workflow('      - run: "true"', 'on:\n  workflow_run:')],
    ['input of a stranger in a shell', workflow(`      - run: echo ${expression('github.event.issue.title')}`)],
    [
      'any expression in a shell',
      workflow(`      - run: |\n          x\n          echo ${expression('github.ref_name')}`),
    ],
    ['a token that stays in .git', workflow(`      - uses: actions/checkout@${commit} # v7.0.1`)],
    ['all rights', workflow('      - run: "true"', 'on: push', '    permissions: write-all\n')],
    ['rights by default', workflow('      - run: "true"').replace('permissions:\n  contents: read\n', '')],
    ['more rights for all jobs', workflow('      - run: "true"').replace('contents: read', 'contents: write')],
    ['a runner that changes', workflow('      - run: "true"').replace('24.04', 'latest')],
    ['no end', workflow('      - run: "true"').replace('timeout-minutes: 5', 'name: x')],
    ['a password in an argument', workflow('      - run: helm registry login -u x --password "$X" y')],
    [
      'a secret in an argument',
      workflow(`      - run: cosign login -u x "$T"\n        env: { T: "${expression('secrets.TOKEN')}" }`),
    ],
    ['npm install', workflow('      - run: npm install')],
    ['a script from somewhere', workflow('      - run: curl https://example.com/x | sh')],
  ])('%s', (_, text) => expect(faultsIn(text)).toHaveLength(1));

  it('but not in a correct workflow', () => {
    const login = `      - run: printf '%s' "$T" | skopeo login x --username y --password-stdin\n        env: { T: "${expression('github.token')}" }`;
    expect(faultsIn(workflow(`      - uses: a/b/c@${commit} # v1.2.3\n${login}`))).toEqual([]);
  });

  it.each([
    ['a key that GitHub does not know', 'permisions: {}\non: push\njobs: { a: { runs-on: x, steps: [{ run: x }] } }'],
    [
      'a scope that GitHub does not know',
      'on: push\njobs: { a: { runs-on: x, permissions: { content: read }, steps: [{ run: x }] } }',
    ],
    ['an incomplete expression', `on: push\njobs: { a: { runs-on: x, steps: [{ run: "${expression('github.')}" }] } }`],
    ['a job that needs a missing one', 'on: push\njobs: { a: { needs: b, runs-on: x, steps: [{ run: x }] } }'],
    ['an invalid cron', 'on: { schedule: [{ cron: "99 * * * *" }] }\njobs: { a: { runs-on: x, steps: [{ run: x }] } }'],
  ])("by GitHub's parser: %s", async (_, text) => expect(await parser.errorsIn('x.yml', text)).not.toEqual([]));
});

describe('.github/dependabot.yml', () => {
  const { updates } = parse(readFileSync(join(root, '.github', 'dependabot.yml'), 'utf8')) as {
    updates: { 'package-ecosystem': string; directory?: string; directories?: string[]; cooldown?: object }[];
  };
  const foldersOf = (ecosystem: string): readonly string[] =>
    updates
      .filter((each) => each['package-ecosystem'] === ecosystem)
      .flatMap(({ directory, directories = [] }) => (directory ? [directory] : directories));

  it('updates packages, base images and actions, a week after their release', () => {
    for (const ecosystem of ['npm', 'docker', 'github-actions']) expect(foldersOf(ecosystem)).toEqual(['/']);
    expect(existsSync(join(root, 'Dockerfile'))).toBe(true);
    expect(updates.filter(({ cooldown }) => cooldown === undefined)).toEqual([]);
  });

  it('updates every Go module of the tests', () => {
    const modules = globSync('test/**/go.mod', { cwd: root }).map((file) => `/${file.replace(/\/go\.mod$/, '')}`);
    expect(foldersOf('gomod').toSorted()).toEqual(modules.toSorted());
  });
});
