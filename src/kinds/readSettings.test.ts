import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../cluster/settings.ts';
import { hour, minute } from '../time/instant.ts';
import { formatSettings, readSettings } from './readSettings.ts';

const small = {
  name: 'small',
  cpu: '2',
  memory: '8Gi',
  pods: '110',
  offerings: [{ zone: 'a', capacityType: 'spot', price: 0.04, available: true }],
};

describe('M: settings', () => {
  it('a password in the address of metrics is an error that does not repeat it', () => {
    const { settings, faults } = readSettings({ karpenterMetrics: 'http://me:hunter2@karpenter:8080/metrics' });
    expect(faults.map(({ path, severity }) => [path, severity])).toEqual([['karpenterMetrics', 'error']]);
    expect(JSON.stringify([settings, faults])).not.toContain('hunter2');
  });

  it.each([{ file: undefined }, { file: null }, { file: {} }])('$file is all defaults', ({ file }) => {
    expect(readSettings(file)).toEqual({ settings: defaultSettings, faults: [] });
  });

  it.each([
    { file: { role: 'guide' }, want: { role: 'guide' } },
    { file: { defaultBudgets: 'ceiling' }, want: { defaultBudgets: 'ceiling' } },
    { file: { expiration: 'forceful' }, want: { expiration: 'forceful' } },
    { file: { expireLead: 'auto' }, want: { expireLead: 'auto' } },
    { file: { expireLead: '48h' }, want: { expireLead: 48 * hour } },
    { file: { drift: 'computed' }, want: { drift: 'computed' } },
    { file: { repairAfter: '1h30m' }, want: { repairAfter: 90 * minute } },
    { file: { repairBreaker: '33%' }, want: { repairBreaker: { percent: 33 } } },
    { file: { repairBreaker: 3 }, want: { repairBreaker: { count: 3 } } },
    { file: { minimumSavings: '5%' }, want: { minimumSavings: 5 } },
    { file: { minimumSavings: 2.5 }, want: { minimumSavings: 2.5 } },
    { file: { podMoveCost: 0.002 }, want: { podMoveCost: 0.002 } },
    { file: { podMoveCost: '0.002' }, want: { podMoveCost: 0.002 } },
    { file: { spotToSpot: true }, want: { spotToSpot: true } },
    { file: { spotToSpot: 'true' }, want: { spotToSpot: true } },
    { file: { offerTimeoutUnderutilized: '7m' }, want: { offerTimeoutUnderutilized: 7 * minute } },
    { file: { pools: 'all' }, want: {} },
    {
      file: { pools: { matchLabels: { team: 'a' } } },
      want: { pools: { requirements: [{ key: 'team', operator: 'In', values: ['a'] }] } },
    },
    {
      file: { catalogue: [small] },
      want: {
        catalogue: [
          { name: 'small', allocatable: { cpu: 2000, memory: 8 * 2 ** 30, pods: 110 }, offerings: small.offerings },
        ],
      },
    },
  ])('$file', ({ file, want }) => {
    expect(readSettings(file)).toEqual({ settings: { ...defaultSettings, ...want }, faults: [] });
  });

  it('pairs take precedence over the file', () => {
    const { settings, faults } = readSettings({ role: 'guide', drift: 'computed' }, [
      'role=drive',
      'repairBreaker=2',
      'pools=team=a',
    ]);
    expect(faults).toEqual([]);
    expect(settings).toMatchObject({ role: 'drive', drift: 'computed', repairBreaker: { count: 2 } });
    expect(settings.pools).toEqual({ requirements: [{ key: 'team', operator: 'In', values: ['a'] }] });
  });

  it.each([
    {
      text: 'team=a,env!=prod',
      want: [
        { key: 'team', operator: 'In', values: ['a'] },
        { key: 'env', operator: 'NotIn', values: ['prod'] },
      ],
    },
    {
      text: 'tier in (web, api), !old , gpu',
      want: [
        { key: 'tier', operator: 'In', values: ['web', 'api'] },
        { key: 'old', operator: 'DoesNotExist', values: [] },
        { key: 'gpu', operator: 'Exists', values: [] },
      ],
    },
    { text: 'a.b/c == d', want: [{ key: 'a.b/c', operator: 'In', values: ['d'] }] },
    { text: 'tier notin (web,api)', want: [{ key: 'tier', operator: 'NotIn', values: ['web', 'api'] }] },
  ])('pools $text', ({ text, want }) => {
    expect(readSettings({ pools: text }).settings.pools).toEqual({ requirements: want });
  });

  it.each([
    { file: { role: 'boss' }, path: 'role', say: 'use observe, guide or drive.' },
    { file: { role: 5 }, path: 'role', say: 'use observe' },
    { file: { repairAfter: 'soon' }, path: 'repairAfter', say: 'Go duration' },
    { file: { repairAfter: 30 }, path: 'repairAfter', say: 'Go duration' },
    { file: { windowMargin: '-1m' }, path: 'windowMargin', say: 'Go duration' },
    { file: { expireLead: 'early' }, path: 'expireLead', say: 'or auto.' },
    { file: { repairBreaker: '120%' }, path: 'repairBreaker', say: '100%' },
    { file: { minimumSavings: '120%' }, path: 'minimumSavings', say: '100%' },
    { file: { podMoveCost: -1 }, path: 'podMoveCost', say: 'at least 0' },
    { file: { spotToSpot: 'yes' }, path: 'spotToSpot', say: 'true or false' },
    { file: { pools: 'a=b=c d' }, path: 'pools', say: 'team=a' },
    { file: { pools: 'a b' }, path: 'pools', say: 'team=a' },
    { file: { pools: 'a,,b' }, path: 'pools', say: 'team=a' },
    { file: { pools: 5 }, path: 'pools', say: 'map' },
    { file: { Role: 'guide' }, path: 'Role', say: 'Did you mean role?' },
    { file: { colour: 'red' }, path: 'colour', say: 'Known settings: role, pools' },
    { file: { catalogue: 'prices.json' }, path: 'catalogue', say: 'write a list' },
    { file: { catalogue: [{ ...small, cpu: 'lots' }] }, path: 'catalogue[0].cpu', say: '16Gi' },
    {
      file: { catalogue: [{ ...small, offerings: [{ zone: 'a', capacityType: 'spot', price: 'dear' }] }] },
      path: 'catalogue[0].offerings[0].price',
      say: 'at least 0',
    },
  ])('$file is a fault, and the default stays', ({ file, path, say }) => {
    const { settings, faults } = readSettings(file);
    expect(faults).toMatchObject([{ object: 'Settings', path, severity: 'error' }]);
    expect(faults[0]?.message).toContain(say);
    if (!path.startsWith('catalogue[')) expect(settings).toEqual(defaultSettings);
  });

  it('a file that is not a map is a fault', () => {
    expect(readSettings(['role']).faults).toMatchObject([{ path: '', severity: 'error' }]);
  });

  it.each(['role', '=guide'])('the pair %s sets nothing', (pair) => {
    expect(readSettings({}, [pair]).faults).toMatchObject([
      { value: pair, message: expect.stringContaining('key=value') },
    ]);
  });

  it('only faults of values in the file have a position', () => {
    const position = { file: 's.yaml', line: 1, column: 1 };
    const { faults } = readSettings({ role: 'x' }, ['drift=x'], () => position);
    expect(faults.map((fault) => fault.position)).toEqual([position, undefined]);
  });

  it('are written as they would be read', () => {
    const given = {
      role: 'guide',
      pools: 'team=a,tier in (web,api),!old,gpu',
      repairBreaker: '3',
      expireLead: '48h',
      catalogue: [small],
    };
    const { settings } = readSettings(given);
    const written = formatSettings(settings);
    expect(written).toMatchObject({
      role: 'guide',
      pools: given.pools,
      repairBreaker: '3',
      expireLead: '48h',
      repairAfter: '30m',
      offerTimeout: '2m',
    });
    expect(readSettings(written)).toEqual({ settings, faults: [] });
    expect(readSettings(formatSettings(defaultSettings))).toEqual({ settings: defaultSettings, faults: [] });
  });
});
