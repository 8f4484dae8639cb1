// Forecasts of rolls against what the simulator then does.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, longAgo, machine, noon, pod, pool, settings } from '../../test/build.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/read/reader.ts';
import { readDocuments } from '../kinds/text/documents.ts';
import { openController } from '../runtime/controller.ts';
import { readScenario } from '../sim/scenario/readScenario.ts';
import { simulate } from '../sim/simulate.ts';
import { asDuration, type Duration, hour, after as later, minute } from '../time/instant.ts';
import { type Forecast, forecastRuns } from './poolForecasts.ts';
import type { ClusterSnapshot } from './restore.ts';

/** A scenario, stopped after a while: what a snapshot of it holds, and what really comes of it then. */
function stopped(name: string, elapsed: Duration) {
  const { documents } = readDocuments(readFileSync(`scenarios/${name}.yaml`, 'utf8'), name);
  const { scenario } = readScenario(documents);
  if (!scenario) throw new Error(`${name} cannot be read`);
  const objects = new Map<string, Json>();
  let last: Round | undefined;
  let ledger: Ledger = emptyLedger;
  const simulation = simulate(scenario, {
    reconciler: (port) =>
      openController(port, scenario.settings, {
        onRound: (round) => {
          last = round;
          ledger = round.ledger;
        },
      }),
    onRead: (_, { ...object }, isGone) => {
      const key = `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
      if (isGone) objects.delete(key);
      else objects.set(key, object as unknown as Json);
    },
  });
  simulation.runUntil(later(simulation.from, elapsed));
  const { settings } = scenario;
  const snapshot: ClusterSnapshot = { at: simulation.now, objects: [...objects.values()], ledger, settings };
  return { simulation, snapshot, settings, round: () => last as Round };
}

const demoAfter = (elapsed: Duration) => stopped('demo', elapsed);

const lastOf = (snapshot: ClusterSnapshot, runs = 3, hours = 6): Forecast => {
  const told = [...forecastRuns(snapshot, { runs, for: asDuration(hours * hour), mostRounds: 5000 })];
  return told.at(-1) as Forecast;
};

describe('J3: a forecast from the middle of a roll', () => {
  const { simulation, snapshot } = demoAfter(asDuration(2 * minute));
  const forecast = lastOf(snapshot);
  simulation.runUntil(later(simulation.from, asDuration(20 * minute)));
  const gone = simulation.events.filter(({ kind, reason }) => kind === 'NodeGone' && reason === 'Drifted');
  const really = (pool: string): number =>
    Math.max(
      ...gone
        .filter((it) => it.pool === pool && it.at < later(simulation.from, asDuration(20 * minute)))
        .map(({ at }) => at),
    );

  it.each(['web', 'ml'])('says when %s is done, and is right to two minutes', (pool) => {
    const finishes = forecast.pools.find((it) => it.pool === pool)?.finishes;
    expect(finishes).toBeDefined();
    expect(Math.abs((finishes?.likely ?? 0) - really(pool))).toBeLessThan(2 * minute);
    expect(finishes?.early).toBeLessThanOrEqual(finishes?.likely ?? 0);
    expect(finishes?.late).toBeGreaterThanOrEqual(finishes?.likely ?? 0);
  });

  it('says the same where the size of nodes is written as numbers', () => {
    const text = JSON.stringify(snapshot.objects);
    const numbers = text.replaceAll(/("allocatable":\{"cpu":)"(\d+)"/g, '$1$2');
    expect(numbers).not.toBe(text);
    expect(lastOf({ ...snapshot, objects: JSON.parse(numbers) }).pools).toEqual(forecast.pools);
  });

  it('says it for each zone, one after the other', () => {
    const domains = forecast.pools.find(({ pool }) => pool === 'web')?.domains ?? [];
    const ends = domains.map(({ finishes }) => finishes?.likely ?? 0);
    expect(domains.map(({ domain }) => domain)).toEqual(['a', 'b', 'c']);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });

  it('names each node that goes, when and why', () => {
    const web = forecast.goings.filter(({ pool, reason }) => pool === 'web' && reason === 'Drifted');
    expect(web.length).toBeGreaterThanOrEqual(4);
    for (const { at } of web) expect(at).toBeGreaterThan(snapshot.at);
  });

  it('says how sure it is', () => {
    expect(forecast.runs).toBe(3);
    expect(forecast.sure[0]).toMatch(/^3 simulated runs (agree|differ)/);
  });

  it('is the same for the same snapshot', () => {
    expect(lastOf(snapshot)).toEqual(forecast);
  });
});

describe('J3: what never goes', () => {
  it('is named, with every rule that holds it', () => {
    const { snapshot } = demoAfter(asDuration(2 * minute));
    const held = snapshot.objects.map((object) =>
      object.kind === 'Node' && (object.metadata as Json).name === 'ml-1'
        ? { ...object, metadata: { ...(object.metadata as Json), annotations: { 'lull.dev/hold': 'ask Ann' } } }
        : object,
    );
    const forecast = lastOf({ ...snapshot, objects: held }, 2);
    const ml = forecast.pools.find(({ pool }) => pool === 'ml');
    expect(ml?.finishes).toBeUndefined();
    expect(ml?.never.map(({ node, reason }) => [node, reason])).toEqual([['ml-1', 'Drifted']]);
    expect(ml?.never[0]?.refusals.map(({ code }) => code)).toEqual(['Held', 'PodScheduleClosed']);
    expect(ml?.never[0]?.why).toMatch(/ask Ann; .*trainer-0/);
  });
});

describe('J3, N1: beside Karpenter', () => {
  it('a roll that Karpenter carries out is forecast too', () => {
    const { simulation, snapshot } = stopped('guide-zone-by-zone', asDuration(12 * minute));
    const [web] = lastOf(snapshot, 2).pools;
    simulation.runUntil(later(simulation.from, asDuration(hour)));
    const gone = simulation.events.filter(({ kind }) => kind === 'NodeGone');
    expect(web?.domains.map(({ domain }) => domain)).toEqual(['a', 'b', 'c']);
    expect(Math.abs((web?.finishes?.likely ?? 0) - Math.max(...gone.map(({ at }) => at)))).toBeLessThan(2 * minute);
  });

  const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  /** Drift that a cloud provider found, and that the hash of the pool does not show; n1 expires at 18:00. */
  const newImage = [
    pool('web', { template: { expireAfter: '720h' } }),
    machine('n1', {
      drifted: longAgo,
      claim: { created: '2026-02-08T18:00:00Z', providerID: 'aws:///n1', spec: { expireAfter: '720h' } },
    }),
    machine('n2', { drifted: longAgo, claim: { providerID: 'aws:///n2', spec: { expireAfter: 'Never' } } }),
  ].flat() as Json[];
  const forecastOf = (objects: readonly Json[]): Forecast =>
    lastOf({ at: at(noon), objects, ledger: emptyLedger, settings: settings({ role: 'guide' }) }, 2, 12);

  it('a new image, which the provider alone knows of, is rolled out', () => {
    const [web] = forecastOf(newImage).pools;
    expect(web?.finishes?.likely).toBeGreaterThan(at(noon));
    expect(web?.never).toEqual([]);
    expect(web?.expiring?.forced).toEqual([]);
  });

  it('a node that a pod keeps after Karpenter has deleted it counts as deleted at its deadline', () => {
    const [web] = forecastOf([...newImage, pod('p1', 'n1', kept), pod('p2', 'n2', kept)] as Json[]).pools;
    expect(web?.finishes).toBeUndefined();
    expect(web?.never.map(({ node }) => node)).toEqual(['n2']);
    expect(web?.expiring?.forced.map(({ node }) => node)).toEqual(['n1']);
  });
});

describe('J3, C13: what is not well', () => {
  it('is taken to stay so: a bad image stops in its zone', () => {
    const { snapshot } = stopped('bad-image', asDuration(17 * minute));
    const forecast = lastOf(snapshot, 1);
    expect(forecast.pools.map(({ pool, finishes }) => [pool, finishes])).toEqual([['web', undefined]]);
  });
});

describe('J3, C5/N4: observe mode', () => {
  it('is forecast as guide mode, and the answer says so', () => {
    const { snapshot } = stopped('guide-zone-by-zone', asDuration(12 * minute));
    const finishOf = (role: 'observe' | 'guide') =>
      lastOf({ ...snapshot, settings: { ...snapshot.settings, role } }, 1).pools.map((it) => it.finishes?.likely);
    const observed = lastOf({ ...snapshot, settings: { ...snapshot.settings, role: 'observe' } }, 1);
    expect(finishOf('observe')).toEqual(finishOf('guide'));
    expect(observed.sure).toContain('Observe mode: this is what would happen in guide mode.');
  });
});

/** As another Karpenter and `lull snapshot` leave it: other hashes, and no finalizers. */
function fromElsewhere(snapshot: ClusterSnapshot): ClusterSnapshot {
  const key = 'karpenter.sh/nodepool-hash';
  const objects = snapshot.objects.map((object) => {
    const { finalizers: _, ...metadata } = object.metadata as Json & { annotations?: Record<string, string> };
    const { annotations } = metadata;
    if (annotations?.[key] === undefined) return { ...object, metadata };
    return { ...object, metadata: { ...metadata, annotations: { ...annotations, [key]: `77${annotations[key]}` } } };
  });
  return { ...snapshot, objects };
}

describe('J3: a snapshot of a real cluster', () => {
  const { snapshot } = stopped('guide-zone-by-zone', asDuration(12 * minute));
  const finishOf = (given: ClusterSnapshot) =>
    lastOf(given, 2).pools.map(({ pool, finishes }) => [pool, finishes?.likely]);

  it('has hashes that the simulator computes differently, and no finalizers: it is forecast all the same', () => {
    const [[, expected] = []] = finishOf(snapshot);
    const [[pool, finish] = []] = finishOf(fromElsewhere(snapshot));
    expect(pool).toBe('web');
    expect(Math.abs(Number(finish) - Number(expected))).toBeLessThan(minute);
  });

  it('may hold a node that Karpenter does not know yet: its claim brings it, once', () => {
    const starting = (node: Json): Json => ({
      ...node,
      spec: { ...(node.spec as Json), taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] },
    });
    const [claim] = snapshot.objects.filter(({ kind, status }) => kind === 'NodeClaim' && (status as Json)?.nodeName);
    const name = ((claim?.status ?? {}) as Json).nodeName;
    const isIt = ({ kind, metadata }: Json): boolean => kind === 'Node' && (metadata as Json).name === name;
    const unborn = {
      ...(claim as Json),
      status: {
        ...((claim as Json).status as Json),
        nodeName: undefined,
        conditions: [{ type: 'Launched', status: 'True' }],
      },
    };
    const objects = snapshot.objects.map((object) =>
      object === claim ? unborn : isIt(object) ? starting(object) : object,
    );
    expect(finishOf({ ...snapshot, objects })).toEqual([['web', expect.any(Number)]]);
  });
});

describe('J3: whether a roll fits before its nodes expire', () => {
  const { snapshot } = demoAfter(asDuration(2 * minute));
  const expiring = (expireAfter: string): ClusterSnapshot => ({
    ...snapshot,
    objects: snapshot.objects.map((object) =>
      object.kind === 'NodeClaim' ? { ...object, spec: { ...(object.spec as Json), expireAfter } } : object,
    ),
  });
  /** Its nodes are the oldest. */
  const fitOf = (given: ClusterSnapshot) => lastOf(given, 2).pools.find(({ pool }) => pool === 'ml')?.fit;

  it('is not asked where none ever expires', () => {
    expect(fitOf(expiring('Never'))).toBeUndefined();
  });

  it('is so where the first expires long after', () => {
    const fit = fitOf(expiring('9000h'));
    expect(fit?.firstExpiry).toBeGreaterThan(snapshot.at);
    expect(fit?.overtaken).toEqual([]);
  });

  it('is not so where nodes are held for longer than they live', () => {
    const made = snapshot.objects.filter(({ kind }) => kind === 'NodeClaim');
    const oldest = Math.min(...made.map(({ metadata }) => Date.parse(String((metadata as Json).creationTimestamp))));
    const lifetime = `${Math.ceil((snapshot.at - oldest) / minute) + 60}m`;
    const held = expiring(lifetime).objects.map((object) =>
      object.kind === 'Node'
        ? { ...object, metadata: { ...(object.metadata as Json), annotations: { 'lull.dev/hold': 'ask Ann' } } }
        : object,
    );
    const fit = fitOf({ ...snapshot, objects: held });
    expect(fit?.overtaken.length).toBeGreaterThan(0);
    for (const { at, goesAt } of fit?.overtaken ?? []) expect(goesAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(at);
  });
});
