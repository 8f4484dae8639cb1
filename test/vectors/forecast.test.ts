// J3 on real snapshots: rolls that are already running, the choice of nodes, and nodes that expire.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import { defaultSettings } from '../../src/cluster/settings.ts';
import { answerBy } from '../../src/forecast/deadline.ts';
import { type Forecast, forecastRuns } from '../../src/forecast/poolForecasts.ts';
import type { ClusterSnapshot } from '../../src/forecast/restore.ts';
import type { Json } from '../../src/kinds/read/reader.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import {
  asDuration,
  asInstant,
  formatInstant,
  hour,
  type Instant,
  minute,
  parseInstant,
} from '../../src/time/instant.ts';
import { decide } from './decide.ts';

const settings = { ...defaultSettings };
const options = { runs: 2, for: asDuration(6 * hour), mostRounds: 4000 };

const at = (text: string): Instant => parseInstant(text) ?? asInstant(Number.NaN);

function snapshotOf(file: string, when: string): ClusterSnapshot {
  const text = readFileSync(new URL(`snapshots/${file}.yaml`, import.meta.url), 'utf8');
  const { documents } = readDocuments(text, file);
  return { at: at(when), objects: documents.map(({ object }) => object), ledger: emptyLedger, settings };
}

const forecastOf = (snapshot: ClusterSnapshot): Forecast => [...forecastRuns(snapshot, options)].at(-1) as Forecast;
const poolOf = ({ pools }: Forecast, name: string) => pools.find(({ pool }) => pool === name);

const running = [
  { file: '05-drift-roll-two-zones-at-once', when: '2026-11-15T11:42:09Z', pool: 'flat' },
  { file: '10-drift-roll-replacement-launching', when: '2026-11-15T12:09:09Z', pool: 'default' },
];

describe('J3: a roll that Karpenter has already begun', () => {
  it.each(running)('$file is forecast to its end', ({ file, when, pool }) => {
    const snapshot = snapshotOf(file, when);
    const told = poolOf(forecastOf(snapshot), pool);
    expect(told?.finishes?.likely).toBeGreaterThan(snapshot.at);
    expect(told?.never).toEqual([]);
  });

  it.each(running)(
    '$file: a node that waits for its replacement is in flight, and is replaced first',
    ({ file, when }) => {
      const snapshot = snapshotOf(file, when);
      const underway = decide({ objects: snapshot.objects, at: when, settings })
        .verdicts.filter((it) => it.reason === 'Drifted' && it.outcome === 'underway')
        .map(({ node }) => node)
        .sort();
      const { goings } = forecastOf(snapshot);
      expect(underway.length).toBeGreaterThan(0);
      expect(
        goings
          .slice(0, underway.length)
          .map(({ node }) => node)
          .sort(),
      ).toEqual(underway);
    },
  );
});

/** The same cluster before Karpenter began: no taint, no condition, no claim that is still starting. */
function withNothingInFlight(snapshot: ClusterSnapshot): ClusterSnapshot {
  const isComing = ({ kind, status }: Json): boolean =>
    kind === 'NodeClaim' && !conditionsOf(status).some((it) => it.type === 'Initialized' && it.status === 'True');
  const objects = snapshot.objects
    .filter((object) => !isComing(object))
    .map((object): Json => {
      if (object.kind === 'NodeClaim') {
        const conditions = conditionsOf(object.status).filter(({ type }) => type !== 'DisruptionReason');
        return { ...object, status: { ...(object.status as Json), conditions } };
      }
      const spec = object.spec as { readonly taints?: readonly { readonly key: string }[] } | undefined;
      if (object.kind !== 'Node' || !spec?.taints) return object;
      return {
        ...object,
        spec: { ...spec, taints: spec.taints.filter(({ key }) => key !== 'karpenter.sh/disrupted') },
      };
    });
  return { ...snapshot, objects };
}

const conditionsOf = (status: unknown): readonly { readonly type: string; readonly status: string }[] =>
  (status as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? [];

describe('J3: the choice of nodes', () => {
  const quiet = withNothingInFlight(snapshotOf('10-drift-roll-replacement-launching', '2026-11-15T12:09:09Z'));

  it.each([['observe'], ['guide'], ['drive']] as const)('is the same as for decide: %s', (role) => {
    const snapshot = { ...quiet, settings: { ...settings, role } };
    // Guide mode does not disrupt a pool whose spec has budgets that Karpenter cannot read, as here.
    const chosen = decide({ ...snapshot, at: formatInstant(snapshot.at) })
      .verdicts.filter(({ reason, outcome }) => reason === 'Drifted' && outcome === 'go')
      .map(({ node }) => node);
    const begun = forecastOf(snapshot)
      .goings.filter(({ reason, begunAt }) => reason === 'Drifted' && begunAt - snapshot.at < 5_000)
      .map(({ node }) => node);
    expect(begun.sort()).toEqual(chosen.sort());
    expect(chosen.length).toBe(role === 'guide' ? 0 : 1);
  });
});

describe('J3: nodes that expire', () => {
  const steady = snapshotOf('01-steady', '2026-11-15T11:34:21Z');
  const [held = ''] = steady.objects.flatMap(({ kind, metadata }) =>
    kind === 'Node' && ((metadata as Json).labels as Json)['karpenter.sh/nodepool']
      ? String((metadata as Json).name)
      : [],
  );
  /** Karpenter deletes each node two hours after its creation, and budgets allow one at a time. */
  const expiring = (isHeld: boolean): ClusterSnapshot => ({
    ...steady,
    objects: steady.objects.map((object): Json => {
      if (object.kind === 'NodeClaim') return { ...object, spec: { ...(object.spec as Json), expireAfter: '2h' } };
      const metadata = object.metadata as Json;
      if (object.kind !== 'Node' || metadata.name !== held || !isHeld) return object;
      return {
        ...object,
        metadata: { ...metadata, annotations: { ...(metadata.annotations as Json), 'lull.dev/hold': 'ask Ann' } },
      };
    }),
  });
  const deadline = asInstant(steady.at + 2 * hour);
  const ask = (snapshot: ClusterSnapshot, by: Instant) => {
    const trials = answerBy(by, snapshot, forecastOf(snapshot), options);
    let step = trials.next();
    while (!step.done) step = trials.next();
    return step.value.pools.find(({ pool }) => pool === 'default');
  };

  it('are replaced before their deadline if nothing holds them', () => {
    const told = poolOf(forecastOf(expiring(false)), 'default');
    expect(told?.expiring?.nodes).toBe(6);
    expect(told?.expiring?.forced).toEqual([]);
    expect(told?.expiring?.finishes?.late).toBeLessThan(deadline);
  });

  it('are deleted by Karpenter if something does, and the rule is named', () => {
    const told = poolOf(forecastOf(expiring(true)), 'default');
    expect(told?.expiring?.forced.map(({ node }) => node)).toEqual([held]);
  });

  it('count for --by like drifted nodes', () => {
    const later = asInstant(deadline + 30 * minute);
    expect(ask(expiring(false), later)).toEqual({ pool: 'default', fits: true });
    expect(ask(expiring(true), later)).toMatchObject({ pool: 'default', fits: false, forced: [{ node: held }] });
  });
});
