// Reads a Scenario and the objects of its cluster from documents; any error rejects the whole scenario (K1).

import { defined } from '../../cluster/defined.ts';
import type { Fault } from '../../cluster/fault.ts';
import { parseResources } from '../../cluster/quantity.ts';
import type { Settings } from '../../cluster/settings.ts';
import { Findings } from '../../kinds/read/findings.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import { isMap, type Json, Reader, useQuantity } from '../../kinds/read/reader.ts';
import { readSettings } from '../../kinds/readSettings.ts';
import type { Document } from '../../kinds/text/documents.ts';
import { joinPath } from '../../kinds/text/path.ts';
import { after, asDuration, asInstant, between, day } from '../../time/instant.ts';
import { type SimInstanceType, usualTypes } from '../world.ts';
import { atRest, type ExpectationRow, event, halted, movedOnlyIn, noEviction, released } from './expectEvents.ts';
import { finished, neverMore, oneDomainAtATime, stays } from './expectNodes.ts';
import { type ActionRow, fault, type ReadContext } from './faults.ts';
import { checkObjects, namesIn } from './initialCluster.ts';
import {
  type Expectation,
  type InitialNodes,
  initialNodesFields,
  type Scenario,
  type ScriptAction,
  scenarioFields,
  typeFields,
} from './scenario.ts';
import { annotate, apply, fail, interrupt, load, release, remove, scale } from './scriptActions.ts';
import { needDuration, needName, needText, readMoment, refuseUnknown, theOnly } from './shapes.ts';

export const scriptActions: readonly ActionRow[] = [
  release,
  scale,
  load,
  interrupt,
  fail,
  apply,
  remove,
  annotate,
  fault,
];

const actionNames = scriptActions.map(({ name }) => name);
const mostTimes = 10_000;

function readScript(spec: Reader, context: ReadContext): ScriptAction[] {
  return spec
    .maps('script')
    .flatMap((entry) => readEntry(entry, context))
    .sort((a, b) => a.at - b.at);
}

function readEntry(entry: Reader, context: ReadContext): ScriptAction[] {
  refuseUnknown(entry, ['at', 'every', 'times', ...actionNames]);
  if (!entry.has('at')) entry.fault('at', 'at is missing. Give the time since the start, such as 10m.');
  const at = readMoment(entry, 'at', context.from) ?? context.from;
  const every = entry.duration('every');
  const times = entry.whole('times', 1, mostTimes);
  if (times !== undefined && every === undefined)
    entry.fault('times', 'times needs every. Give the time between two repetitions, such as 10m.');
  if (every !== undefined && times === undefined)
    entry.fault('every', 'every needs times. Give the number of repetitions.');
  const name = theOnly(entry, actionNames, 'an action');
  const row = scriptActions.find((it) => it.name === name);
  if (!row) return [];
  const run = row.read(entry.map(row.name), context);
  return Array.from({ length: times ?? 1 }, (_, index) => ({
    at: between(context.from, after(at, asDuration((every ?? 0) * index))),
    name: row.name,
    run: (script) => run({ ...script, repetition: index + 1 }),
  }));
}

export const expectations: readonly ExpectationRow[] = [
  finished,
  neverMore,
  oneDomainAtATime,
  stays,
  released,
  halted,
  movedOnlyIn,
  noEviction,
  event,
  atRest,
];

const expectationNames = expectations.map(({ name }) => name);

export function readExpectations(spec: Reader, context: ReadContext): Expectation[] {
  return spec.maps('expect').flatMap((entry) => {
    refuseUnknown(entry, expectationNames);
    const name = theOnly(entry, expectationNames, 'an expectation');
    const row = expectations.find((it) => it.name === name);
    if (!row) return [];
    // `atRest` takes true instead of a map.
    return [row.read(row === atRest ? entry : entry.map(row.name), context)];
  });
}

/** The age of initial nodes without `age`. */
const defaultAge = day;
const mostNodes = 20_000;
const mostControllers = 5;
const largestSeed = 2 ** 53 - 1;

type ScenarioResult =
  | { readonly scenario: Scenario; readonly faults: readonly Fault[] }
  | { readonly scenario?: undefined; readonly faults: readonly Fault[] };

export const isScenario = ({ object }: Document): boolean =>
  object.kind === 'Scenario' && String(object.apiVersion).startsWith('lull.dev/');

export function readScenario(documents: readonly Document[]): ScenarioResult {
  const [own, second] = documents.filter(isScenario);
  if (!own) return { faults: [noScenario(documents)] };
  const findings = new Findings(() => nameOfObject(own.object), 'error', own.position);
  if (second)
    findings.add('kind', 'Scenario', `There is a second Scenario at line ${second.position('').line}. Keep one.`);
  const objects = documents.filter((document) => !isScenario(document));
  const faults = checkObjects(objects);
  const scenario = readSpec(
    new Reader(own.object, findings),
    objects.map(({ object }) => object),
  );
  const all = [...findings.faults, ...faults];
  return all.some(({ severity }) => severity === 'error') ? { faults: all } : { scenario, faults: all };
}

