// K8: whatever is in the input, no command writes anything that a terminal or a CI system would interpret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { guarded } from '../../src/cli/io.ts';
import { openLog } from '../../src/cli/run/liveLog.ts';
import { escapeJson, escapeText, escapeYaml } from '../../src/kinds/text/escaping.ts';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import { asDuration, asInstant } from '../../src/time/instant.ts';
import { runInMemory } from '../inMemory.ts';
import { drifted, lines, pdb, pod, podSchedule, pool, window } from './objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-printed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** Long enough to be wrapped at every width, so that some lines begin with a command. */
const wrapped = Array.from({ length: 60 }, (_, index) => `${'w'.repeat(index % 9)} ::stop-commands::t${index}`).join(
  ' ',
);

const hostile = {
  github: '::stop-commands::x',
  wrapped,
  lines: 'a\n::error::b\n  ::warning file=x::c\n\t::notice::d',
  azure: 'a ##vso[task.setvariable variable=x]y ##[group]z ##teamcity[message text=t]',
  ignored: '#\u00ad#[error]a #\ufe0f#\u200b[b] :\u200d:error::c',
  gitlab: 'section_start:1:x\r\u001b[0Kheader',
  escapes: '\u001b[2J\u001b]0;pwned\u0007\u009b31m\u0090',
  bidi: '\u202egnp.exe\u202c\u2066\u2069\u200f\u061c',
  breaks: 'a\r\n::error::b\u2028::error::c\u2029\u0085::error::d\u000b::error::e\f::error::f',
  hidden: 'a\u200bb\ufeffc\u{e0061}\u{e007f}\u034f\u115f\u3164',
  surrogates: '\ud800a\udfff',
} as const;

/** In every field that users may write. */
const objects = (said: string): string =>
  lines(
    {
      ...pool({
        disruption: { budgets: [{ nodes: said, reasons: [said], schedule: said, duration: said, [said]: said }] },
      }),
    },
    {
      ...pool(
        { template: { metadata: { labels: { [said]: said } } }, weight: said },
        { 'lull.dev/budgets': said, [`lull.dev/${said}`]: said },
      ),
      metadata: { name: said, annotations: { 'lull.dev/budgets': said } },
    },
    ...drifted('n1', { [said]: said, 'topology.kubernetes.io/zone': said }),
    ...drifted(said),
    window(
      {
        note: said,
        mode: said,
        nodes: said,
        [said]: said,
        schedules: [{ cron: said, duration: said, timeZone: said }],
      },
      said,
    ),
    { ...window({ note: said }, 'frozen'), metadata: { name: 'frozen', annotations: { 'lull.dev/author': said } } },
    podSchedule({ schedule: said, selector: { matchLabels: { [said]: said } } }, said),
    pod({ 'karpenter.sh/do-not-disrupt': said, 'lull.dev/allow': said, [`lull.dev/${said}`]: said }),
    pod({ 'karpenter.sh/do-not-disrupt': 'true' }, said),
    pdb({ minAvailable: said, selector: { matchLabels: { app: said } } }),
    { apiVersion: said, kind: said, metadata: { name: said } },
  );

const scenario = (said: string): string =>
  lines(
    {
      apiVersion: 'lull.dev/v1alpha1',
      kind: 'Scenario',
      metadata: { name: said },
      spec: {
        story: said,
        from: '2026-11-19T08:00:00Z',
        for: '20m',
        zones: ['a'],
        instanceTypes: { m6: { cpu: '4', memory: '16Gi', price: 0.07 } },
        nodes: [{ pool: 'p', count: 2, zones: ['a'] }],
        script: [{ at: '1m', release: { pool: 'p', image: 'v2' } }],
      },
    },
    pool({ template: { metadata: { labels: { image: 'v1' } }, spec: {} }, disruption: { budgets: [{ nodes: '1' }] } }),
    window({ note: said }, 'frozen'),
  );

