// Tests of settings from defaults, file, --set and catalogue.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};

async function settings(...argv: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runInMemory(['settings', ...argv, '-o', 'json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, unknown>;
}

const types = '[{"name":"m5","cpu":"4","offerings":[{"zone":"a","capacityType":"spot","price":0.1}]}]';

describe('M: lull settings', () => {
  it('prints every default', async () => {
    expect(await settings()).toEqual({
      role: 'observe',
      pools: 'all',
      defaultBudgets: 'fallback',
      endingMachines: 'count',
      expiration: 'graceful',
      expireLead: 'auto',
      drift: 'claims',
      repairAfter: '30m',
      repairBreaker: '20%',
      windowMargin: '0s',
      consolidationPause: '15s',
      replacementTimeout: '10m',
      replacementSlow: '2m',
      drainTimeout: '1h',
      offerTimeout: '2m',
      offerTimeoutUnderutilized: '6m',
      minimumSavings: '0%',
      podMoveCost: 0,
      spotToSpot: false,
      catalogue: [],
      karpenterMetrics: 'auto',
      withhold: '',
    });
  });

  it('--set overrides the file and earlier --set, and the file overrides the defaults', async () => {
    const file = write('lull.yaml', 'role: guide\nwindowMargin: 10m\n');
    expect(await settings('--settings', file)).toMatchObject({ role: 'guide', windowMargin: '10m', drift: 'claims' });
    const argv = ['--set', 'role=drive', '--set', 'drift=computed', '--set', 'role=observe'];
    expect(await settings('--settings', file, ...argv)).toMatchObject({
      role: 'observe',
      windowMargin: '10m',
      drift: 'computed',
    });
    expect(await settings('--settings', write('lull.json', '{"role": "drive"}'))).toMatchObject({ role: 'drive' });
    expect(await settings('--settings', write('none.yaml', '# nothing yet\n'))).toMatchObject({ role: 'observe' });
  });

  it('a catalogue may be a file, relative to the settings file or to the working directory', async () => {
    const file = write('types.json', types);
    const beside = write('beside.yaml', 'catalogue: types.json\n');
    for (const argv of [
      ['--settings', beside],
      ['--set', `catalogue=${file}`],
      ['--settings', beside, '--set', `catalogue=${file}`],
    ]) {
      expect((await settings(...argv)).catalogue).toMatchObject([{ name: 'm5', cpu: '4000m' }]);
    }
  });

  it('F5: or the output of /metrics of Karpenter, equivalent to a list', async () => {
    const metrics = `# HELP karpenter_cloudprovider_instance_type_cpu_cores VCPUs cores for a given instance type.
karpenter_cloudprovider_instance_type_cpu_cores{instance_type="m5.large"} 2
karpenter_cloudprovider_instance_type_memory_bytes{instance_type="m5.large"} 8.589934592e+09
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.large",zone="a"} 0.04
`;
    const read = await settings('--set', `catalogue=${write('prices.txt', metrics)}`);
    expect(read.catalogue).toMatchObject([
      { name: 'm5.large', cpu: '1910m', pods: '14', estimated: true, offerings: [{ zone: 'a', price: 0.04 }] },
    ]);
    const again = await settings('--set', `catalogue=${write('again.json', JSON.stringify(read.catalogue))}`);
    expect(again.catalogue).toEqual(read.catalogue);
  });

  it.each(['auto', 'off', 'http://karpenter.kube-system.svc:8080/metrics'])(
    'karpenterMetrics may be %s',
    async (where) => {
      expect((await settings('--set', `karpenterMetrics=${where}`)).karpenterMetrics).toBe(where);
      const file = write('metrics.yaml', `karpenterMetrics: ${where}\n`);
      expect((await settings('--settings', file)).karpenterMetrics).toBe(where);
    },
  );

  it.each([
    {
      name: 'no place for metrics',
      text: 'karpenterMetrics: maybe\n',
      says: ':1: Settings karpenterMetrics: "maybe" is not a valid metrics address: use auto, off, or a URL',
    },
    {
      name: 'a bad value',
      text: 'role: guide\nwindowMargin: soon\n',
      says: ':2: Settings windowMargin: "soon" is not a valid duration: use',
    },
    {
      name: 'an unknown key',
      text: 'rolle: guide\n',
      says: ':1: Settings rolle: Unknown setting rolle. Did you mean role? Known settings: role,',
    },
    { name: 'no map', text: '- role\n', says: ':1: Settings: Settings must be a map.' },
    { name: 'broken YAML', text: 'role: [\n', says: ':2: ' },
    {
      name: 'two documents',
      text: 'role: guide\n---\nrole: drive\n',
      says: ':3: More than one document in this file.',
    },
  ])('L7: $name in the file is reported with its position', async ({ text, says }) => {
    const file = write('wrong.yaml', text);
    const { status, stdout, stderr } = await runInMemory(['settings', '--settings', file]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`${file}${says}`);
  });

  it('L7: errors of a catalogue have positions in its own file', async () => {
    const file = write('bad.json', types.replace('0.1', '"cheap"'));
    const { stderr } = await runInMemory(['settings', '--set', `catalogue=${file}`]);
    expect(stderr).toContain(`${file}:1: Settings catalogue[0].offerings[0].price: "cheap" is not a valid price:`);
    expect((await runInMemory(['settings', '--set', 'catalogue=/nope'])).stderr).toBe(
      '/nope: No such file or folder.\n',
    );
  });

  it('marks settings that differ from their defaults', async () => {
    const { stdout } = await runInMemory(['settings', '--set', 'role=guide']);
    expect(stdout).toMatch(/^role +guide {2}\(default observe\)$/m);
    expect(stdout).toMatch(/^catalogue +none$/m);
  });
});
