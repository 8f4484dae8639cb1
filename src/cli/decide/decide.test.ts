// Tests of `lull decide`: its JSON fields and its text.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInMemory, type World } from '../../../test/inMemory.ts';

const firstLook = ['decide', '-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T10:20:00Z'];
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

type Item = Record<string, unknown>;
interface RoundJson extends Record<string, unknown> {
  verdicts: Item[];
  commands: Item[];
  actions: Item[];
  allowances: Item[];
  domains: Item[];
  windows: Item[];
  pods: Item[];
  faults: Item[];
}

async function decide(argv: readonly string[] = [], world: World = {}): Promise<RoundJson> {
  const { stdout, stderr } = await runInMemory([...firstLook, '-o', 'json', ...argv], world);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as RoundJson;
}

const find = (items: readonly Item[], fields: Item): Item | undefined =>
  items.find((item) => Object.entries(fields).every(([field, value]) => item[field] === value));

describe('L2: a round in JSON', async () => {
  const round = await decide();

  it('has these fields and no others', () => {
    const fields = [
      'at',
      'wakeAt',
      'verdicts',
      'commands',
      'ended',
      'actions',
      'allowances',
      'domains',
      'windows',
      'pods',
      'faults',
    ];
    expect(Object.keys(round)).toEqual([...fields, 'ledger', 'cluster']);
  });

  it('at and wakeAt are instants', () => {
    expect(round.at).toBe('2026-11-17T10:20:00Z');
    expect(round.wakeAt).toBe('2026-11-17T17:00:00Z');
  });

  it('verdicts', () => {
    expect(find(round.verdicts, { node: 'ip-10-0-2-151' })).toEqual({
      node: 'ip-10-0-2-151',
      claim: 'batch-t6v8s',
      pool: 'batch',
      reason: 'Empty',
      outcome: 'go',
      refusals: [],
    });
    expect(find(round.verdicts, { node: 'ip-10-0-1-21', reason: 'Drifted' })).toMatchObject({ outcome: 'underway' });
    const held = find(round.verdicts, { node: 'ip-10-0-2-18' });
    expect(held).toMatchObject({ outcome: 'held', podsAgreeAt: '2026-11-21T21:00:00Z' });
    expect(held?.refusals).toContainEqual({
      code: 'PodScheduleClosed',
      message: expect.stringContaining('data/reports-0'),
      owner: { kind: 'Pod', namespace: 'data', name: 'reports-0' },
      liftsAt: '2026-11-21T21:00:00Z',
    });
  });

  it('commands', () => {
    expect(find(round.commands, { id: 'drifted-1c9x40kd2m' })).toEqual({
      id: 'drifted-1c9x40kd2m',
      reason: 'Drifted',
      hands: 'karpenter',
      nodes: ['ip-10-0-1-21'],
      replacements: [],
      step: 'taken',
      pool: 'general',
      startedAt: '2026-11-17T10:11:20Z',
      stepAt: '2026-11-17T10:12:02Z',
    });
    expect(find(round.commands, { reason: 'Empty' })).toMatchObject({ hands: 'lull', nodes: ['ip-10-0-2-151'] });
  });

  it('actions are those of the role', async () => {
    expect(round.actions).toEqual([]);
    const [action] = (await decide(['--set', 'role=guide'])).actions;
    expect(action).toMatchObject({ verb: 'patch', kind: 'Node', name: 'ip-10-0-2-151' });
  });

  it('allowances', () => {
    expect(round.allowances).toHaveLength(12);
    expect(find(round.allowances, { pool: 'general', reason: 'Expired' })).toEqual({
      pool: 'general',
      reason: 'Expired',
      limit: 0,
      consumed: 1,
      left: 0,
      budget: 1,
      nextChange: '2026-11-17T17:00:00Z',
    });
  });

  it('domains', () => {
    expect(round.domains[0]).toEqual({
      pool: 'general',
      topologyKey: 'topology.kubernetes.io/zone',
      domain: 'eu-central-1a',
      counted: 2,
      limit: 1,
      consumed: 1,
      left: 0,
      state: 'turn',
    });
  });

  it('windows', () => {
    expect(round.windows).toEqual([
      {
        kind: 'MaintenanceWindow',
        name: 'batch-nights',
        open: false,
        nextChange: '2026-11-17T19:00:00Z',
        selected: 3,
        holding: 1,
        note: 'data team, jobs that run for hours start in the morning',
      },
    ]);
  });

  it('pods', () => {
    expect(find(round.pods, { name: 'reports-0' })).toMatchObject({
      namespace: 'data',
      node: 'ip-10-0-2-18',
      movable: false,
      movableAt: '2026-11-21T21:00:00Z',
      refusals: [{ code: 'PodScheduleClosed', liftsAt: '2026-11-21T21:00:00Z' }],
    });
  });

  it('the ledger that would be committed, only where it changes', async () => {
    expect(round.ledger).toMatchObject({ kind: 'DisruptionLedger', spec: { commands: [{}, { reason: 'Empty' }] } });
    const still = await decide(['--at', '2026-11-17T09:06:00Z']);
    expect(find(still.verdicts, { outcome: 'go' })).toBeUndefined();
    expect(still).not.toHaveProperty('ledger');
  });

  it('instants have seconds, and nothing is null or an empty text', () => {
    const walk = (value: unknown, path: string): void => {
      if (path.endsWith('At') || path.endsWith('nextChange')) expect(value).toMatch(utc);
      expect(value, path).not.toBeNull();
      if (!path.startsWith('.ledger')) expect(value, path).not.toBe('');
      if (typeof value === 'object')
        for (const [key, inside] of Object.entries(value as object)) walk(inside, `${path}.${key}`);
    };
    walk(round, '');
  });

  it('has the same fields in YAML', async () => {
    const { stdout } = await runInMemory([...firstLook, '-o', 'yaml']);
    expect(parse(stdout)).toEqual(round);
    expect(parse(stdout, { version: '1.1' })).toEqual(round);
  });
});