interface Files {
  readonly cluster: string;
  readonly scenario: string;
  readonly recording: string;
  readonly said: string;
}

const forms = (words: readonly string[], ...of: string[]): string[][] =>
  (of.length === 0 ? ['text', 'json', 'yaml'] : of).map((form) => [...words, '-o', form]);

/** The arguments for every command; a string is the reason why its output contains nothing of the input. */
const table: Readonly<Record<string, ((files: Files) => string[][]) | string>> = {
  decide: ({ cluster }) => [
    ...forms(['decide', cluster]),
    ['decide', '--all', cluster],
    ['decide', '--settings', cluster],
  ],
  why: ({ cluster, said }) =>
    ['pool/p', 'n1', 'node/n1', 'pod/shop/web', said, `pool/${said}`].flatMap((name) =>
      forms(['why', name, '-f', cluster]),
    ),
  // It simulates the cluster, which takes seconds.
  forecast: ({ cluster, said }) => (said === wrapped ? [['forecast', '-f', cluster]] : []),
  explain: ({ cluster }) => forms(['explain', cluster]),
  when: ({ cluster, said }) => [
    ...forms(['when', '-f', cluster]),
    ['when', said],
    ['when', '0 9 * * *', '--zone', said],
  ],
  lint: ({ cluster }) => forms(['lint', cluster], 'text', 'json', 'github', 'sarif'),
  convert: ({ cluster }) => [
    ['convert', cluster],
    ['convert', cluster, '-o', 'json'],
  ],
  snapshot: ({ cluster }) => [
    ['snapshot', '-f', cluster, '-o', '-'],
    ['snapshot', '-f', cluster, '--anonymise', '-o', '-'],
  ],
  simulate: ({ scenario: file }) => forms(['simulate', file, '--for', '5m']),
  record: ({ scenario: file }) => [['record', file, '--to', '-', '--for', '5m']],
  replay: ({ recording, scenario: file }) => [...forms(['replay', recording]), ['replay', file]],
  shadow: ({ recording, scenario: file }) => [...forms(['shadow', recording]), ['shadow', file]],
  settings: ({ said, cluster }) => [
    ...forms(['settings', '--set', `role=${said}`]),
    ['settings', '--settings', cluster],
  ],
  crds: ({ cluster, said }) => [
    ['crds', '--patch', '-f', cluster],
    ['crds', said],
  ],
  install: ({ said }) => [
    ...forms(['install', '--dry-run', '--namespace', said], 'json', 'yaml'),
    ['install', '--kubeconfig', said],
  ],
  pause: ({ said }) => forms(['pause', '--dry-run', '--note', said, '--author', said], 'json', 'yaml'),
  resume: ({ said }) => [['resume', '--kubeconfig', said]],
  roll: ({ said }) => [['roll', said, '--note', said, '--author', said, '--kubeconfig', said]],
  approve: ({ said }) => [['approve', said, '--note', said, '--author', said, '--kubeconfig', said]],
  gate: ({ said }) => [['gate', '--kubeconfig', said]],
  turn: ({ said }) => [['turn', 'pass', said, '--kubeconfig', said]],
  release: ({ said }) => [['release', '--kubeconfig', said]],
  uninstall: ({ said }) => [['uninstall', '--kubeconfig', said]],
  run: ({ said }) => [['run', '--kubeconfig', said]],
  up: ({ said }) => [['up', said]],
  completion: ({ said }) => [
    ['completion', said],
    ['completion', 'bash'],
  ],
  version: 'It prints the version.',
  help: 'It prints what commander knows.',
};

/** The patterns of the tests are independent of the code that escapes. */
const raw = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164]|[\ufe00-\ufe0f]|\u034f/u;
const annotation = /^::(error|warning|notice) [^:]*::/;

