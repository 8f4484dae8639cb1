// Objects that are sound in form and absurd in size or in value, each with what has to be said of it.
// Past 300 lines: one list, so that every command is tested with all of it.
import type { Json } from './json.ts';
import { budgeted, command, drifted, ledger, many, pdb, pod, podSchedule, pool, scheduled, window } from './objects.ts';
import type { Saying } from './says.ts';

export interface Extreme {
  readonly name: string;
  readonly objects: readonly Json[];
  /** Every error and warning that must be reported; empty = none. */
  readonly says: readonly Saying[];
}

const budgets = 'spec.disruption.budgets';
const annotated = 'metadata.annotations[lull.dev/budgets]';
const nodes = [...drifted('n1'), ...drifted('n2')];
const cron = (minutes: number): string => `${minutes % 60} ${Math.floor(minutes / 60) % 24} * * *`;
const text = (length: number): string => 'x'.repeat(length);

export const extremes: readonly Extreme[] = [
  // C1: at most 50 budgets.
  { name: '50 budgets', objects: [budgeted(...many(50, () => ({ nodes: '1' }))), ...nodes], says: [] },
  {
    name: '51 budgets',
    objects: [budgeted(...many(51, () => ({ nodes: '1' }))), ...nodes],
    says: [{ object: 'NodePool/p', path: budgets, message: /^There are 51 budgets\. Use at most 50/ }],
  },
  {
    name: '10,000 budgets',
    objects: [budgeted(...many(1e4, (i) => ({ nodes: '1', schedule: cron(i), duration: '1h' }))), ...nodes],
    says: [{ object: 'NodePool/p', path: budgets, message: /^There are 10000 budgets/ }],
  },
  {
    name: '100,000 invalid budgets',
    objects: [budgeted(...many(1e5, () => 5)), ...nodes],
    says: [
      { path: `${budgets}[0]`, message: /^5 is not a valid map/ },
      { path: `${budgets}[998]`, message: /^5 is not a valid map/ },
      { path: '', message: /may have more than the 1000 faults/ },
    ],
  },
  {
    name: '100,000 invalid reasons',
    objects: [budgeted({ nodes: '1', reasons: many(1e5, (i) => `r${i}`) }), ...nodes],
    says: [{ path: `${budgets}[0].reasons[0]`, message: /^"r0" is not a disruption reason/ }],
  },
  {
    name: '10,000 budgets in the annotation',
    objects: [pool({}, { 'lull.dev/budgets': '- {nodes: "1"}\n'.repeat(1e4) }), ...nodes],
    says: [{ object: 'NodePool/p', path: annotated, message: /^There are 10000 budgets/ }],
  },
  {
    name: 'an alias bomb in the annotation',
    objects: [
      pool({}, { 'lull.dev/budgets': ['- &l0 [lol]', ...many(40, (i) => `- &l${i + 1} [*l${i}, *l${i}]`)].join('\n') }),
      ...nodes,
    ],
    says: [{ path: annotated, message: /cannot be read.*more than 10 times its size.*Write a YAML or JSON list/ }],
  },
  {
    name: 'a cycle in the annotation',
    objects: [pool({}, { 'lull.dev/budgets': '&a [*a]' }), ...nodes],
    says: [{ path: annotated, message: /&a contains itself/ }],
  },
  {
    name: '256 KB of brackets in the annotation',
    objects: [pool({}, { 'lull.dev/budgets': '['.repeat(262_144) }), ...nodes],
    says: [{ path: annotated, message: /cannot be read/ }],
  },
  {
    name: '256 KB of text in the annotation',
    objects: [pool({}, { 'lull.dev/budgets': text(262_144) }), ...nodes],
    says: [{ path: annotated, message: /must be exactly one list/ }],
  },
  {
    name: 'a key twice in the annotation',
    objects: [pool({}, { 'lull.dev/budgets': '[{"nodes": "1", "nodes": "2"}]' }), ...nodes],
    says: [{ path: annotated, message: /Duplicate key "nodes"/ }],
  },

  // Numbers.
  {
    name: 'a count beyond 32 bits',
    objects: [budgeted({ nodes: '2147483648' }), ...nodes],
    says: [{ path: `${budgets}[0].nodes`, message: /"2147483648" is not a valid number of nodes/ }],
  },
  {
    name: 'a count of 400 digits',
    objects: [budgeted({ nodes: '9'.repeat(400) }), ...nodes],
    says: [{ path: `${budgets}[0].nodes`, message: /^"9{59}… is not a valid number of nodes/ }],
  },
  {
    name: 'a weight of 1e308',
    objects: [pool({ weight: 1e308 }), ...nodes],
    says: [{ path: 'spec.weight', message: /^1e\+308 is not a valid number/ }],
  },
  {
    name: 'quantities out of range, which are capped, and one named like an inherited property',
    objects: [pool({ limits: { cpu: '1e400', memory: '9'.repeat(400), constructor: '1' } }), ...nodes],
    says: [{ path: 'spec.limits.constructor', message: /is not a valid quantity/ }],
  },
  {
    name: 'a grace period of 1e308 seconds',
    objects: [
      pool(),
      {
        ...(nodes[0] as Json),
        metadata: { name: 'n1', deletionTimestamp: '2026-11-17T00:00:00Z', deletionGracePeriodSeconds: 1e308 },
      },
    ],
    says: [{ object: 'Node/n1', path: 'metadata.deletionGracePeriodSeconds', message: /not a valid number/ }],
  },

  // Instants and durations.
  ...[
    '+275760-09-13T00:00:01Z',
    '-000001-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-11-17',
    'soon',
    text(1e6),
  ].map((notBefore) => ({
    name: `a date such as ${notBefore.slice(0, 30)}`,
    objects: [pool(), ...nodes, window({ notBefore })],
    says: [{ object: 'MaintenanceWindow/w', path: 'spec.notBefore', message: /is not a valid time: use RFC 3339/ }],
  })),
  {
    name: 'the years 0 and 9999',
    objects: [pool(), ...nodes, window({ notBefore: '0000-01-01T00:00:00Z', notAfter: '9999-12-31T23:59:59Z' })],
    says: [],
  },
  ...['2562047h48m', `${'9'.repeat(1e6)}h`, '1y', '-8h', 'PT8H', ''].map((duration) => ({
    name: `a duration such as ${duration.slice(0, 20)}`,
    objects: [pool(), ...nodes, scheduled({ duration })],
    says: [
      {
        object: 'MaintenanceWindow/w',
        path: 'spec.schedules[0].duration',
        message: /is not a valid duration|is too short/,
      },
    ],
  })),
  {
    name: "Go's longest duration",
    objects: [pool(), ...nodes, scheduled({ duration: '2562047h47m16.854775807s' })],
    says: [],
  },

  // Schedules.
  {
    name: 'a cron of 1 MB',
    objects: [pool(), ...nodes, scheduled({ cron: `${'7,'.repeat(5e5)}7 * * * *` })],
    says: [
      { path: 'spec.schedules[0].cron', message: /is not a valid schedule: it has 1000009 characters, more than 500/ },
    ],
  },
  {
    name: 'a cron of 1 MB of stars',
    objects: [pool(), ...nodes, scheduled({ cron: '* '.repeat(5e5) })],
    says: [{ path: 'spec.schedules[0].cron', message: /is not a valid schedule/ }],
  },
  {
    name: 'a cron of 1 MB on a pod',
    objects: [pool(), ...nodes, pod({ 'karpenter.sh/disruption-schedule': '0,'.repeat(5e5) })],
    says: [
      {
        object: 'Pod/shop/web',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message: /is not a valid schedule and is ignored/,
      },
    ],
  },
  {
    name: 'a time zone of 1 MB',
    objects: [pool(), ...nodes, scheduled({ timeZone: `Europe/${text(1e6)}` })],
    says: [{ path: 'spec.schedules[0].timeZone', message: /^"Europe\/x+… is not a valid time zone/ }],
  },
  {
    name: '10,000 schedules',
    objects: [pool(), ...nodes, window({ schedules: many(1e4, (i) => ({ cron: cron(i), duration: '1m' })) })],
    says: [
      {
        object: 'MaintenanceWindow/w',
        path: 'spec.schedules',
        message: /^There are 10000 schedules\. Use at most 50/,
      },
    ],
  },
  ...['UTC', 'Europe/Berlin'].map((timeZone) => ({
    name: `48 schedules that touch each other, ${timeZone}`,
    objects: [
      pool(),
      ...nodes,
      window({ schedules: many(48, (i) => ({ cron: cron(i * 30), duration: '30m', timeZone })) }),
    ],
    says: [],
  })),
  {
    name: '2,000 windows and 2,000 pod schedules',
    objects: [
      pool(),
      ...nodes,
      ...many(2000, (i) => window({ schedules: [{ cron: cron(i), duration: '8h' }] }, `w${i}`)),
      ...many(2000, (i) => podSchedule({ selector: { matchLabels: { app: `a${i}` } } }, `s${i}`)),
    ],
    says: [],
  },
  {
    name: '2,000 pools',
    objects: [pool(), ...nodes, ...many(2000, (i) => ({ ...pool(), metadata: { name: `p${i}` } }))],
    says: [],
  },
  {
    name: '2,000 PDBs after 2,000 pods',
    objects: [
      pool(),
      ...nodes,
      ...many(2000, (i) => pod({}, `web-${i}`)),
      ...many(2000, (i) => ({
        ...pdb({ selector: { matchLabels: { app: `a${i}` } } }),
        metadata: { name: `pdb-${i}`, namespace: 'shop' },
      })),
    ],
    says: [],
  },
  {
    name: '1,000 expressions on a pod',
    objects: [
      pool(),
      ...nodes,
      pod({
        'karpenter.sh/disruption-schedule': many(1000, cron).join(';'),
        'karpenter.sh/disruption-schedule-duration': '1m',
      }),
    ],
    says: [
      {
        object: 'Pod/shop/web',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message: /^There are 1000 schedules; only the first 50 count/,
      },
    ],
  },
  {
    name: '256 KB of semicolons on a pod',
    objects: [pool(), ...nodes, pod({ 'karpenter.sh/disruption-schedule': ';'.repeat(262_144) })],
    says: [{ object: 'Pod/shop/web', message: /This schedule is empty/ }],
  },
  {
    name: '100,000 reasons on a pod',
    objects: [
      pool(),
      ...nodes,
      pod({
        'karpenter.sh/do-not-disrupt': 'true',
        'karpenter.sh/do-not-disrupt-reasons': many(1e5, (i) => `r${i}`).join(),
      }),
    ],
    says: [
      {
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt-reasons]',
        message: /^"r0", .* and 99990 more are not disruption reasons/,
      },
    ],
  },
  {
    name: 'a lifetime of 100,000 digits',
    objects: [
      {
        apiVersion: 'karpenter.sh/v1alpha5',
        kind: 'Provisioner',
        metadata: { name: 'p' },
        spec: { ttlAfterCreated: '1'.repeat(1e5) },
      },
      ...nodes,
    ],
    says: [{ object: 'Provisioner/p', path: 'spec.ttlAfterCreated', message: /is not a valid duration/ }],
  },

  // Selectors and labels.
  {
    name: '10,000 expressions',
    objects: [
      pool(),
      ...nodes,
      window({ selector: { matchExpressions: many(1e4, (i) => ({ key: `k${i}`, operator: 'DoesNotExist' })) } }),
    ],
    says: [],
  },
  {
    name: '100,000 invalid expressions',
    objects: [
      pool(),
      ...nodes,
      pdb({ selector: { matchExpressions: many(1e5, () => ({ key: 'a', operator: 'Like' })) } }),
    ],
    says: [
      {
        object: 'PodDisruptionBudget/shop/web',
        path: 'spec.selector.matchExpressions[0].operator',
        message: /"Like" is not a valid operator/,
      },
    ],
  },
  {
    name: '100,000 labels',
    objects: [pool(), ...drifted('n1', Object.fromEntries(many(1e5, (i) => [`l${i}`, 'v'])))],
    says: [],
  },
  {
    name: '100,000 invalid labels',
    objects: [pool(), ...drifted('n1', Object.fromEntries(many(1e5, (i) => [`l${i}`, i])))],
    says: [{ object: 'Node/n1', path: 'metadata.labels.l0', message: /^0 is not a valid string: put it in quotes/ }],
  },
  {
    name: 'a label of 1 MB that 500 nodes have to wait for',
    objects: [
      budgeted({ nodes: '1', reasons: ['Drifted'], topologyKey: 'zone', sequential: true }),
      ...drifted('n0', { zone: text(1e6) }),
      ...many(500, (i) => drifted(`n${i + 1}`, { zone: 'b' })).flat(),
    ],
    says: [
      {
        object: 'Node/n0',
        path: 'metadata.labels.zone',
        message: /has 1000000 characters and is cut\. Use at most 63/,
      },
    ],
  },
  {
    name: 'a note of 1 MB shown with 500 nodes',
    objects: [pool(), ...many(500, (i) => drifted(`n${i}`)).flat(), window({ note: text(1e6) })],
    says: [
      {
        object: 'MaintenanceWindow/w',
        path: 'spec.note',
        message: /has 1000000 characters and is cut\. Use at most 1024/,
      },
    ],
  },
  {
    name: 'labels named like inherited properties',
    objects: [
      pool(),
      ...drifted('n1', JSON.parse('{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}')),
      window({ selector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] } }),
    ],
    says: [],
  },
  {
    name: 'domains named like inherited properties',
    objects: [
      budgeted({ nodes: '1', reasons: ['Drifted'], topologyKey: 'constructor', sequential: true }),
      ...drifted('n1'),
      ...drifted('n2', { constructor: 'b' }),
    ],
    says: [],
  },

  // Names.
  { name: 'a name of 253 characters', objects: [pool(), ...drifted(text(253))], says: [] },
  {
    name: 'a name of 254 characters',
    objects: [pool(), ...drifted(text(254))],
    says: [{ path: 'metadata.name', message: /has 254 characters and is cut\. Use at most 253/ }],
  },
  {
    name: 'a name of 10 MB',
    objects: [pool(), ...drifted(text(1e7))],
    says: [{ path: 'metadata.name', message: /has 10000000 characters/ }],
  },
  {
    name: 'no name',
    objects: [pool(), ...drifted('')],
    says: [{ object: 'Node', path: 'metadata.name', message: /has no name\. Set metadata\.name/ }],
  },

  // A ledger that can be read.
  {
    name: '100,000 commands',
    objects: [pool(), ...nodes, ledger({ version: 1, commands: many(1e5, command) })],
    says: [],
  },
];