/** The same from plain objects, for generated scenarios. Throws if the scenario has an error. */
export function scenarioOf(objects: readonly Json[]): Scenario {
  const nowhere = () => ({ file: 'scenario', line: 1, column: 1 });
  const { scenario, faults } = readScenario(objects.map((object) => ({ object, position: nowhere })));
  if (scenario) return scenario;
  throw new Error(faults.map(({ object, path, message }) => `${object} ${path}: ${message}`).join('\n'));
}

function noScenario(documents: readonly Document[]): Fault {
  const position = documents[0]?.position('');
  return {
    object: 'Scenario',
    path: '',
    value: undefined,
    message: 'There is no Scenario here. Add a document of apiVersion lull.dev/v1alpha1 and kind Scenario.',
    severity: 'error',
    ...(position && { position }),
  };
}

function readSpec(object: Reader, objects: readonly Json[]): Scenario {
  const name = needText(object.map('metadata'), 'name', 'zone-by-zone');
  refuseUnknown(object, ['apiVersion', 'kind', 'metadata', 'spec']);
  const spec = object.map('spec');
  refuseUnknown(spec, Object.keys(scenarioFields));
  if (!spec.has('from')) spec.fault('from', 'from is missing. Give the start time in RFC 3339.');
  const from = spec.instant('from') ?? asInstant(0);
  const context: ReadContext = { from, pools: namesIn(objects, spec, 'NodePool') };
  const instanceTypes = readTypes(spec);
  return defined<Scenario>({
    name,
    story: spec.text('story')?.trim() ?? '',
    from,
    for: needDuration(spec, 'for') ?? (0 as Scenario['for']),
    seed: spec.whole('seed', 0, largestSeed) ?? 1,
    settings: readOwnSettings(spec),
    objects,
    nodes: spec.maps('nodes').map((nodes) => readInitialNodes(nodes, context.pools, instanceTypes ?? usualTypes)),
    instanceTypes,
    zones: spec.has('zones') ? spec.texts('zones') : undefined,
    script: readScript(spec, context),
    karpenter: spec.boolean('karpenter') ?? false,
    bornParked: spec.boolean('bornParked') ?? false,
    controllers: spec.whole('controllers', 1, mostControllers) ?? 1,
    expect: readExpectations(spec, context),
  });
}

/** Without Karpenter no other component disrupts nodes or marks them drifted, so Lull must do both (M). */
function readOwnSettings(spec: Reader): Settings {
  const given = spec.raw('settings');
  if (given !== undefined && !isMap(given)) spec.wrong('settings', 'map', 'Give settings by name.');
  const defaults = spec.boolean('karpenter')
    ? { role: 'guide', drift: 'claims' }
    : { role: 'drive', drift: 'computed' };
  const { settings, faults } = readSettings({ ...defaults, ...(isMap(given) && given) });
  for (const { path, value, message } of faults) {
    spec.findings.add(path === '' ? spec.path('settings') : joinPath(spec.path('settings'), path), value, message);
  }
  return settings;
}

function readInitialNodes(
  nodes: Reader,
  pools: readonly string[],
  types: ReadonlyMap<string, SimInstanceType>,
): InitialNodes {
  refuseUnknown(nodes, Object.keys(initialNodesFields));
  return defined<InitialNodes>({
    pool: needName(nodes, 'pool', pools),
    count: nodes.whole('count', 0, mostNodes) ?? 1,
    zones: nodes.texts('zones'),
    instanceType: nodes.has('instanceType') ? needName(nodes, 'instanceType', [...types.keys()]) : undefined,
    capacityType: nodes.oneOf('capacityType', ['on-demand', 'spot', 'reserved']),
    age: nodes.duration('age') ?? defaultAge,
  });
}

function readTypes(spec: Reader): ReadonlyMap<string, SimInstanceType> | undefined {
  if (!spec.has('instanceTypes')) return undefined;
  const types = spec.map('instanceTypes');
  return new Map(Object.keys(types.values).map((name) => [name, readType(types.map(name))]));
}

function readType(type: Reader): SimInstanceType {
  refuseUnknown(type, Object.keys(typeFields));
  const price = type.raw('price');
  if (price !== undefined && !(typeof price === 'number' && price >= 0))
    type.wrong('price', 'price', 'Use a number of at least 0.');
  return defined<SimInstanceType>({
    cpu: readQuantity(type, 'cpu') ?? '4',
    memory: readQuantity(type, 'memory') ?? '16Gi',
    pods: readQuantity(type, 'pods'),
    price: typeof price === 'number' ? price : undefined,
  });
}

function readQuantity(type: Reader, key: string): string | undefined {
  const value = type.raw(key);
  if (value === undefined) return undefined;
  if (parseResources({ [key]: value })[key] !== undefined) return String(value);
  return type.wrong(key, 'quantity', useQuantity);
}
