// Property test: --fix never changes what is decided, and changes nothing the second time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetReasons } from '../../cluster/reason.ts';
import { defaultSettings, type Settings } from '../../cluster/settings.ts';
import { limitAt } from '../../engine/rules/budgets.ts';
import { asInstant, hour, parseInstant } from '../../time/instant.ts';
import { gatherInput } from '../input.ts';
import { fixSources } from './lintFix.ts';
import { reportOn } from './lintForms.ts';

const now = parseInstant('2026-11-17T10:20:00Z') ?? asInstant(0);

/** Budgets in all valid spellings, and in some invalid ones. */
const budget = fc.record(
  {
    nodes: fc.constantFrom<unknown>(0, 1, 5, '0', '3', '10%', '100%', 'many'),
    maxUnavailable: fc.constantFrom<unknown>(0, 2, '20%'),
    reasons: fc.constantFrom<unknown>([], ['Drifted'], ['drifted', 'Empty'], 'empty', ['Consolidation'], ['Expired']),
    reason: fc.constantFrom<unknown>('drift', ['underutilized'], [], ['nonsense']),
    schedule: fc.constantFrom(
      '* * * * *',
      '@daily',
      '0 9 * * mon-fri',
      '0 0 * * sat-sun',
      '0 22-6 * * *',
      '0 0 * * 6-7',
    ),
    crontab: fc.constantFrom('* * * * *', '0 9 * * 1-5', '0 0 * * 7'),
    duration: fc.constantFrom('24h', '8h', '1h30m', '90s', 'soon'),
    timeZone: fc.constantFrom('Europe/Berlin', 'UTC', 'Nowhere/At_All'),
    topologyKey: fc.constant('topology.kubernetes.io/zone'),
  },
  { requiredKeys: [] },
);

const pool = fc.record({
  budgets: fc.array(budget, { maxLength: 4 }),
  above: fc.record(
    { consolidationPolicy: fc.constantFrom('WhenEmpty', 'WhenUnderutilized'), consolidateAfter: fc.constant('10m') },
    { requiredKeys: [] },
  ),
});

const textOf = ({ budgets, above }: { budgets: unknown[]; above: object }): string =>
  JSON.stringify(
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'p' },
      spec: { ...above, disruption: { budgets } },
    },
    null,
    2,
  );

/** The engine's reading: every limit at many hours, and whether the policy is valid. */
function meaningOf(text: string): unknown {
  const { cluster } = gatherInput([{ file: 'p.json', text }]);
  const read = cluster.pools.get('p');
  if (!read || read.fault) return 'fault';
  const hours = Array.from({ length: 40 }, (_, index) => asInstant(now + index * 5 * hour));
  const limits = hours.flatMap((at) =>
    budgetReasons.flatMap((reason) =>
      (['fallback', 'ceiling'] as const).map((rule) => limitAt({ pool: read, reason, counted: 30, rule }, at).limit),
    ),
  );
  const topology = read.budgets.map(({ topologyKey, reasons, window, nodes }) =>
    topologyKey === undefined
      ? undefined
      : [topologyKey, reasons && [...reasons], hours.map((at) => window?.isOpen(at) ?? true), nodes],
  );
  return { limits, topology, policy: read.consolidationPolicy, after: read.consolidateAfter };
}

const settings: Settings = { ...defaultSettings, role: 'guide' };

describe('lull lint --fix, on any policy', () => {
  it('does not change what is decided, and changes nothing the second time', () => {
    fc.assert(
      fc.property(pool, (written) => {
        const text = textOf(written);
        const { report } = fixSources(reportOn([{ file: 'p.json', text }], settings, now));
        const [after] = report.sources;
        expect(meaningOf(after?.text ?? '')).toEqual(meaningOf(text));
        expect(fixSources(report).report.sources).toEqual(report.sources);
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});
