// The JSON patch that adds Lull's fields to the NodePool CRD of a cluster (N9). It only adds, never replaces.
import { budgetReasons } from '../../cluster/reason.ts';
import { addedDisruptionFields } from '../read/addedFields.ts';
import { addedBudgetFields, budgetRules } from '../read/budget.ts';
import { isMap, type Json, orList } from '../read/reader.ts';
import { crdName } from './crds.ts';
import { addedStatusFields, nodePool } from './nodePoolSchema.ts';
import type { Fields } from './schema.ts';

/** An operation of RFC 6902. A `test` that fails rejects the whole patch. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'test';
  readonly path: string;
  readonly value: unknown;
}

export type NodePoolPatch = { readonly patch: JsonPatchOperation[] } | { readonly fault: string };

/** The operations to add what is missing; empty if nothing is. A fault if Lull does not recognize the CRD. */
export function patchNodePoolCrd(found: unknown): NodePoolPatch {
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
  'Lull does not recognize this CRD and patches nothing. Write budgets in the annotation lull.dev/budgets instead.';
const useCrd = `Use the CRD that \`kubectl get crd ${crdName(nodePool)} -o yaml\` prints.`;

/** A served version that has budgets. */
interface CrdVersion {
  readonly name: string;
  readonly path: string;
  /** The schemas of `spec.disruption`, its list of budgets, and one budget. */
  readonly disruption: SchemaAtPath;
  readonly list: SchemaAtPath;
  readonly budget: SchemaAtPath;
  /** Absent if the CRD has no status schema; then none is added. */
  readonly status?: SchemaAtPath;
}

/** A schema within the CRD, with its JSON pointer. */
interface SchemaAtPath {
  readonly path: string;
  readonly schema: Json;
}

function versionsIn(found: unknown): readonly CrdVersion[] | string {
  const { kind, apiVersion, metadata, spec }: Json = isMap(found) ? found : {};
  if (kind !== 'CustomResourceDefinition') return `This is not a CustomResourceDefinition. ${useCrd}`;
  if (apiVersion !== 'apiextensions.k8s.io/v1') return `The apiVersion is not apiextensions.k8s.io/v1. ${useCrd}`;
  const name = isMap(metadata) ? metadata.name : undefined;
  if (name !== crdName(nodePool)) return `This CRD is ${name ?? 'unnamed'}, not ${crdName(nodePool)}. ${useCrd}`;
  const listed = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  const versions = listed.flatMap((version: unknown, index) => readVersion(version, `/spec/versions/${index}`));
  return versions.length > 0 ? versions : `No served version has spec.disruption.budgets. ${nothingPatched}`;
}

function readVersion(version: unknown, path: string): CrdVersion[] {
  if (!isMap(version) || version.served !== true || typeof version.name !== 'string') return [];
  const inside = (place: SchemaAtPath | undefined, ...steps: readonly string[]): SchemaAtPath | undefined =>
    enter(place, steps);
  const root = inside({ path, schema: version }, 'schema', 'openAPIV3Schema');
  const disruption = inside(root, 'properties', 'spec', 'properties', 'disruption');
  const list = inside(disruption, 'properties', 'budgets');
  const budget = inside(list, 'items');
  const status = inside(root, 'properties', 'status');
  if (!disruption || !list || !budget) return [];
  return [{ name: version.name, path, disruption, list, budget, ...(status && { status }) }];
}

function enter(place: SchemaAtPath | undefined, steps: readonly string[]): SchemaAtPath | undefined {
  return steps.reduce<SchemaAtPath | undefined>((at, step) => {
    const schema = at?.schema[step];
    return at && isMap(schema) ? { path: `${at.path}/${step}`, schema } : undefined;
  }, place);
}

/** The operations, or why this version is not recognized. */
function patchVersion({ name, path, disruption, list, budget, status }: CrdVersion): JsonPatchOperation[] | string {
  if (typeof list.schema.maxItems !== 'number') return `${name} spec.disruption.budgets has no maxItems.`;
  const parts = [
    addFields(disruption, addedDisruptionFields, `${name} spec.disruption`),
    addFields(budget, addedBudgetFields, `${name} spec.disruption.budgets[]`),
    addReasons(budget, name),
    addRules(list, budget),
    ...(status ? [addFields(status, addedStatusFields, `${name} status`)] : []),
  ];
  const unexpected = parts.find((part) => typeof part === 'string');
  if (unexpected !== undefined) return unexpected;
  const operations = parts.filter((part) => typeof part !== 'string').flat();
  // The list of versions may change meanwhile: apply nothing if another version is now at this index.
  return operations.length > 0 ? [{ op: 'test', path: `${path}/name`, value: name }, ...operations] : [];
}

/** Keeps a field that exists already, whether an older Lull or a newer Karpenter added it. */
function addFields({ path, schema }: SchemaAtPath, fields: Fields, where: string): JsonPatchOperation[] | string {
  const { properties } = schema;
  if (schema.type !== 'object' || !isMap(properties)) return `${where} is not an object schema with properties.`;
  const operations: JsonPatchOperation[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const existing = properties[name];
    if (existing === undefined) operations.push({ op: 'add', path: `${path}/properties/${name}`, value: field });
    else if (!isMap(existing) || existing.type !== field.type)
      return `${where}.${name} exists already, but is not of type ${field.type}.`;
  }
  return operations;
}

function addReasons(budget: SchemaAtPath, version: string): JsonPatchOperation[] | string {
  const reason = enter(budget, ['properties', 'reasons', 'items']);
  const known = reason?.schema.enum;
  if (!reason || !Array.isArray(known) || !known.includes('Drifted')) {
    return `${version} spec.disruption.budgets[].reasons does not list reasons such as ${orList(budgetReasons)}.`;
  }
  const missing = budgetReasons.filter((name) => !known.includes(name));
  return appendTo(`${reason.path}/enum`, known, missing);
}

/** Adds only rules that Karpenter's CRD does not have, perhaps in other words. */
function addRules(list: SchemaAtPath, budget: SchemaAtPath): JsonPatchOperation[] | string {
  const own = budget.schema[rulesKey] ?? [];
  const ofList = list.schema[rulesKey] ?? [];
  if (!Array.isArray(own) || !Array.isArray(ofList)) return `${rulesKey} is not a list.`;
  const made = [...own, ...ofList].map((it: unknown) => (isMap(it) ? String(it.rule) : ''));
  const missing = budgetRules
    .filter(({ about }) => !made.some((rule) => about.every((word) => rule.includes(word))))
    .map(({ rule, message }) => ({ rule, message }));
  if (own.length > 0) return appendTo(`${budget.path}/${rulesKey}`, own, missing);
  return missing.length > 0 ? [{ op: 'add', path: `${budget.path}/${rulesKey}`, value: missing }] : [];
}

const rulesKey = 'x-kubernetes-validations';

/** Appends only to the list as it was found, so that applying the patch twice does not append twice. */
function appendTo(path: string, found: readonly unknown[], values: readonly unknown[]): JsonPatchOperation[] {
  if (values.length === 0) return [];
  const appended = values.map((value): JsonPatchOperation => ({ op: 'add', path: `${path}/-`, value }));
  return [{ op: 'test', path, value: found }, ...appended];
}
