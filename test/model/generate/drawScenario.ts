// The story of a seed: a small cluster, its policies, events, and then quiet time to settle.

import { Random } from '../../../src/sim/random.ts';
import { scenarioOf } from '../../../src/sim/scenario/readScenario.ts';
import type { Scenario, ScriptAction } from '../../../src/sim/scenario/scenario.ts';
import { after, asDuration, formatInstant, minute } from '../../../src/time/instant.ts';
import { type Json, some, zones } from './dice.ts';
import { drawPeople, start } from './people.ts';
import { besideKarpenter, type DrawnPool, drawNodes, drawPools } from './pools.ts';
import { drawGates, drawPodSchedules, drawSettings, drawWindows } from './rules.ts';
import { drawScript } from './script.ts';
import { type DrawnWorkload, drawWorkloads } from './workloads.ts';

export interface Drawn {
  readonly scenario: Scenario;
  readonly faults: readonly string[];
  /** The same as documents, to read and to run with `lull simulate`; without the events that only a test can cause. */
  readonly documents: readonly Json[];
}

/** In minutes after the start: from `frozenAt` on nothing new may start, and by `restsBy` everything must have ended. */
const frozenAt = 270;
const restsBy = 420;

export interface Kind {
  /** With Karpenter, in guide. */
  readonly karpenter?: boolean;
}

export function drawScenario(seed: number, { karpenter = false }: Kind = {}): Drawn {
  const random = new Random(`model ${seed}`);
  const drawn = drawPools(random.fork('pools'));
  const pools = karpenter ? drawn.map(besideKarpenter) : drawn;
  const drawnWorkloads = drawWorkloads(random.fork('workloads'), pools);
  const workloads = karpenter ? withOldOptOuts(random.fork('old opt-outs'), drawnWorkloads) : drawnWorkloads;
  const controllers = random.chance(0.35) ? 2 : 1;
  const { entries, faults } = drawScript(random.fork('script'), { pools, workloads, controllers });
  const gates = drawGates(random.fork('gates'), pools);
  const spec = {
    story: `Model ${seed}.`,
    from: formatInstant(start),
    for: `${restsBy}m`,
    seed,
    settings: drawSettings(random.fork('settings')),
    zones,
    instanceTypes: instanceTypes(random.fork('types')),
    nodes: drawNodes(random.fork('nodes'), pools),
    script: [
      ...(karpenter ? drawOptOuts(random.fork('opt-outs'), pools) : []),
      ...entries,
      ...drawPeople(random.fork('people'), pools),
      ...gates.script,
      { at: `${frozenAt}m`, apply: freeze },
    ],
    controllers,
    // Half of them with the admission policy.
    ...(karpenter && { karpenter, bornParked: seed % 2 === 1 }),
  };
  const documents = [
    { apiVersion: 'lull.dev/v1alpha1', kind: 'Scenario', metadata: { name: `model-${seed}` }, spec },
    ...pools.map(({ object }) => object),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    ...workloads.flatMap(({ objects }) => objects),
    ...drawWindows(random.fork('windows'), pools),
    ...gates.objects,
    ...drawPodSchedules(random.fork('schedules'), workloads),
  ];
  const scenario = scenarioOf(documents);
  const extras = drawExtras(random.fork('extras'), pools[0]?.name ?? '');
  return { scenario: { ...scenario, script: [...scenario.script, ...extras] }, faults, documents };
}

const freeze = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'model-freeze' },
  spec: { note: 'the model comes to rest' },
};

const instanceTypes = (random: Random): Json => {
  const priced = random.chance(0.75);
  const type = (cpu: string, memory: string, price: number): Json => ({ cpu, memory, ...(priced && { price }) });
  return { s: type('2', '8Gi', 0.1), m: type('4', '16Gi', 0.2), l: type('8', '32Gi', 0.4) };
};

