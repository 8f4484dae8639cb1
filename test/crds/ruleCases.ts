// Values that each CEL rule admits and refuses.

/** For a transition rule: the old value. */
export interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

export interface RuleCases {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const long = (length: number): string => 'a'.repeat(length);
const change = (from: unknown, to: unknown): Change => ({ from, to });
const key = 'zone';

const crons: RuleCases = {
  good: [
    '0 9 * * *',
    '* * * * *',
    '*/15 0-6 1,15 jan-mar mon-fri',
    '5/15 22-6 ? DEC,1-3 Fri-Mon',
    '59 23 31 12 7',
    '00 09 01 01 00',
    '0 0 * * 6-7',
    '*/1,30 */2 */3 */4 */5',
    '0 22 * * sat#1',
    '0 22 1,L * 6#5,SUNL,mon-wed',
    '0 22 l * 0l',
    '  0 9 * * *  ',
    '0\t9\t*\t*\t*',
    '@daily',
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@midnight',
    '@hourly',
    'TZ=Europe/Berlin 0 9 * * *',
    'CRON_TZ=Etc/GMT+3 @daily',
    // Known only at run time.
    '0 0 30 2 *',
    'TZ=Mars/Olympus 0 0 * * *',
  ],
  bad: [
    '',
    ' ',
    '*',
    '* * * *',
    '* * * * ',
    '* * * * * *',
    '0 9 * * * 2026',
    '60 * * * *',
    '-1 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 8',
    '* * * janu *',
    '* * * * monday',
    '* * * mon *',
    '*/0 * * * *',
    '1-2-3 * * * *',
    '1//2 * * * *',
    '1- * * * *',
    ', * * * *',
    '0 0 15W * *',
    '0 0 L-3 * *',
    '0 0 1-L * *',
    '0 0 * * L',
    '0 0 * * sat#6',
    '0 0 * * sat#0',
    '0 0 * * mon-fri#1',
    '0 0 * * sat#1/2',
    '0 L * * *',
    '0 0 6#1 * *',
    '@DAILY',
    '@every 1h',
    '@daily @daily',
    '@dailyXYZ',
    'TZ=Europe/Berlin',
    'TZ= 0 9 * * *',
    'tz=UTC 0 9 * * *',
    'TZ=+01:00 0 9 * * *',
    '0 9 * * *\n',
    '0 9 * * *; 0 10 * * *',
  ],
};

export const ruleCases: Readonly<Record<string, RuleCases>> = {
  'must have five fields': crons,

  'must be a duration such as 8h or 1h30m, at most 876000h': {
    good: ['0s', '1s', '90m', '8h', '1h30m', '876000h'],
    bad: ['', '8', 'h', '1d', '-1h', '+1h', '1 h', '1hr', 'Never', '876001h', '9999999999h', '2562048h'],
  },
  'must be a duration such as 8h or 1h30m, at least 1m and at most 876000h': {
    good: ['1m', '60m', '8h', '1h30m', '48h', '876000h'],
    bad: ['', '0m', '0h', '0h0m', '59s', '1d', '-20m', '8', '876001h', '99999999999999h'],
  },
  'must be a duration such as 30m or 720h, at most 876000h, or Never': {
    good: ['Never', '0s', '30s', '1h30m5s', '720h', '876000h'],
    bad: ['', 'never', 'FooNever', 'Never ', '-1s', '1hr', '1d', '15', '1.5h', '876001h', '9999999999h'],
  },

  'must be a whole number up to 2147483647': {
    good: ['0', '1', '007', '2147483647', '0%', '00%', '5%', '99%', '100%'],
    bad: ['', '2147483648', '99999999999', '-1', '+5', '1.5', '101%', '1000%', '-10%', '10.5%', '%', '5 ', 'abc'],
  },

  'must be an RFC 3339 time': {
    good: ['2026-11-15T09:00:00Z', '1970-01-01T00:00:00Z', '2026-11-15T09:00:00.5+02:00'],
    bad: ['0000-12-31T00:00:00Z', [], ['2026-11-15T09:00:00Z'], [null]],
  },

  'must be a date such as 2026-11-02': {
    // Only the run time knows that 2026 is not a leap year.
    good: ['2026-11-02', '2028-02-29', '2026-02-29', '2026-12-31'],
    bad: ['', '2026-11-31', '2026-02-30', '2026-13-01', '2026-1-1', '2026-11-02T00:00:00Z', '2026-11-02..2026-11-03'],
  },
  'must be a date such as 2026-12-24, or two': {
    // Compared only at run time.
    good: ['2026-12-24', '2026-12-25..2026-12-26', '2026-12-26..2026-12-25'],
    bad: ['', '2026-12-24..', '2026-12-24...2026-12-26', '2026-12-32', '2026-12-24,2026-12-25', '24 December'],
  },
  'must be a number of weeks': {
    good: ['1w', '2w', '10w', '52w'],
    bad: ['', '0w', '53w', '2', '14d', '02w', '-2w', '1.5w'],
  },
  "'every' and 'anchor' must be set together": {
    good: [{}, { every: '2w', anchor: '2026-11-02' }],
    bad: [{ every: '2w' }, { anchor: '2026-11-02' }],
  },

  'must be a label name such as': {
    good: [key, 'topology.kubernetes.io/zone', 'a', 'A_b-c.d', `${long(253)}/${long(63)}`, long(63), '1/1'],
    bad: [
      '',
      '/',
      '/zone',
      'zone/',
      'a/b/c',
      '-zone',
      'zone-',
      'zo ne',
      'Topology.io/zone',
      'a..b/zone',
      '.a/zone',
      `${long(254)}/zone`,
      long(64),
      'ü',
    ],
  },
  'keys must be label names': {
    good: [{}, { [key]: 'a' }, { 'topology.kubernetes.io/zone': '', b: 'c' }, { [`${long(253)}/${long(63)}`]: 'a' }],
    bad: [
      { '': 'a' },
      { [key]: 'a', 'zo ne': 'b' },
      { 'a/b/c': 'a' },
      { [`${long(254)}/a`]: 'a' },
      { [long(64)]: 'a' },
    ],
  },

  'In and NotIn need': {
    good: [
      { key, operator: 'In', values: ['a'] },
      { key, operator: 'NotIn', values: ['a', ''] },
      { key, operator: 'Exists' },
      { key, operator: 'Exists', values: [] },
    ],
    bad: [
      { key, operator: 'In' },
      { key, operator: 'In', values: [] },
      { key, operator: 'NotIn' },
      { key, operator: 'NotIn', values: [] },
    ],
  },
  'Exists and DoesNotExist must not': {
    good: [
      { key, operator: 'Exists' },
      { key, operator: 'DoesNotExist', values: [] },
      { key, operator: 'In', values: ['a'] },
    ],
    bad: [
      { key, operator: 'Exists', values: ['a'] },
      { key, operator: 'DoesNotExist', values: [''] },
    ],
  },
  'Gt, Lt, Gte and Lte need': {
    good: [
      { key, operator: 'Gt', values: ['5'] },
      { key, operator: 'Lt', values: ['0'] },
      { key, operator: 'Gte', values: ['999999999999999999'] },
      { key, operator: 'Lte', values: ['007'] },
      { key, operator: 'In', values: ['many'] },
    ],
    bad: [
      { key, operator: 'Gt' },
      { key, operator: 'Gt', values: [] },
      { key, operator: 'Gt', values: ['1', '2'] },
      { key, operator: 'Lt', values: ['-1'] },
      { key, operator: 'Lt', values: ['+1'] },
      { key, operator: 'Gte', values: ['1.5'] },
      { key, operator: 'Lte', values: ['many'] },
      { key, operator: 'Gt', values: [''] },
      { key, operator: 'Gt', values: ['9223372036854775808'] },
    ],
  },
  "'values' must have at least 'minValues'": {
    good: [
      { key, operator: 'In', values: ['a'], minValues: 1 },
      { key, operator: 'In', values: ['a'] },
      { key, operator: 'Exists', minValues: 5 },
    ],
    bad: [
      { key, operator: 'In', values: ['a'], minValues: 2 },
      { key, operator: 'In', minValues: 1 },
    ],
  },
  'kubernetes.io/hostname and karpenter.sh labels': {
    good: ['a', 'karpenter.sh/capacity-type', 'kubernetes.io/arch', 'karpenter.k8s.aws/instance-family'],
    bad: [
      'karpenter.sh/nodepool',
      'karpenter.sh/initialized',
      'sub.karpenter.sh/x',
      'karpenter.sh',
      'kubernetes.io/hostname',
    ],
  },

  "set both 'schedule' and 'duration'": {
    good: [{ nodes: '1' }, { nodes: '1', schedule: '@daily', duration: '1h' }],
    bad: [
      { nodes: '1', schedule: '@daily' },
      { nodes: '1', duration: '1h' },
    ],
  },
  'schedule comes with duration': {
    good: [[], [{ nodes: '1' }], [{ schedule: '@daily', duration: '1h' }]],
    bad: [[{ schedule: '@daily' }], [{ nodes: '1' }, { duration: '1h' }]],
  },
  "'sequential' requires 'topologyKey'": {
    good: [
      {},
      { sequential: false },
      { topologyKey: key },
      { sequential: true, topologyKey: key },
      { sequential: false, topologyKey: key },
    ],
    bad: [{ sequential: true }, { sequential: true, nodes: '1' }],
  },
  "'driftAfter' requires the reason Drifted": {
    good: [{}, { reasons: ['Empty'] }, { reasons: ['Empty', 'Drifted'], driftAfter: '72h' }],
    bad: [{ driftAfter: '72h' }, { reasons: ['Empty'], driftAfter: '72h' }],
  },
  "'driftAfter' cannot be combined with 'schedule'": {
    good: [
      {},
      { reasons: ['Drifted'], driftAfter: '72h' },
      { reasons: ['Drifted'], schedule: '@daily', duration: '1h' },
    ],
    bad: [{ reasons: ['Drifted'], driftAfter: '72h', schedule: '@daily', duration: '1h' }],
  },
  "'per' cannot be combined with": {
    good: [{}, { per: '24h' }, { per: '24h', schedule: '@daily', duration: '1h' }, { topologyKey: key }],
    bad: [
      { per: '24h', topologyKey: key },
      { per: '24h', settle: '1m' },
      { per: '24h', reasons: ['Drifted'], driftAfter: '72h' },
    ],
  },
  'must be a duration such as 1h or 24h': {
    good: ['1m', '24h', '720h', '1h30m'],
    bad: ['', '59s', '721h', 'opening', '1d', '24'],
  },
  'must be opening, or a duration': {
    good: ['opening', '1m', '720h'],
    bad: ['', 'Opening', '59s', '721h', 'openings'],
  },
  "'per' requires 'nodes'": {
    good: [{}, { nodes: '0' }, { nodes: '5', per: '24h' }, { nodes: '10%', per: '24h' }],
    bad: [{ per: '24h' }, { nodes: '0', per: '24h' }, { nodes: '0%', per: '24h' }],
  },
  "'per: opening' requires 'schedules'": {
    good: [
      { nodes: '5', per: '24h' },
      { nodes: '5', per: 'opening', schedules: [{ cron: '@daily', duration: '1h' }] },
    ],
    bad: [
      { nodes: '5', per: 'opening' },
      { nodes: '5', per: 'opening', schedules: [] },
    ],
  },
  "'waves' requires the reason Drifted": {
    good: [{}, { reasons: ['Empty', 'Drifted'] }, { reasons: ['Drifted'], waves: ['1'] }],
    bad: [{ waves: ['1'] }, { reasons: ['Empty'], waves: ['1'] }, { reasons: ['Drifted', 'Empty'], waves: ['1'] }],
  },
  "'waves' cannot be combined with 'schedule'": {
    good: [{}, { reasons: ['Drifted'], waves: ['1'] }, { reasons: ['Drifted'], schedule: '@daily', duration: '1h' }],
    bad: [{ reasons: ['Drifted'], waves: ['1'], schedule: '@daily', duration: '1h' }],
  },
  "'haltAfter' requires the reason Drifted": {
    good: [{}, { reasons: ['Empty'] }, { reasons: ['Empty', 'Drifted'], haltAfter: 0 }],
    bad: [{ haltAfter: 3 }, { reasons: ['Empty'], haltAfter: 3 }],
  },
  "'haltAfter' cannot be combined with 'schedule'": {
    good: [{}, { reasons: ['Drifted'], haltAfter: 3 }, { reasons: ['Drifted'], schedule: '@daily', duration: '1h' }],
    bad: [{ reasons: ['Drifted'], haltAfter: 3, schedule: '@daily', duration: '1h' }],
  },
  'must have at least one wave': { good: [['1']], bad: [[]] },
  'must be a whole number from 1': {
    good: ['1', '2147483647', '1%', '100%'],
    bad: ['', '0', '0%', '01', '101%', '2147483648', '-1', 'few'],
  },
  'each wave must be larger': {
    good: [['1'], ['1', '2', '10'], ['9', '10'], ['1', '10%', '50%', '100%'], ['50%', '3']],
    bad: [
      ['1', '1'],
      ['2', '1'],
      ['10', '9'],
      ['50%', '10%'],
      ['100%', '50%'],
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '9'],
    ],
  },
  "'notAfter' must be later": {
    good: [
      {},
      { notBefore: '2026-11-15T09:00:00Z' },
      { notAfter: '2026-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T09:00:01Z' },
      // An hour later, although the text sorts before it.
      { notBefore: '2026-11-15T09:00:00+02:00', notAfter: '2026-11-15T08:00:00Z' },
    ],
    bad: [
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2025-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T10:00:00+02:00' },
    ],
  },

