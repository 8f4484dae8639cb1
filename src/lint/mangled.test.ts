// Property test: no lint rule fails on mangled objects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../test/fixtures/lintPolicy.ts';
import { isMap } from '../kinds/read/reader.ts';
import { rules } from './allRules.ts';
import { lint } from './runRules.ts';

const budget = {
  nodes: '10%',
  reasons: ['Drifted'],
  schedule: '0 9 * * mon-fri',
  duration: '8h',
  timeZone: 'Europe/Berlin',
  topologyKey: 'zone',
  sequential: true,
  settle: '1m',
};

const scheduled = {
  'karpenter.sh/disruption-schedule': '0 2 * * 6;@daily',
  'karpenter.sh/disruption-schedule-duration': '4h',
};

/** One object of each kind, with every field that rules look at. */
const objects = [
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'p', annotations: { 'lull.dev/expire-after': '1h' } },
    spec: {
      disruption: {
        budgets: [budget, { nodes: '0' }],
        consolidationPolicy: 'WhenEmpty',
        consolidateAfter: '1m',
        repairAfter: '1h',
      },
      template: { spec: { expireAfter: '720h' } },
    },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'w' },
    spec: {
      mode: 'Allow',
      schedules: [{ cron: '0 9 * * *', duration: '8h' }],
      notAfter: '2027-01-01T00:00:00Z',
      nodes: '1',
    },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'PodDisruptionSchedule',
    metadata: { name: 's' },
    spec: { selector: { matchLabels: { app: 'a' } }, schedule: '0 2 * * 6', duration: '4h' },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'q',
      labels: { app: 'a' },
      annotations: scheduled,
    },
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: { name: 'o' },
    spec: { disruption: { budgets: [budget] }, ttlSecondsAfterEmpty: 30 },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'j', namespace: 'n' },
    spec: { jobTemplate: { spec: { template: { metadata: { annotations: scheduled }, spec: { containers: [] } } } } },
  },
];

/** Values that no field expects. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    [],
    {},
    -1,
    1e300,
    true,
    'Never',
    '0',
    '\u202e',
    'a'.repeat(300),
    '* * * * *',
    '@every 1h',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value with another one at the path that the numbers choose. */
function mangle(value: unknown, [step = 0, ...rest]: readonly number[], other: unknown): unknown {
  const keys = isMap(value) || Array.isArray(value) ? Object.keys(value) : [];
  const key = keys[step % (keys.length + 1)];
  if (key === undefined) return other;
  const changed = mangle((value as Record<string, unknown>)[key], rest, other);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...(value as object), [key]: changed };
}

describe('A mangled object', () => {
  it('is checked by every rule without an exception', () => {
    const names = new Set(rules.map(({ name }) => name));
    fc.assert(
      fc.property(
        fc.nat({ max: objects.length - 1 }),
        fc.array(fc.nat({ max: 9 }), { maxLength: 9 }),
        odd,
        (which, path, other) => {
          const mangled = objects.map((object, index) =>
            index === which ? mangle(object, [...path, 99], other) : object,
          );
          const documents = mangled.filter(
            (object) => isMap(object) && typeof object.kind === 'string' && object.kind !== '',
          );
          for (const finding of lint(policyOf(documents.map((object) => JSON.stringify(object)).join('\n')))) {
            expect(names).toContain(finding.rule);
            expect(finding.message).toMatch(/\S/);
          }
        },
      ),
      { numRuns: 250, seed: 7 },
    );
  });
});
