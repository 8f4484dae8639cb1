// How does Karpenter's own NodePool CRD learn Lull's fields (N9)? By a JSON patch worked out against the one found: it adds, and never replaces.
import { budgetReasons } from '../../cluster/reason.ts';
import { isMap, type Json, orList } from '../reader.ts';
import { addedBudgetFields, budgetRules } from './budget.ts';
import { crdName } from './definition.ts';
import { addedDisruptionFields, nodePool } from './nodePool.ts';
import { addedStatusFields } from './poolStatus.ts';
import type { Fields } from './schema.ts';

/** RFC 6902. A `test` that fails lets nothing of the patch happen. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'test';
  readonly path: string;
  readonly value: unknown;
}

export type NodePoolPatch = { readonly patch: JsonPatchOperation[] } | { readonly fault: string };

/** What has to be added to the CRD found; nothing where it has it all. A fault where it is none that Lull knows. */
export function patchNodePoolCrd(found: object): NodePoolPatch {
  const versions = versionsIn(found);
  if (typeof versions === 'string') return { fault: versions };
  const patch: JsonPatchOperation[] = [];
  for (const version of versions) {
    const operations = patchVersion(version);
    if (typeof operations === 'string') return { fault: `${operations} ${nothingPatched}` };
    patch.push(...operations);
  }
  return { patch };
}

const nothingPatched =
  'This CRD is none that Lull knows, so nothing is patched. Keep budgets in the annotation lull.dev/budgets instead.';
const giveCrd = `Give the CRD that \`kubectl get crd ${crdName(nodePool)} -o yaml\` prints.`;

/** A served version that has budgets. */
interface Version {
  readonly name: string;
  readonly path: string;
  /** What is under `spec.disruption`, and under each budget. */
  readonly disruption: Place;
  readonly list: Place;
  readonly budget: Place;
  /** Absent = it has none, and gets none. */
  readonly status?: Place;
}

/** A schema within the CRD, and where it stands. */
interface Place {
  readonly path: string;
  readonly schema: Json;
}

function versionsIn(found: object): readonly Version[] | string {
  const { kind, apiVersion, metadata, spec } = found as Json;
  if (kind !== 'CustomResourceDefinition') return `This is no CustomResourceDefinition. ${giveCrd}`;
  if (apiVersion !== 'apiextensions.k8s.io/v1') return `This is not of apiextensions.k8s.io/v1. ${giveCrd}`;
  const name = isMap(metadata) ? metadata.name : undefined;
  if (name !== crdName(nodePool))
    return `This CRD is ${name ?? 'without a name'}, not ${crdName(nodePool)}. ${giveCrd}`;
  const listed = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  const versions = listed.flatMap((version: unknown, index) => readVersion(version, `/spec/versions/${index}`));
  return versions.length > 0 ? versions : `No version that is served has spec.disruption.budgets. ${nothingPatched}`;
}

function readVersion(version: unknown, path: string): Version[] {
  if (!isMap(version) || version.served !== true || typeof version.name !== 'string') return [];
  const inside = (place: Place | undefined, ...steps: readonly string[]): Place | undefined => enter(place, steps);
  const root = inside({ path, schema: version }, 'schema', 'openAPIV3Schema');
  const disruption = inside(root, 'properties', 'spec', 'properties', 'disruption');
  const list = inside(disruption, 'properties', 'budgets');
  const budget = inside(list, 'items');
  const status = inside(root, 'properties', 'status');
  if (!disruption || !list || !budget) return [];
  return [{ name: version.name, path, disruption, list, budget, ...(status && { status }) }];
}

function enter(place: Place | undefined, steps: readonly string[]): Place | undefined {
  return steps.reduce<Place | undefined>((at, step) => {
    const schema = at?.schema[step];
    return at && isMap(schema) ? { path: `${at.path}/${step}`, schema } : undefined;
  }, place);
}

/** The operations, or what is strange about this version. */
function patchVersion({ name, path, disruption, list, budget, status }: Version): JsonPatchOperation[] | string {
  if (typeof list.schema.maxItems !== 'number') return `${name} sets no bound to the number of budgets.`;
  const parts = [
    addFields(disruption, addedDisruptionFields, `${name} spec.disruption`),
    addFields(budget, addedBudgetFields, `${name} spec.disruption.budgets[]`),
    addReasons(budget, name),
    addRules(list, budget),
    ...(status ? [addFields(status, addedStatusFields, `${name} status`)] : []),
  ];
  const strange = parts.find((part) => typeof part === 'string');
  if (strange !== undefined) return strange;
  const operations = (parts as JsonPatchOperation[][]).flat();
  // Places in a list may move: where this is another version by now, nothing happens.
  return operations.length > 0 ? [{ op: 'test', path: `${path}/name`, value: name }, ...operations] : [];
}

/** A field that is there already stays as it is, be it Lull's of another day or Karpenter's by now. */
function addFields({ path, schema }: Place, fields: Fields, where: string): JsonPatchOperation[] | string {
  const { properties } = schema;
  if (schema.type !== 'object' || !isMap(properties)) return `${where} has no fields.`;
  const operations: JsonPatchOperation[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const there = properties[name];
    if (there === undefined) operations.push({ op: 'add', path: `${path}/properties/${name}`, value: field });
    else if (!isMap(there) || there.type !== field.type)
      return `${where}.${name} is there already, and no ${field.type}.`;
  }
  return operations;
}

function addReasons(budget: Place, version: string): JsonPatchOperation[] | string {
  const reason = enter(budget, ['properties', 'reasons', 'items']);
  const known = reason?.schema.enum;
  if (!reason || !Array.isArray(known) || !known.includes('Drifted')) {
    return `${version} spec.disruption.budgets[].reasons does not list reasons such as ${orList(budgetReasons)}.`;
  }
  const missing = budgetReasons.filter((name) => !known.includes(name));
  return appendTo(`${reason.path}/enum`, known, missing);
}

/** A check that Karpenter makes in its own words is not made twice. */
function addRules(list: Place, budget: Place): JsonPatchOperation[] | string {
  const own = budget.schema[rulesKey] ?? [];
  const ofList = list.schema[rulesKey] ?? [];
  if (!Array.isArray(own) || !Array.isArray(ofList)) return `${rulesKey} is no list.`;
  const made = [...own, ...ofList].map((it: unknown) => (isMap(it) ? String(it.rule) : ''));
  const missing = budgetRules
    .filter(({ about }) => !made.some((rule) => about.every((word) => rule.includes(word))))
    .map(({ rule, message }) => ({ rule, message }));
  if (own.length > 0) return appendTo(`${budget.path}/${rulesKey}`, own, missing);
  return missing.length > 0 ? [{ op: 'add', path: `${budget.path}/${rulesKey}`, value: missing }] : [];
}

const rulesKey = 'x-kubernetes-validations';

/** Only to the list that was found: the same patch applied twice must not append twice. */
function appendTo(path: string, found: readonly unknown[], values: readonly unknown[]): JsonPatchOperation[] {
  if (values.length === 0) return [];
  const appended = values.map((value): JsonPatchOperation => ({ op: 'add', path: `${path}/-`, value }));
  return [{ op: 'test', path, value: found }, ...appended];
}
