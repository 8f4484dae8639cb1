// Tests of `lull lint`: text, one line per finding when piped, JSON, GitHub, SARIF, exit codes and --fix.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { poolText } from '../../../test/fixtures/lintPolicy.ts';
import { runInMemory, type World } from '../../../test/inMemory.ts';

/** A temporary file for one test. */
function fileWith(text: string | Uint8Array, name = 'policy.yaml'): string {
  const file = join(mkdtempSync(join(tmpdir(), 'lull-')), name);
  writeFileSync(file, text);
  return file;
}

const lint = async (stdin: string, flags: readonly string[] = [], world: World = {}) =>
  runInMemory(['lint', '-f', '-', ...flags], { stdin, ...world });

const weekend = poolText('- nodes: "10%"\n- {nodes: "30%", schedule: "0 0 * * sat", duration: 48h}');
const broken = poolText('- {nodes: "100%", duration: 10m}');
const clean = poolText('- nodes: "10%"');
const old = poolText('- nodes: 5   # five\n  reason: drifted');

describe('L5: lull lint', () => {
  it('prints like a compiler: position, message, source line, why, what to write instead', async () => {
    const { status, stdout } = await lint(weekend);
    expect(status).toBe(0);
    expect(stdout).toBe(`<stdin>:8:10: warning[budget-never-least] 30% never decides: whenever this budget applies,
  budgets[0] (10%) applies to the same reasons, and the smallest budget wins.
  NodePool/default spec.disruption.budgets[1].nodes
  8 |       - {nodes: "30%", schedule: "0 0 * * sat", duration: 48h}
    |          ^^^^^^^^^^^^
  why: The smallest active budget wins. A larger number in a window does not lift a smaller one that
  applies at the same time, so this budget has no effect.
  instead:
    # replaces budgets[0]: 10% at all other hours
    - nodes: "10%"
      schedule: "0 0 * * mon"
      duration: 120h

1 warning in 1 file.
`);
  });

  it('prints one line per finding when piped', async () => {
    const policy = `${weekend}---\n${old.replace('default', 'second')}`;
    const findings: unknown[] = JSON.parse((await lint(policy, ['-o', 'json'])).stdout);
    const { stdout } = await lint(policy, [], { width: Number.POSITIVE_INFINITY });
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines).toHaveLength(findings.length);
    for (const line of lines)
      expect(line).toMatch(/^<stdin>:\d+:\d+: (error|warning|info)\[[\w-]+\] NodePool\/\w+ spec\S*: /);
    expect(lines[0]).toBe(
      '<stdin>:8:10: warning[budget-never-least] NodePool/default spec.disruption.budgets[1].nodes: 30% never decides: whenever this budget applies, budgets[0] (10%) applies to the same reasons, and the smallest budget wins.',
    );
  });

  it('says so if nothing is found', async () => {
    expect(await lint(clean)).toEqual({ status: 0, stdout: 'Nothing found in 1 object.\n', stderr: '' });
  });

  it.each([
    { name: 'nothing', text: clean, flags: [], status: 0 },
    { name: 'a warning', text: weekend, flags: [], status: 0 },
    { name: 'a warning, strictly', text: weekend, flags: ['--strict'], status: 1 },
    { name: 'a note, strictly', text: poolText('- {nodes: "10%", timeZone: UTC}'), flags: ['--strict'], status: 0 },
    { name: 'what the API server rejects', text: poolText('- nodes: 5'), flags: [], status: 1 },
    { name: 'an error', text: broken, flags: [], status: 1 },
    { name: 'what cannot be read', text: 'spec: [', flags: [], status: 2 },
    { name: 'a setting that is unknown', text: clean, flags: ['--set', 'rule=guide'], status: 2 },
    { name: 'a form that is unknown', text: clean, flags: ['-o', 'yaml'], status: 2 },
  ])('L7: ends with $status for $name', async ({ text, flags, status }) => {
    expect((await lint(text, flags)).status).toBe(status);
  });

  it('needs input', async () => {
    expect(await runInMemory(['lint'])).toMatchObject({ status: 2, stdout: '' });
  });

  it('prints a JSON list with the position of each finding', async () => {
    const { stdout, status } = await lint(broken, ['-o', 'json']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      {
        rule: 'fault',
        severity: 'error',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].duration',
        file: '<stdin>',
        line: 7,
        column: 25,
        message: 'duration is set without schedule. Set both or neither.',
      },
    ]);
    expect(JSON.parse((await lint(clean, ['-o', 'json'])).stdout)).toEqual([]);
  });

  it('annotates lines on GitHub and escapes what would break a command', async () => {
    const { stdout } = await lint(weekend, ['-o', 'github']);
    expect(stdout).toBe(
      '::warning file=<stdin>,line=8,col=10,title=budget-never-least::NodePool/default: 30%25 never decides: whenever this budget applies, budgets[0] (10%25) applies to the same reasons, and the smallest budget wins.%0A%0A# replaces budgets[0]: 10%25 at all other hours%0A- nodes: "10%25"%0A  schedule: "0 0 * * mon"%0A  duration: 120h\n',
    );
  });

  it('writes SARIF, with a description of every rule', async () => {
    const sarif = JSON.parse((await lint(old, ['-o', 'sarif'])).stdout);
    expect(sarif.version).toBe('2.1.0');
    const [run] = sarif.runs;
    expect(run.tool.driver).toMatchObject({ name: 'lull', version: '1.2.3' });
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(result.locations[0].physicalLocation.region.startLine).toBeGreaterThan(0);
    }
  });

  it('uses the given settings and instant', async () => {
    const topology = poolText('- {nodes: "1", topologyKey: zone}\n- nodes: "10%"');
    expect((await lint(topology)).status).toBe(0);
    expect((await lint(topology, ['--set', 'role=guide'])).status).toBe(1);
    const inBerlin = poolText(
      ['0 9 * * *", duration: 8h', '0 17 * * *", duration: 16h']
        .map((hours) => `- {nodes: "1", schedule: "${hours}, timeZone: Europe/Berlin}`)
        .join('\n'),
    );
    expect((await lint(inBerlin, ['--at', '2027-02-01T00:00:00Z'])).stdout.replaceAll('\n  ', ' ')).toContain(
      'Sunday 31 October 2027 08:00 to 09:00',
    );
  });

  it('has colours only on a terminal', async () => {
    expect((await lint(weekend)).stdout).not.toContain('\u001b');
    expect((await lint(weekend, [], { color: true })).stdout).toContain('\u001b[33mwarning');
  });

  it('shows the relevant part of a long line and escapes control characters', async () => {
    const object = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'x', note: '\u202e'.padEnd(5000, 'y') },
    };
    const { stdout } = await lint(JSON.stringify({ ...object, spec: { disruption: { budgets: [] } } }));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(stdout).toMatch(/^ {2}1 \| ….*"budgets":\[\]/m);
    expect(stdout).not.toContain('\u202e');
  });
});

