// Objects that a real API server must admit or refuse: those of the stories, and every case of every rule.
import { type RuleCases, ruleCases } from '../../crds/ruleCases.ts';
import { nodepool } from '../story/objects.ts';

const own = (kind: string, name: string, spec: unknown): object => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind,
  metadata: { name },
  spec,
});

const window = (spec: unknown, name = 'w'): object => own('MaintenanceWindow', name, spec);
const schedule = (spec: object, name = 's'): object => own('PodDisruptionSchedule', name, spec);
const ledger = (name: string, spec: object = { version: 1 }): object => ({
  apiVersion: 'lull.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name },
  spec,
});
const pool = (budget: unknown): object => nodepool({ name: 'tried', disruption: { budgets: [budget] } });

const app = { selector: { matchLabels: { app: 'ml' } } };

export const goodObjects: readonly (readonly [string, object])[] = [
  ['a window that blocks everything, always', window({}, 'everything')],
  [
    'a freeze by date',
    window({ notBefore: '2026-11-20T00:00:00Z', notAfter: '2026-12-01T00:00:00Z', note: 'Ann' }, 'freeze'),
  ],
  [
    'a nightly window of some nodes',
    window(
      {
        mode: 'Allow',
        actions: ['Drift', 'Expiration'],
        schedules: [{ cron: '0 22 * * fri-mon', duration: '8h', timeZone: 'Europe/Berlin' }],
        selector: { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] }] },
      },
      'nightly',
    ),
  ],
  ['a cap over all pools', window({ nodes: '10%' }, 'cap')],
  ['a pod schedule', schedule({ ...app, schedule: '0 2 * * 6', duration: '4h' }, 'training')],
  [
    'a pod schedule of some namespaces',
    schedule({ ...app, namespaceSelector: {}, schedule: '@daily', mode: 'Block' }, 'day'),
  ],
  ['the ledger', ledger('lull')],
];

/** A name, a part of the expected refusal, and the object. */
export const badObjects: readonly (readonly [string, string, object])[] = [
  ['a second ledger', 'a cluster has one ledger', ledger('mine')],
  ['a ledger of a newer form', 'spec.version', ledger('lull', { version: 2 })],
  ['a window with an unknown action', 'Unsupported value: "Drifted"', window({ actions: ['Drifted'] })],
  ['a window with an unknown mode', 'Unsupported value: "Deny"', window({ mode: 'Deny' })],
  [
    'a window that ends before it begins',
    "'notAfter' must be later",
    window({ notBefore: '2026-11-20T00:00:00Z', notAfter: '2026-11-19T00:00:00Z' }),
  ],
  [
    'a window with a cron of six fields',
    'must have five fields',
    window({ schedules: [{ cron: '0 0 9 * * *', duration: '1h' }] }),
  ],
  ['a window without a duration', 'spec.schedules[0].duration: Required', window({ schedules: [{ cron: '@daily' }] })],
  ['a window of less than a minute', 'at least 1m', window({ schedules: [{ cron: '@daily', duration: '30s' }] })],
  ['a window of 110 %', 'percentage', window({ nodes: '110%' })],
  [
    'a window whose selector lacks values',
    'need at least one value',
    window({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
  ],
  ['a pod schedule without pods', 'spec.selector: Required', schedule({ schedule: '@daily' })],
  ['a pod schedule without a schedule', 'spec.schedule: Required', schedule(app)],
  ['a pod schedule with @every', 'must have five fields', schedule({ ...app, schedule: '@every 1h' })],
];

/** Karpenter's own CRD has none of these budget fields. */
export const onlyWhenPatched = pool({
  nodes: '1',
  topologyKey: 'topology.kubernetes.io/zone',
  sequential: true,
});

type Placed = readonly [rule: string, cases: RuleCases, place: (value: unknown) => object];

const cases = (words: string): RuleCases => {
  const [, found] = Object.entries(ruleCases).find(([rule]) => rule.startsWith(words)) ?? [];
  if (!found) throw new Error(`No cases for the rule: ${words}`);
  return found;
};
const placed = (words: string, place: (value: unknown) => object): Placed => [words, cases(words), place];
const expression = (value: unknown): object => window({ selector: { matchExpressions: [value] } });

/** Only requirements of pools accept Gte and Lte. */
const ofWindows = ({ good, bad }: RuleCases): RuleCases => {
  const isKnown = (value: unknown): boolean => !/te$/.test((value as { operator: string }).operator);
  return { good: good.filter(isKnown), bad: bad.filter(isKnown) };
};

/** Rules of Lull's own kinds. */
export const placedRules: readonly Placed[] = [
  placed('must have five fields', (cron) => window({ schedules: [{ cron, duration: '1h' }] })),
  placed('must be a duration such as 8h or 1h30m, at least 1m', (duration) =>
    window({ schedules: [{ cron: '@daily', duration }] }),
  ),
  placed('must be a whole number up to 2147483647', (nodes) => window({ nodes })),
  placed('must be an RFC 3339 time', (notBefore) => window({ notBefore })),
  placed('must be a label name such as', (key) => expression({ key, operator: 'Exists' })),
  placed('keys must be label names', (matchLabels) => window({ selector: { matchLabels } })),
  placed('In and NotIn need', expression),
  placed('Exists and DoesNotExist must not', expression),
  ['Gt, Lt, Gte and Lte need', ofWindows(cases('Gt, Lt, Gte and Lte need')), expression],
  placed("'notAfter' must be later", (spec) => window(spec)),
  placed('must be opening, or a duration', (per) =>
    window({ nodes: '5', per, schedules: [{ cron: '@daily', duration: '1h' }] }),
  ),
  placed("'per' requires 'nodes'", (spec) => window(spec)),
  placed("'per: opening' requires", (spec) => window(spec)),
];

/** Rules that the patch adds to Karpenter's NodePool. */
export const placedWhenPatched: readonly Placed[] = [
  placed("set both 'schedule' and 'duration'", pool),
  placed("'sequential' requires", pool),
  placed("'driftAfter' requires", pool),
  placed("'driftAfter' cannot", pool),
  placed("'per' cannot be combined", pool),
  placed('must be a duration such as 1h or 24h', (per) => pool({ nodes: '1', per })),
  placed("'waves' requires", pool),
  placed("'waves' cannot", pool),
  placed("'haltAfter' requires", pool),
  placed("'haltAfter' cannot", pool),
  placed('must have at least one wave', (waves) => pool({ nodes: '1', reasons: ['Drifted'], waves })),
  placed('must be a whole number from 1', (wave) => pool({ nodes: '1', reasons: ['Drifted'], waves: [wave] })),
  placed('each wave must be larger', (waves) => pool({ nodes: '1', reasons: ['Drifted'], waves })),
  placed('must be a duration such as 8h or 1h30m, at most', (settle) =>
    pool({ nodes: '1', topologyKey: 'zone', settle }),
  ),
  placed('must be a label name such as', (topologyKey) => pool({ nodes: '1', topologyKey })),
];