  'must be at least 5s and at most 1h': {
    good: ['5s', '30s', '1h', '60m'],
    bad: ['0s', '4s', '4999ms', '61m', '24h'],
  },
  'must be an http or https URL': {
    good: ['http://web.shop', 'https://prometheus.example.com:9090/base?tenant=a', 'http://[::1]:9090/'],
    bad: ['', 'web.shop', 'ftp://web.shop', 'https://ann:secret@web.shop', 'https://', 'https://web shop', 'HTTP//x'],
  },
  "set exactly one of 'prometheus', 'alerts', 'http', 'object', 'manual'": {
    good: [{ manual: { healthy: true } }, { http: { url: 'http://web.shop' } }],
    bad: [{}, { manual: { healthy: true }, http: { url: 'http://web.shop' } }],
  },
  "set either 'name' or 'selector'": {
    good: [{ name: 'a' }, { selector: {} }],
    bad: [{}, { name: 'a', selector: {} }],
  },
  "set either 'condition' or 'cel'": {
    good: [{ cel: 'true' }, { condition: { type: 'Ready', status: 'True' } }],
    bad: [{}, { cel: 'true', condition: { type: 'Ready', status: 'True' } }],
  },
  "'approval' cannot be combined with mode Allow or with 'nodes'": {
    good: [
      {},
      { approval: true },
      { approval: true, mode: 'Block', nodes: '0' },
      { approval: false, mode: 'Allow', nodes: '2' },
      { mode: 'Allow', nodes: '2' },
    ],
    bad: [
      { approval: true, mode: 'Allow' },
      { approval: true, nodes: '2' },
      { approval: true, mode: 'Block', nodes: '10%' },
    ],
  },

