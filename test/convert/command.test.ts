import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../inMemory.ts';

const older = `# ours
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
    - maxUnavailable: 5 # five
`;
const newer = older.replace('maxUnavailable: 5', 'nodes: "5"');

function folder(files: Record<string, string | Uint8Array>): string {
  const path = mkdtempSync(join(tmpdir(), 'lull-convert-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

describe('lull convert', () => {
  it('prints the converted text, and the changes on stderr', async () => {
    const { status, stdout, stderr } = await runInMemory(['convert', '-f', '-'], { stdin: older });
    expect(status).toBe(0);
    expect(stdout).toBe(newer);
    expect(stderr).toBe(
      [
        '<stdin>:7: NodePool/default spec.disruption.budgets: spelling updated.',
        '  Karpenter: Karpenter ignores the old spellings; from now on it applies these budgets as well.',
        '<stdin>:8: NodePool/default spec.disruption.budgets[0].maxUnavailable: maxUnavailable is now nodes.',
        '<stdin>:8: NodePool/default spec.disruption.budgets[0].maxUnavailable: the number 5 is now the string "5".',
        '',
      ].join('\n'),
    );
  });

  it('prints current files byte for byte, without messages', async () => {
    expect(await runInMemory(['convert', '-f', '-'], { stdin: newer })).toEqual({
      status: 0,
      stdout: newer,
      stderr: '',
    });
  });

  it('prints several files as one stream', async () => {
    const path = folder({ 'a.yaml': older, 'b.json': '{"kind": "Pod"}', 'c.yaml': `---\n${newer}` });
    const { stdout } = await runInMemory(['convert', '-f', path]);
    expect(stdout).toBe(`${newer}---\n{"kind": "Pod"}\n---\n${newer}`);
  });

  it('writes in place only what changed', async () => {
    const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(older)]);
    const path = folder({ 'a.yaml': older, 'b.yaml': newer, 'c.yaml': bom });
    const { status, stdout } = await runInMemory(['convert', '-f', path, '--write']);
    expect([status, stdout]).toEqual([0, '']);
    const read = (name: string) => readFileSync(join(path, name), 'utf8');
    expect(['a.yaml', 'b.yaml', 'c.yaml'].map(read)).toEqual([newer, newer, `\uFEFF${newer}`]);
  });

  it('writes all of them to a folder', async () => {
    const path = folder({ 'a.yaml': older, 'b.yaml': newer });
    const { status, stdout } = await runInMemory(['convert', '-f', path, '-o', join(path, 'new', 'here')]);
    expect([status, stdout]).toEqual([0, '']);
    expect(readdirSync(join(path, 'new', 'here'))).toEqual(['a.yaml', 'b.yaml']);
    expect(readFileSync(join(path, 'a.yaml'), 'utf8')).toBe(older);
    expect(readFileSync(join(path, 'new/here/a.yaml'), 'utf8')).toBe(newer);
  });

  it('gives texts and notes as JSON', async () => {
    const path = folder({ 'a.yaml': older, 'b.yaml': newer });
    const { stdout, stderr } = await runInMemory(['convert', '-f', path, '-o', 'json']);
    const note = { object: 'NodePool/default', path: 'spec.disruption.budgets[0].maxUnavailable', line: 8 };
    expect(JSON.parse(stdout)).toEqual({
      files: [
        {
          file: join(path, 'a.yaml'),
          text: newer,
          notes: expect.arrayContaining([{ ...note, change: 'maxUnavailable is now nodes' }]),
        },
        { file: join(path, 'b.yaml'), notes: [] },
      ],
    });
    expect(stderr).toBe('');
  });

  it.each([
    { name: 'no file', argv: ['convert'], says: 'Nothing to convert' },
    { name: 'both places', argv: ['convert', '-f', '-', '--write', '-o', 'x'], says: 'cannot be combined' },
    { name: 'stdin in place', argv: ['convert', '-f', '-', '--write'], says: 'cannot write stdin in place' },
    { name: 'a missing file', argv: ['convert', '-f', '/nowhere.yaml'], says: 'No such file' },
  ])('is wrong usage with $name', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(argv, { stdin: older });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });

  it('writes nothing if one file cannot be read', async () => {
    const path = folder({ 'a.yaml': older, 'b.yaml': 'kind: [' });
    const { status, stderr } = await runInMemory(['convert', '-f', path, '--write']);
    expect(status).toBe(2);
    expect(stderr).toContain('b.yaml:1');
    expect(readFileSync(join(path, 'a.yaml'), 'utf8')).toBe(older);
  });

  it('reports a folder that cannot be written to', async () => {
    const path = folder({ 'a.yaml': older });
    const { status, stderr } = await runInMemory(['convert', '-f', path, '-o', join(path, 'a.yaml')]);
    expect(status).toBe(2);
    expect(stderr).toContain('Cannot write');
  });
});