/** What no script can express: a node that reboots, a turn that a user passes, an old ledger. */
function drawExtras(random: Random, pool: string): ScriptAction[] {
  const at = (minutes: number) => asDuration(minutes * minute);
  const reboot = some(random, 5, 100);
  return [
    ...(random.chance(0.3)
      ? ['1', '2'].flatMap((number) => [
          rebooting(at(reboot), `${pool}-${number}`, 'True'),
          rebooting(at(reboot + 10), `${pool}-${number}`, 'False'),
        ])
      : []),
    ...(random.chance(0.15) ? [passing(at(some(random, 20, 140)))] : []),
    ...(random.chance(0.12) ? [restoring(at(some(random, 10, 140)))] : []),
  ];
}

const rebooting = (at: ScriptAction['at'], name: string, status: string): ScriptAction => ({
  at,
  name: 'reboot',
  run: ({ world }) => {
    world.objects.write('NodeClaim', name, 'script', (claim) => {
      const conditions = (claim.status?.conditions ?? []) as readonly { readonly type: string }[];
      const others = conditions.filter(({ type }) => type !== 'Rebooting');
      const lastTransitionTime = formatInstant(world.clock.now);
      return {
        ...claim,
        status: { ...claim.status, conditions: [...others, { type: 'Rebooting', status, lastTransitionTime }] },
      };
    });
  },
});

const passing = (at: ScriptAction['at']): ScriptAction => ({
  at,
  name: 'turn pass',
  run: ({ world }) => {
    world.objects.write('DisruptionLedger', 'lull', 'person', (ledger) => {
      const turns = (ledger.spec?.turns ?? []) as readonly Json[];
      const passAsked = formatInstant(after(world.clock.now, asDuration(0)));
      return { ...ledger, spec: { ...ledger.spec, turns: turns.map((turn) => ({ ...turn, passAsked })) } };
    });
  },
});

/** A user restores an old ledger: it exists, but the commands under way are not in it. */
const restoring = (at: ScriptAction['at']): ScriptAction => ({
  at,
  name: 'ledger restored',
  run: ({ world }) => {
    const spec = { version: 1, commands: [], turns: [], backoffs: [] };
    world.objects.write('DisruptionLedger', 'lull', 'person', (ledger) => ({ ...ledger, spec }));
  },
});

/** E1: an opt-out with the name that Karpenter no longer uses; some of them with reasons. */
const oldOptOuts: readonly Json[] = [
  { 'karpenter.sh/do-not-evict': 'true' },
  { 'karpenter.sh/do-not-evict': 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Underutilized' },
];

function withOldOptOuts(random: Random, workloads: readonly DrawnWorkload[]): DrawnWorkload[] {
  return workloads.map((workload) => {
    const [first, ...others] = workload.objects;
    if (!first || workload.kind === 'DaemonSet' || !random.chance(0.15)) return workload;
    const spec = first.spec as { readonly template: { readonly metadata: Json } };
    const { metadata } = spec.template;
    const annotations = { ...(metadata.annotations as Json | undefined), ...random.pick(oldOptOuts) };
    const template = { ...spec.template, metadata: { ...metadata, annotations } };
    return { ...workload, objects: [{ ...first, spec: { ...spec, template } }, ...others] };
  });
}

/** N2: a user's own do-not-disrupt, from before Lull was installed; later it is removed, or not. */
function drawOptOuts(random: Random, pools: readonly DrawnPool[]): Json[] {
  return pools.flatMap(({ name }) => {
    const write = (at: string, value: string | null): Json => ({
      at,
      annotate: { kind: 'Node', name: `${name}-1`, annotations: { 'karpenter.sh/do-not-disrupt': value } },
    });
    if (!random.chance(0.5)) return [];
    // E2: of these Karpenter reads only the first.
    const value = random.pick(['true', 'true', '26h', '25h30m', 'false']);
    return [write('0s', value), ...(random.chance(0.6) ? [write(`${some(random, 10, 120)}m`, null)] : [])];
  });
}