const crowded = JSON.stringify([
  { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'blue' }, spec: { template: { spec: {} } } },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { 'karpenter.sh/nodepool': 'blue', 'karpenter.sh/initialized': 'true' } },
    spec: { providerID: 'p' },
    status: { allocatable: { cpu: '1', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'c', creationTimestamp: '2026-11-16T10:00:00Z', labels: { 'karpenter.sh/nodepool': 'blue' } },
    status: {
      providerID: 'p',
      conditions: [{ type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-16T10:01:00Z' }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { nodeName: 'n', containers: [{ name: 'web', resources: { requests: { cpu: '500m' } } }] },
    status: { phase: 'Running' },
  },
]);

describe('A6: nodes that are not worth consolidating are left out', () => {
  it.each([
    { argv: [], verdicts: [] },
    { argv: ['--all'], verdicts: ['Underutilized'] },
  ])('with $argv: $verdicts', async ({ argv, verdicts }) => {
    const { stdout } = await runInMemory(['decide', '-f', '-', '-o', 'json', ...argv], { stdin: crowded });
    expect((JSON.parse(stdout) as RoundJson).verdicts.map(({ reason }) => reason)).toEqual(verdicts);
  });

  it('so that a cluster without wishes is a few lines', async () => {
    const { stdout } = await runInMemory(['decide', '-f', '-'], { stdin: crowded });
    expect(stdout.split('\n')[0]).toBe(
      '1 node in 1 pool at 2026-11-17 10:20Z, role observe: no node has a reason to be disrupted',
    );
    expect(stdout.split('\n').length).toBeLessThan(12);
  });
});

describe('a round as text', () => {
  it('fits the example on one screen', async () => {
    const { stdout } = await runInMemory(firstLook);
    await expect(stdout).toMatchFileSnapshot('./firstLook.golden.txt');
    expect(stdout.split('\n').length).toBeLessThan(52);
  });

  it('has every node with every refusal with --all', async () => {
    const { stdout } = await runInMemory([...firstLook, '--all']);
    for (const { node, refusals } of (await decide(['--all'])).verdicts) {
      expect(stdout).toContain(node);
      for (const { code } of refusals as Item[]) expect(stdout).toContain(code);
    }
  });

  it('fits terminals of any width', async () => {
    for (const width of [60, 80, 120, 200]) {
      const { stdout } = await runInMemory(firstLook, { width });
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
    }
  });

  it('has the same text with colours', async () => {
    const colored = await runInMemory(firstLook, { color: true });
    expect(colored.stdout).toContain('\x1b[32m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    expect(colored.stdout.replace(/\x1b\[\d+m/g, '')).toBe((await runInMemory(firstLook)).stdout);
  });

  it('lists faults with their position, errors first', async () => {
    const stdin =
      'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: blue}\nspec:\n  disruption:\n    budgets: [{maxUnavailable: 1}, {nodes: many}]\n';
    const { stdout } = await runInMemory(['decide', '-f', '-'], { stdin, width: 200 });
    const faults = stdout.split('\n').filter((line) => /^ {2}(error|warning|info) /.test(line));
    expect(faults[0]).toMatch(/^ {2}error +<stdin>:6: NodePool\/blue spec.disruption.budgets\[1\].nodes: "many"/);
    expect(faults.at(-1)).toMatch(/^ {2}info /);
  });

  it('escapes control characters in names', async () => {
    const evil = 'x\x1b[2J\u202e\n\u0000';
    const stdin = crowded.replaceAll('"blue"', JSON.stringify(evil)).replace('"500m"', '"9"');
    const { stdout } = await runInMemory(['decide', '-f', '-', '--all'], { stdin, color: false });
    expect(stdout).toContain('x\\x1b[2J\\u{202e}\\n\\x00');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});
