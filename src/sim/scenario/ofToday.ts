// Is a claim of its pool's template of today? For expectations: what a person would compare, not what the engine does.
import type { Claim, Pool } from '../actors/manifest.ts';
import { type KubeObject, sameJson, type Texts } from '../kubeObject.ts';

export function isOfToday(claim: KubeObject, pool: KubeObject): boolean {
  const template = (pool as Pool).spec?.template ?? {};
  const { spec = {}, metadata } = claim as Claim;
  return (
    holds(metadata.labels, template.metadata?.labels) &&
    holds(metadata.annotations, template.metadata?.annotations) &&
    sameJson(spec.taints ?? [], template.spec?.taints ?? []) &&
    sameJson(spec.startupTaints ?? [], template.spec?.startupTaints ?? []) &&
    sameJson(spec.nodeClassRef, template.spec?.nodeClassRef) &&
    sameJson(spec.terminationGracePeriod, template.spec?.terminationGracePeriod) &&
    (template.spec?.requirements ?? []).every(({ key, operator, values = [] }) =>
      operator === 'In' ? values.includes(metadata.labels?.[key] ?? values[0] ?? '') : true,
    )
  );
}

const holds = (all: Texts = {}, some: Texts = {}): boolean =>
  Object.entries(some).every(([key, value]) => all[key] === value);