function obeyed(text: string, isGithub = false): string[] {
  return text
    .split('\n')
    .map((line) => (isGithub && annotation.test(line) ? line.replace(annotation, 'x') : line))
    .filter((line) => raw.test(line) || /^\s*::/.test(line) || /##[a-z]*\[/i.test(line));
}

describe('K8: no terminal, log reader or parser interprets what the program writes', () => {
  it('every command is in the table', async () => {
    const { stdout } = await runInMemory(['--help']);
    const named = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(20);
    expect(Object.keys(table).toSorted()).toEqual(named.toSorted());
  });

  describe.each(Object.entries(hostile))('%s', (name, said) => {
    const files = {
      cluster: at(`${name}.yaml`),
      scenario: at(`${name}-scenario.yaml`),
      recording: at(`${name}.ndjson`),
      said,
    };
    beforeAll(async () => {
      writeFileSync(files.cluster, objects(said));
      writeFileSync(files.scenario, scenario(said));
      const { status, stderr } = await runInMemory(['record', files.scenario, '--to', files.recording]);
      expect(stderr).toMatch(/^recorded/);
      expect(status).toBe(0);
    });

    it.each(
      Object.entries(table).flatMap(([command, cases]) => (typeof cases === 'string' ? [] : [{ command, cases }])),
    )('lull $command', async ({ cases }) => {
      for (const argv of cases(files)) {
        const { status, stdout, stderr } = await runInMemory(argv, { width: 40 });
        expect(obeyed(stdout, argv.includes('github')), argv.join(' ')).toEqual([]);
        expect(obeyed(stderr), argv.join(' ')).toEqual([]);
        expect(stderr).not.toContain('internal error');
        if (stdout !== '' && status !== 2 && argv.at(-1) === 'json') JSON.parse(stdout);
      }
    });

    it('JSON and YAML are parsed as the original values', async () => {
      const [json, yaml] = [
        await runInMemory(['decide', files.cluster, '-o', 'json']),
        await runInMemory(['decide', files.cluster, '-o', 'yaml']),
      ];
      const round = JSON.parse(json.stdout);
      // A long name is truncated when it is read.
      const named: string[] = round.verdicts.map(({ node }: { node: string }) => node);
      expect(named.filter((node) => said.startsWith(node.slice(0, 100)))).not.toEqual([]);
      expect(parse(yaml.stdout, { version: '1.1' })).toEqual(round);
    });

    it('a log line, for people or as JSON', () => {
      const written: string[] = [];
      const stderr = (text: string): void => void written.push(text);
      const unused = {
        stdin: async () => new Uint8Array(),
        stdout: stderr,
        localZone: () => 'UTC',
        localOffset: () => asDuration(0),
        width: 100,
        version: '',
        debug: false,
      };
      const io = guarded({ ...unused, stderr, now: () => asInstant(0), color: true });
      openLog(io, 'text')({ kind: 'fault', text: said, more: said });
      openLog(io, 'json')({ kind: said, text: said, more: said });
      expect(written.flatMap((line) => obeyed(line))).toEqual([]);
      expect(JSON.parse(written[1] ?? '')).toMatchObject({ kind: said, text: said, more: said });
    });
  });

  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(...Object.values(hostile), '::', '##', '[', '#', ':', ' ', '\n', '"', '\\', "'", '- '),
        fc.string({ unit: 'binary' }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''));
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  })).value;

  it('any text, as lines', () => {
    fc.assert(
      fc.property(text, (said) => {
        expect(obeyed(escapeText(said))).toEqual([]);
      }),
      { seed: 15, numRuns: 2000 },
    );
  });

  it('any value, as JSON and YAML that are parsed as the same', () => {
    fc.assert(
      fc.property(value, (said) => {
        const json = escapeJson(JSON.stringify(said, null, 2));
        expect(obeyed(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual(said);
        const yaml = writeYaml(said);
        expect(obeyed(yaml)).toEqual([]);
        expect(escapeYaml(yaml)).toBe(yaml);
        expect(parse(yaml, { version: '1.1' })).toEqual(said);
      }),
      { seed: 15, numRuns: 2000 },
    );
  });
});