describe('L5: lull lint --fix', () => {
  it('writes and reports what is certain, and leaves everything else unchanged', async () => {
    const file = fileWith(old);
    const { stdout, status } = await runInMemory(['lint', '-f', file, '--fix']);
    expect(status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(poolText('- nodes: "5"   # five\n  reasons: [Drifted]'));
    expect(stdout).toContain(
      `${file}:7:9: fixed[old-spelling] A number without quotes is an old spelling. Write "5" in quotes.\n`,
    );
  });

  it('K4: repairs a misspelled key, kind, apiVersion and field, and keeps comments', async () => {
    const typos = `apiVersion: karpenter.sh/v1alhpa1
kind: Nodepool
metadata:
  name: web
  annotations:
    # one at a time
    lull.dev/budget: |
      - node: "1"   # one
        topologykey: topology.kubernetes.io/zone
---
apiVersion: karpenter.sh/v1
kind: PodDisruptionSchedule
metadata: {name: nights}
spec: {selector: {matchLables: {app: db}}, schedule: "0 2 * * *"}
`;
    const file = fileWith(typos);
    expect((await runInMemory(['lint', '-f', file])).status).toBe(1);
    const { status } = await runInMemory(['lint', '-f', file, '--fix']);
    expect(status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: web
  annotations:
    # one at a time
    lull.dev/budgets: |
      - nodes: "1"   # one
        topologyKey: topology.kubernetes.io/zone
---
apiVersion: karpenter.sh/v1alpha1
kind: PodDisruptionSchedule
metadata: {name: nights}
spec: {selector: {matchLabels: {app: db}}, schedule: "0 2 * * *"}
`);
  });

  it('changes nothing the second time', async () => {
    const file = fileWith(old);
    await runInMemory(['lint', '-f', file, '--fix']);
    const once = readFileSync(file, 'utf8');
    const { stdout } = await runInMemory(['lint', '-f', file, '--fix']);
    expect(readFileSync(file, 'utf8')).toBe(once);
    expect(stdout).toMatch(/^Nothing can be fixed automatically\.\n/);
  });

  it('changes neither stdin nor files it could not write back unchanged', async () => {
    expect((await lint(old, ['--fix'])).stdout).toMatch(/^Nothing can be fixed automatically\.\n/);
    const packed = fileWith(gzipSync(old), 'policy.yaml.gz');
    const bytes = readFileSync(packed);
    await runInMemory(['lint', '-f', packed, '--fix']);
    expect(readFileSync(packed)).toEqual(bytes);
    const wide = fileWith(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(old, 'utf16le')]));
    expect(await runInMemory(['lint', '-f', wide, '--fix'])).toMatchObject({ status: 2 });
  });

  it('keeps JSON on stdout apart from the list of fixes', async () => {
    const file = fileWith(old);
    const { stdout, stderr } = await runInMemory(['lint', '-f', file, '--fix', '-o', 'json']);
    expect(JSON.parse(stdout).map(({ rule }: { rule: string }) => rule)).not.toContain('old-spelling');
    expect(stderr).toContain('fixed[old-spelling]');
  });

  it('writes nothing without --fix', async () => {
    const file = fileWith(old);
    await runInMemory(['lint', '-f', file]);
    expect(readFileSync(file, 'utf8')).toBe(old);
  });
});
