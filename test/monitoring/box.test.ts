// Tests of the alerting rules on the metrics of a running Lull in simulated scenarios (J5).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { openBox, type SimulatedBox } from '../../src/cli/up/upBox.ts';
import type { Json } from '../../src/kinds/read/reader.ts';
import { openServer } from '../../src/server/server.ts';
import { scenarioOf } from '../../src/sim/scenario/readScenario.ts';
import { after, asDuration, minute } from '../../src/time/instant.ts';
import { Alerting, readRules } from './promql/rules.ts';
import { Scraped } from './promql/series.ts';

const rules = readRules('deploy/monitoring/alerts.yaml');

interface Changed {
  readonly hours: number;
  /** Additional events. */
  readonly script?: readonly Json[];
  /** The budgets of every pool, in its annotation. */
  readonly budgets?: string;
  /** The annotations of the pods of every StatefulSet, instead of theirs. */
  readonly annotations?: Json;
}

/** A scenario of the repository with additions to its script. */
function boxOf(name: string, { hours, script = [], budgets, annotations }: Changed): SimulatedBox {
  const objects = parseAllDocuments(readFileSync(`scenarios/${name}.yaml`, 'utf8')).map((it) => it.toJS() as Json);
  for (const object of objects) {
    const { spec, metadata } = object as { spec?: Json; metadata: Json };
    if (object.kind === 'Scenario' && spec) {
      Object.assign(spec, { for: `${hours}h`, script: [...((spec.script as Json[]) ?? []), ...script], expect: [] });
    }
    if (object.kind === 'NodePool' && budgets !== undefined)
      Object.assign(metadata, { annotations: { 'lull.dev/budgets': budgets } });
    if (object.kind === 'StatefulSet' && annotations && spec)
      Object.assign((spec.template as { metadata: Json }).metadata, { annotations });
  }
  return openBox(scenarioOf(objects), { version: 'test' });
}

/** Often enough that samples never go stale, and shorter than any rule's duration. */
const step = asDuration(2 * minute);

/** Every alert that fires while the box runs, with its first minute. */
async function fired(box: SimulatedBox, hours: number): Promise<Record<string, number>> {
  const listening = await openServer(box, { port: 0, run: 'test' });
  const alerting = new Alerting(rules);
  const scraped = new Scraped({ instance: 'box', job: 'lull' });
  const { simulation } = box;
  const first: Record<string, number> = {};
  try {
    for (let minutes = 0; minutes <= hours * 60; minutes += step / minute) {
      const now = after(simulation.from, asDuration(minutes * minute));
      simulation.runUntil(now);
      const response = await fetch(`${listening.url}/metrics`);
      scraped.scrape(await response.text(), now / 1000);
      for (const { alert, labels } of alerting.at(now / 1000, scraped.series)) {
        const about = labels.nodepool ?? labels.name;
        first[about === undefined ? alert : `${alert} ${about}`] ??= minutes;
      }
    }
  } finally {
    await listening.close();
  }
  return first;
}

/** A box has no lease, so it has no leader. */
const always = ['LullNoLeader'];

describe('J5: alerts on the metrics of a running Lull', () => {
  it.each<Changed & { readonly it: string; readonly name: string; readonly fires: readonly string[] }>([
    { it: 'a successful roll fires nothing', name: 'zone-by-zone', hours: 3, fires: [] },
    {
      it: 'a guided roll fires nothing',
      name: 'guide-zone-by-zone',
      hours: 3,
      fires: [],
    },
    {
      it: "a drain that waits five hours for a pod's schedule fires nothing, nor do nodes that users hold for an hour or two",
      name: 'guide-opt-out',
      hours: 6,
      annotations: { 'karpenter.sh/disruption-schedule': '0 13 * * *' },
      fires: [],
    },
    {
      it: 'G7: a drain that waits for a pod without a schedule',
      name: 'guide-opt-out',
      hours: 4,
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      fires: ['LullCommandStuck batch'],
    },
    { it: 'C13: a bad image', name: 'bad-image', hours: 1.5, fires: ['LullSettleStuck web'] },
    { it: 'N9: the stock CRD comes back', name: 'guide-stock-crd', hours: 6, fires: ['LullFieldsLost web'] },
    {
      it: 'D7: a window that cannot be read',
      name: 'zone-by-zone',
      hours: 1,
      script: [
        {
          at: '1m',
          apply: {
            apiVersion: 'karpenter.sh/v1alpha1',
            kind: 'MaintenanceWindow',
            metadata: { name: 'sale' },
            spec: { schedules: [{ cron: '0 25 * * *', duration: '1h' }] },
          },
        },
      ],
      fires: ['LullWindowFault sale'],
    },
    {
      it: 'C8: a pool that cannot be read',
      name: 'zone-by-zone',
      hours: 1,
      budgets: '[{ nodes: many }]',
      fires: ['LullPoolFault web'],
    },
    {
      it: 'a node that a user holds stays, and everything else is done',
      name: 'zone-by-zone',
      hours: 7,
      script: [{ at: '0s', annotate: { kind: 'Node', name: 'web-1', annotations: { 'lull.dev/hold': 'Ada' } } }],
      fires: ['LullRollStuck web'],
    },
    {
      it: 'N7: a freeze until Karpenter deletes nodes that are a week old',
      name: 'guide-expiry-nudge',
      hours: 22,
      budgets: '[{ nodes: "0" }]',
      fires: ['LullExpiryOvertakes web', 'LullRollStuck web'],
    },
  ])('$it', async ({ name, fires, ...changed }) => {
    const first = await fired(boxOf(name, changed), changed.hours);
    expect(Object.keys(first).sort()).toEqual([...fires, ...always].sort());
  });
});
