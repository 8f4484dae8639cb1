// Forecasts against a deadline, and the budget that would meet it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../kinds/text/documents.ts';
import { scenarioOf } from '../sim/scenario/readScenario.ts';
import { asDuration, hour, type Instant, after as later, minute } from '../time/instant.ts';
import { answerBy, type Deadline, withNodes } from './deadline.ts';
import { type Forecast, forecastFor, forecastRuns } from './poolForecasts.ts';
import type { ClusterSnapshot } from './restore.ts';
import { stage } from './stagedRoll.ts';

function staged(name: string): ClusterSnapshot {
  const { documents } = readDocuments(readFileSync(`scenarios/${name}.yaml`, 'utf8'), name);
  const found = stage(scenarioOf(documents.map(({ object }) => object)), 1);
  if (!found) throw new Error(`nothing drifts in ${name}`);
  return found.snapshot;
}

const options = { ...forecastFor(20), runs: 2 };
const forecastOf = (snapshot: ClusterSnapshot): Forecast => [...forecastRuns(snapshot, options)].at(-1) as Forecast;

function ask(snapshot: ClusterSnapshot, told: Forecast, by: Instant): Deadline {
  const trials = answerBy(by, snapshot, told, options);
  let step = trials.next();
  while (!step.done) step = trials.next();
  return step.value;
}

describe('J3: a deadline', () => {
  const four = staged('fault-no-replacement');
  const told = forecastOf(four);
  const { early, late } = told.pools.find(({ pool }) => pool === 'web')?.finishes ?? { early: told.at, late: told.at };

  it('is met if every run meets it', () => {
    expect(ask(four, told, late).pools).toContainEqual(expect.objectContaining({ pool: 'web', fits: true }));
  });

  it('is missed: the remedy is the smallest budget that meets it', () => {
    const by = later(told.at, asDuration((early - told.at) * 0.5));
    const web = ask(four, told, by).pools.find(({ pool }) => pool === 'web');
    const nodes = web?.remedy?.nodes ?? 0;
    expect(web?.fits).toBe(false);
    expect(web?.remedy?.finishes?.late).toBeLessThanOrEqual(by);
    const fewer = four.objects.map((object) => (object.kind === 'NodePool' ? withNodes(object, nodes - 1) : object));
    const then = forecastOf({ ...four, objects: fewer }).pools.find(({ pool }) => pool === 'web');
    expect(then?.finishes?.late).toBeGreaterThan(by);
  });

  it('is missed without a remedy if a zone must settle longer than that', () => {
    const zones = staged('zone-by-zone');
    const by = later(zones.at, asDuration(15 * minute));
    expect(ask(zones, forecastOf(zones), by).pools).toEqual([
      { pool: 'web', fits: false, finishes: expect.anything() },
    ]);
  });
});

describe('a pool with more at once', () => {
  const spec = (budgets: readonly unknown[]) => ({ kind: 'NodePool', metadata: {}, spec: { disruption: { budgets } } });

  it.each([
    { it: 'counts and percentages', before: { nodes: '10%' }, widened: { nodes: '7' } },
    {
      it: 'one for drift',
      before: { nodes: '1', reasons: ['Drifted'] },
      widened: { nodes: '7', reasons: ['Drifted'] },
    },
    { it: 'the older name', before: { maxUnavailable: 1 }, widened: { nodes: '7' } },
    { it: 'nothing said', before: {}, widened: { nodes: '7' } },
    { it: 'not a freeze', before: { nodes: '0' }, widened: { nodes: '0' } },
    {
      it: 'not one for others',
      before: { nodes: '1', reasons: ['Empty'] },
      widened: { nodes: '1', reasons: ['Empty'] },
    },
  ])('$it', ({ before, widened }) => {
    expect(withNodes(spec([before]), 7)).toEqual(spec([widened]));
  });

  it('C17: in its annotation, where they are read from', () => {
    const pool = { kind: 'NodePool', metadata: { annotations: { 'lull.dev/budgets': '- nodes: "1"' } }, spec: {} };
    expect(withNodes(pool, 7)).toMatchObject({ metadata: { annotations: { 'lull.dev/budgets': '[{"nodes":"7"}]' } } });
  });
});

describe('J3: which window takes how many', () => {
  it('each opening, and who goes through it', () => {
    const snapshot = staged('ml-weekend');
    const [gpu] = forecastOf(snapshot).pools;
    expect(gpu?.finishes?.likely).toBeGreaterThan(later(snapshot.at, asDuration(48 * hour)));
    expect(forecastOf(staged('drift-in-hours')).pools[0]?.taken.map(({ kind, nodes }) => [kind, nodes])).toEqual([
      ['Budget', 10],
      ['Budget', 10],
    ]);
  });
});
