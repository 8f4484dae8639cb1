// Which values does each rule in CEL admit, and which does it refuse? By the rule's own words; the cases hold wherever the rule stands.

/** For a rule about a change: what was there before. */
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
    // Only the run time knows.
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
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * 1#2',
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

  'must be an instant of RFC 3339': {
    good: ['2026-11-15T09:00:00Z', '1970-01-01T00:00:00Z', '2026-11-15T09:00:00.5+02:00'],
    bad: ['0000-12-31T00:00:00Z', [], ['2026-11-15T09:00:00Z'], [null]],
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
  'must have label names': {
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
  'Exists and DoesNotExist take': {
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
  "'minValues' needs": {
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
  'kubernetes.io/hostname and the labels of karpenter.sh': {
    good: ['a', 'karpenter.sh/capacity-type', 'kubernetes.io/arch', 'karpenter.k8s.aws/instance-family'],
    bad: [
      'karpenter.sh/nodepool',
      'karpenter.sh/initialized',
      'sub.karpenter.sh/x',
      'karpenter.sh',
      'kubernetes.io/hostname',
    ],
  },

  "'schedule' and 'duration' are given together": {
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
  "'notAfter' must be later": {
    good: [
      {},
      { notBefore: '2026-11-15T09:00:00Z' },
      { notAfter: '2026-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T09:00:01Z' },
      // An hour later, for all that the text sorts before it.
      { notBefore: '2026-11-15T09:00:00+02:00', notAfter: '2026-11-15T08:00:00Z' },
    ],
    bad: [
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2025-11-15T09:00:00Z' },
      { notBefore: '2026-11-15T09:00:00Z', notAfter: '2026-11-15T10:00:00+02:00' },
    ],
  },

  'there is one ledger': {
    good: [{ metadata: { name: 'lull' } }],
    bad: [{ metadata: { name: 'mine' } }, { metadata: { name: 'Lull' } }],
  },

  "'replicas' can be neither added nor removed": {
    good: [change({ replicas: 3 }, { replicas: 5 }), change({}, { weight: 3 })],
    bad: [change({ replicas: 3 }, {}), change({}, { replicas: 0 })],
  },
  "a pool with 'replicas' has no limits": {
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
  "a pool with 'replicas' has no 'weight'": {
    good: [{ weight: 1 }, { replicas: 1 }],
    bad: [{ replicas: 0, weight: 1 }],
  },
  "'group' cannot be changed": {
    good: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'A', name: 'b' })],
    bad: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'b', kind: 'A', name: 'a' })],
  },
  "'kind' cannot be changed": {
    good: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'A', name: 'b' })],
    bad: [change({ group: 'a', kind: 'A', name: 'a' }, { group: 'a', kind: 'B', name: 'a' })],
  },
};
