// N12: the policies refuse nothing that Lull does: every request of simulated clusters, beside Karpenter, by itself, and across changes of role.
import { describe, expect, it } from 'vitest';
import { restraintsFor } from '../../src/cli/install/manifests/manifests.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { InlineSearcher } from '../../src/engine/search.ts';
import { openController } from '../../src/runtime/controller.ts';
import type { ApiRequest, Pass } from '../../src/runtime/port.ts';
import { applyPatch } from '../../src/sim/jsonPatch.ts';
import { keyAt } from '../../src/sim/kubeObject.ts';
import type { Objects } from '../../src/sim/objects.ts';
import type { Scenario } from '../../src/sim/scenario/scenario.ts';
import { type SimulateOptions, simulate } from '../../src/sim/simulate.ts';
import { drawScenario } from '../model/generate/drawScenario.ts';
import { playableScenarios } from '../model/scenarios.ts';
import { runToTheEnd } from '../model/toTheEnd.ts';
import type { Plain } from './restraint/case.ts';
import { type Asked, judge } from './restraint/judge.ts';

type Role = Settings['role'];

const user = 'system:serviceaccount:lull-system:lull';

const policies = Object.fromEntries(
  (['observe', 'guide', 'drive'] as const).map((role) => [
    role,
    restraintsFor({ role, namespace: 'lull-system', settings: '', version: '1' }),
  ]),
);

/** With fields that the API server fills in or requires, and the cluster in memory does not. */
const filled = {
  expireAfter: '720h',
  nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
};

function asServed(object: Plain): Plain {
  const { kind, spec } = object as { kind: string; spec: Plain };
  if (kind === 'NodeClaim') return { ...object, spec: { ...filled, ...spec } };
  if (kind !== 'NodePool') return object;
  const { template } = spec as { template?: Plain };
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...filled, ...(template?.spec as Plain) } } } };
}

/** The request as admission sees it; undefined = it is refused before that. */
function asked(request: ApiRequest, objects: Objects): Asked | undefined {
  if (request.verb === 'commit') return undefined;
  const { verb, kind, namespace, name, patch = [], graceSeconds } = request;
  const resource = `${kind.toLowerCase()}s`;
  const was = objects.get(kind, keyAt(namespace, name)) as unknown as Plain | undefined;
  const common = { user, resource, ...(namespace !== undefined && { namespace }) };
  if (verb === 'create')
    return { ...common, operation: 'CREATE', object: asServed(request.object as Plain), oldObject: null };
  if (!was) return undefined;
  if (verb === 'evict') {
    const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    return { ...common, operation: 'CREATE', subResource: 'eviction', object, oldObject: null };
  }
  const options = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
  if (verb === 'delete') return { ...common, operation: 'DELETE', options, object: null, oldObject: was };
  const patched = applyPatch(was, patch);
  return patched.ok ? { ...common, operation: 'UPDATE', object: patched.value as Plain, oldObject: was } : undefined;
}

const met = new Set<string>();

/** The refusals of its role's policies for every request of a controller. */
function refusedIn(
  scenario: Scenario,
  roles: readonly Role[],
  crashes: SimulateOptions['crashes'] = {},
): readonly string[] {
  const refused = new Set<string>();
  let lives = 0;
  const simulation = simulate(scenario, {
    crashes,
    reconciler: (port) => {
      const role = roles[Math.min(lives++, roles.length - 1)] ?? scenario.settings.role;
      const reconciler = openController(port, { ...scenario.settings, role }, {}, new InlineSearcher());
      return { pass: (now) => watched(reconciler.pass(now), (request) => ask(request, role)) };
    },
  });
  const ask = (request: ApiRequest, role: Role): void => {
    const { objects } = simulation.world;
    const question = asked(request, objects);
    if (!question) return;
    const { operation, resource, subResource } = question;
    met.add([role, operation, resource, ...(subResource === undefined ? [] : [subResource])].join(' '));
    const listed = ['Node', 'NodeClaim', 'NodePool'].flatMap((kind) => [
      ...objects.list(kind),
    ]) as unknown as readonly Plain[];
    const around = listed.map(asServed);
    for (const said of judge(policies[role] ?? [], question, around))
      refused.add(`${role}: ${question.operation} ${question.resource}: ${said}`);
  };
  runToTheEnd(simulation);
  return [...refused];
}

function* watched(pass: Pass, ask: (request: ApiRequest) => void): Pass {
  let step = pass.next();
  while (!step.done) {
    for (const request of step.value) ask(request);
    step = pass.next(yield step.value);
  }
  return step.value;
}

const seeds = Array.from({ length: 5 }, (_, index) => index + 1);

const everyKind = [
  'drive CREATE nodeclaims',
  'drive CREATE pods eviction',
  'drive DELETE nodeclaims',
  'drive DELETE pods',
  'drive UPDATE nodeclaims',
  'drive UPDATE nodes',
  'guide DELETE pods',
  'guide UPDATE nodeclaims',
  'guide UPDATE nodepools',
  'guide UPDATE nodes',
  'guide UPDATE pods',
];

describe('N12: no request of Lull is refused', () => {
  it.each(seeds)('beside Karpenter: seed %i', (seed) => {
    const { scenario } = drawScenario(seed, { karpenter: true });
    expect(refusedIn(scenario, [scenario.settings.role])).toEqual([]);
  });

  it.each(seeds)('by itself: seed %i', (seed) => {
    const { scenario } = drawScenario(seed);
    expect(refusedIn(scenario, [scenario.settings.role])).toEqual([]);
  });

  const acting = playableScenarios().filter(({ settings }) => settings.role !== 'observe');
  it.each(acting.map((scenario) => [scenario.name, scenario] as const))('in scenario %s', (_, scenario) =>
    expect(refusedIn(scenario, [scenario.settings.role])).toEqual([]),
  );

  it.each([20, 40, 60])('after a change of role at request %i', (request) => {
    const story = playableScenarios().find(({ name }) => name === 'guide-zone-by-zone');
    if (!story) throw new Error('No scenario guide-zone-by-zone');
    const crashes = { 'lull-1': [request, request + 6].map((each) => ({ request: each, when: 'after' as const })) };
    expect(refusedIn(story, ['guide', 'drive', 'guide'], crashes)).toEqual([]);
  });

  it('and every kind of request occurred', () => {
    expect([...met]).toEqual(expect.arrayContaining(everyKind));
  });
});