  'a cluster has one ledger': {
    good: [{ metadata: { name: 'lull' } }],
    bad: [{ metadata: { name: 'mine' } }, { metadata: { name: 'Lull' } }],
  },

  "'replicas' cannot be added or removed": {
    good: [change({ replicas: 3 }, { replicas: 5 }), change({}, { weight: 3 })],
    bad: [change({ replicas: 3 }, {}), change({}, { replicas: 0 })],
  },
  "a pool with 'replicas' may limit only": {
    good: [
      { limits: { cpu: '1' } },
      { replicas: 1 },
      { replicas: 1, limits: {} },
      { replicas: 1, limits: { nodes: '10' } },
    ],
    bad: [
      { replicas: 1, limits: { cpu: '1' } },
      { replicas: 0, limits: { nodes: 10, cpu: 1 } },
    ],
  },
  "a pool with 'replicas' must not have 'weight'": {
    good: [{ weight: 1 }, { replicas: 1 }],
    bad: [{ replicas: 0, weight: 1 }],
  },
  "'group' is immutable": {
    good: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'A', name: 'b' })],
    bad: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'b', kind: 'A', name: 'a' })],
  },
  "'kind' is immutable": {
    good: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'A', name: 'b' })],
    bad: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'B', name: 'a' })],
  },
};
