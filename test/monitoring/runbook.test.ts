// Tests of the runbook: a section per alert, and commands that run.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenarioIn } from '../../src/cli/scenarioInput.ts';
import { openBox } from '../../src/cli/up/upBox.ts';
import { crdName, ownKinds } from '../../src/kinds/schema/crds.ts';
import { openServer, type RunningServer } from '../../src/server/server.ts';
import { after, asDuration, minute } from '../../src/time/instant.ts';
import { kubectlBinary } from '../chart/helmBinary.ts';
import { runInMemory } from '../inMemory.ts';
import { readRules } from './promql/rules.ts';

const page = readFileSync('docs/guide/runbook.md', 'utf8');
const rules = readRules('deploy/monitoring/alerts.yaml');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

/** Every line of a shell block, and every `lull …` in a sentence. */
const typed = [
  ...[...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n')),
  ...[...page.matchAll(/`(lull [^`]*\s[^`]*)`/g)].map(([, command = '']) => command),
];

/** Splits as a shell does; POOL and NODE are replaced by names of the box. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) =>
    (a ?? b ?? c ?? '').replace('POOL', 'web').replace('NODE', 'web-2'),
  );

const flagsOf = (words: readonly string[]): string[] =>
  words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');

describe('The runbook', () => {
  it.each(rules)('has a section for $alert, and its link leads there', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`docs/guide/runbook.md#${alert.toLowerCase()}`);
    const section = sections.get(alert) ?? '';
    for (const part of ['**Meaning:**', '**Check:**', '**Run:**\n\n```sh\n']) expect(section).toContain(part);
  });

  it('has no section for an alert that does not exist', () => {
    expect([...sections.keys()]).toEqual(rules.map(({ alert }) => alert));
  });
});

describe('The commands of the runbook', () => {
  let listening: RunningServer;
  beforeAll(async () => {
    // The bad image halts the roll in zone a, so there is a turn to pass.
    const box = openBox(await scenarioIn('scenarios/bad-image.yaml', {} as never), { version: 'test' });
    box.simulation.runUntil(after(box.simulation.from, asDuration(60 * minute)));
    listening = await openServer(box, { port: 0, run: 'test' });
  });
  afterAll(() => listening.close());

  const own = [...new Set(typed.filter((command) => command.startsWith('lull ')))];

  it.each(own)('%s', async (command) => {
    const [, ...argv] = wordsOf(command);
    const end = argv.findIndex((word) => word.startsWith('-'));
    const names = argv[0] === 'turn' ? argv.slice(0, 2) : argv.slice(0, end < 0 ? 1 : Math.min(end, 1));
    const help = await runInMemory([...names, '--help']);
    expect(help.stdout).toContain(`Usage: lull ${names.join(' ')}`);
    for (const flag of flagsOf(argv)) expect(help.stdout).toMatch(new RegExp(`(^|[ ,])${flag}[ ,]`, 'm'));
    // Commands that can run on a box run on one, at its own time; the others need a cluster.
    if (!help.stdout.includes('--server')) return;
    const ran = await runInMemory([...argv, '--server', listening.url], { now: '2026-11-16T09:00:00Z' });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
  });

  it('lull when', async () => {
    const command = own.find((it) => it.startsWith('lull when')) ?? '';
    expect(await runInMemory(wordsOf(command).slice(1))).toMatchObject({ status: 0, stderr: '' });
  });

  const kubectl = kubectlBinary();
  const theirs = [...new Set(typed.filter((command) => !command.startsWith('lull ')))];

  it.runIf(kubectl !== undefined)('is known to kubectl, with its flags', () => {
    const ask = (...argv: string[]): string => execFileSync(kubectl ?? '', argv, { encoding: 'utf8' });
    const everywhere = ask('options');
    const helps = new Map<string, string>();
    for (const command of theirs) {
      const [program, verb = '', ...argv] = wordsOf(command);
      expect(program).toBe('kubectl');
      const help = helps.get(verb) ?? ask(verb, '--help') + everywhere;
      helps.set(verb, help);
      expect(help).toContain(`kubectl ${verb}`);
      for (const flag of flagsOf(argv)) expect(`${command}: ${help}`).toMatch(new RegExp(`[ ,]${flag}[=,]`));
    }
  });

  it('names only definitions that exist', () => {
    const known = ownKinds.map(crdName);
    const named = theirs.flatMap((command) => command.match(/[\w.]+\.(lull\.dev|karpenter\.sh)\b/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining(named));
  });
});
