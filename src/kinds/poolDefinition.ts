// Does the cluster's CRD of NodePools keep the fields that Lull adds (N9)? Whoever applies Karpenter's own again takes them away.
import type { PoolDefinition } from '../cluster/model.ts';
import { budgetFields, disruptionFields } from './addedFields.ts';
import { isMap, type Json, type Reader } from './reader.ts';

export const poolDefinitionName = 'nodepools.karpenter.sh';

/** Undefined = the CRD of another kind. */
export function readPoolDefinition(object: Reader): PoolDefinition | undefined {
  const { metadata, spec } = object.values as Json;
  if (!isMap(metadata) || metadata.name !== poolDefinitionName) return undefined;
  const versions = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  const served = versions.filter((version) => isMap(version) && version.served === true && disruptionOf(version));
  const { uid = '', generation = '' } = metadata;
  return {
    name: poolDefinitionName,
    version: `${uid}.${generation}`,
    keepsFields: served.length > 0 && served.every(keepsFields),
  };
}

function keepsFields(version: Json): boolean {
  const disruption = disruptionOf(version);
  const budget = enter(disruption, 'budgets', 'items', 'properties');
  return (
    budgetFields.every((name) => budget?.[name] !== undefined) &&
    disruptionFields.every((name) => disruption?.[name] !== undefined)
  );
}

const disruptionOf = (version: Json): Json | undefined =>
  enter(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'disruption', 'properties');

const enter = (from: Json | undefined, ...steps: readonly string[]): Json | undefined =>
  steps.reduce<Json | undefined>((at, step) => {
    const next = at?.[step];
    return isMap(next) ? next : undefined;
  }, from);
