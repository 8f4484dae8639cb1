// Which scenario does a file tell? Its documents: one Scenario, and the objects of the cluster it plays in. Nothing is half read (K1).
import type { Fault } from '../../cluster/fault.ts';
import { parseResources } from '../../cluster/quantity.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Document } from '../../kinds/documents.ts';
import { Findings } from '../../kinds/findings.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { joinPath } from '../../kinds/path.ts';
import { defined, isMap, type Json, Reader, useQuantity } from '../../kinds/reader.ts';
import { readSettings } from '../../kinds/settings.ts';
import { asInstant, day } from '../../time/instant.ts';
import { type InstanceType, usualTypes } from '../world.ts';
import type { Context } from './happenings/row.ts';
import { needDuration, needName, needText, refuseUnknown } from './known.ts';
import { checkObjects, namesIn } from './objectsGiven.ts';
import { readExpectations } from './readExpectations.ts';
import { type Growth, growthFields, type Scenario, scenarioFields, typeFields } from './scenario.ts';
import { readScript } from './script.ts';

/** Where it does not matter how old nodes are, they have been there for a day. */
const defaultAge = day;
const mostNodes = 20_000;
const mostControllers = 5;
const largestSeed = 2 ** 53 - 1;

export type ReadScenario =
  | { readonly scenario: Scenario; readonly faults: readonly Fault[] }
  | { readonly scenario?: undefined; readonly faults: readonly Fault[] };

export const isScenario = ({ object }: Document): boolean =>
  object.kind === 'Scenario' && String(object.apiVersion).startsWith('lull.dev/');

export function readScenario(documents: readonly Document[]): ReadScenario {
  const [own, second] = documents.filter(isScenario);
  if (!own) return { faults: [noScenario(documents)] };
  const findings = new Findings(() => nameOfObject(own.object), 'error', own.position);
  if (second) findings.add('kind', 'Scenario', `There is another one at line ${second.position('').line}. Keep one.`);
  const objects = documents.filter((document) => !isScenario(document));
  const faults = checkObjects(objects);
  const scenario = readSpec(
    new Reader(own.object, findings),
    objects.map(({ object }) => object),
  );
  const all = [...findings.faults, ...faults];
  return all.some(({ severity }) => severity === 'error') ? { faults: all } : { scenario, faults: all };
}

/** The same from plain objects, for whoever makes scenarios up. Throws where one is wrong. */
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
  if (!spec.has('from')) spec.fault('from', 'There is no from. Give the instant at which it starts, in RFC 3339.');
  const from = spec.instant('from') ?? asInstant(0);
  const context: Context = { from, pools: namesIn(objects, spec, 'NodePool') };
  const instanceTypes = readTypes(spec);
  return defined<Scenario>({
    name,
    story: spec.text('story')?.trim() ?? '',
    from,
    for: needDuration(spec, 'for') ?? (0 as Scenario['for']),
    seed: spec.whole('seed', 0, largestSeed) ?? 1,
    settings: readOwnSettings(spec),
    objects,
    nodes: spec.maps('nodes').map((growth) => readGrowth(growth, context.pools, instanceTypes ?? usualTypes)),
    instanceTypes,
    zones: spec.has('zones') ? spec.texts('zones') : undefined,
    script: readScript(spec, context),
    karpenter: spec.boolean('karpenter') ?? false,
    bornParked: spec.boolean('bornParked') ?? false,
    controllers: spec.whole('controllers', 1, mostControllers) ?? 1,
    expect: readExpectations(spec, context),
  });
}

/** Without Karpenter the box has nobody beside Lull who would carry anything out, or say what has drifted (M). */
function readOwnSettings(spec: Reader): Settings {
  const given = spec.raw('settings');
  if (given !== undefined && !isMap(given)) spec.wrong('settings', 'map', 'Give settings by name.');
  const usual = spec.boolean('karpenter') ? { role: 'guide', drift: 'claims' } : { role: 'drive', drift: 'computed' };
  const { settings, faults } = readSettings({ ...usual, ...(isMap(given) && given) });
  for (const { path, value, message } of faults) {
    spec.findings.add(path === '' ? spec.path('settings') : joinPath(spec.path('settings'), path), value, message);
  }
  return settings;
}

function readGrowth(growth: Reader, pools: readonly string[], types: ReadonlyMap<string, InstanceType>): Growth {
  refuseUnknown(growth, Object.keys(growthFields));
  return defined<Growth>({
    pool: needName(growth, 'pool', pools),
    count: growth.whole('count', 0, mostNodes) ?? 1,
    zones: growth.texts('zones'),
    instanceType: growth.has('instanceType') ? needName(growth, 'instanceType', [...types.keys()]) : undefined,
    capacityType: growth.oneOf('capacityType', ['on-demand', 'spot', 'reserved']),
    age: growth.duration('age') ?? defaultAge,
  });
}

function readTypes(spec: Reader): ReadonlyMap<string, InstanceType> | undefined {
  if (!spec.has('instanceTypes')) return undefined;
  const types = spec.map('instanceTypes');
  return new Map(Object.keys(types.values).map((name) => [name, readType(types.map(name))]));
}

function readType(type: Reader): InstanceType {
  refuseUnknown(type, Object.keys(typeFields));
  const price = type.raw('price');
  if (price !== undefined && !(typeof price === 'number' && price >= 0))
    type.wrong('price', 'price', 'Use a number of at least 0.');
  return defined<InstanceType>({
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
