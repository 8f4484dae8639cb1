// A pod's needs: its resource requests, and its rules about node labels and taints.
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Json, Texts } from '../../kubeObject.ts';
import type { RawAffinity, RawContainer, RawNodeTerm, RawPod, RawPodSpec, RawToleration } from '../rawObjects.ts';

export interface SimPodNeeds {
  readonly requests: Resources;
  readonly rules: SimNodeRules;
}

/** Pods with the same id may run on the same nodes. */
export interface SimNodeRules {
  readonly id: number;
  readonly selector: Texts;
  /** Absent: no node affinity. */
  readonly terms?: readonly RawNodeTerm[];
  readonly tolerations: readonly RawToleration[];
  /** The only node the pod may run on, as for DaemonSet pods. */
  readonly only?: string;
}

/** The spec fields that determine the needs. Binding a pod does not change them. */
const fields = [
  'containers',
  'initContainers',
  'overhead',
  'resources',
  'nodeSelector',
  'affinity',
  'tolerations',
] as const;

/** Caches by spec, and by the containers list, which pods of one template share. */
const bySpec = new WeakMap<RawPodSpec, SimPodNeeds>();
const byContainers = new WeakMap<object, readonly { readonly spec: RawPodSpec; readonly needs: SimPodNeeds }[]>();
const nothing: RawPodSpec = {};

export function needsOf({ spec = nothing }: RawPod): SimPodNeeds {
  const known = bySpec.get(spec);
  if (known) return known;
  const alike = byContainers.get(spec.containers ?? nothing) ?? [];
  const same = alike.find((entry) => fields.every((field) => entry.spec[field] === spec[field]));
  const needs = same?.needs ?? { requests: requestsOf(spec), rules: rulesOf(spec) };
  bySpec.set(spec, needs);
  // The pods of a DaemonSet all differ in their affinity: caching them would not help.
  if (!same && needs.rules.only === undefined)
    byContainers.set(spec.containers ?? nothing, [...alike, { spec, needs }]);
  return needs;
}

let ids = 0;
const idsByText = new Map<string, number>();

function rulesOf({ nodeSelector = {}, affinity, tolerations = [] }: RawPodSpec): SimNodeRules {
  const terms = termsOf(affinity);
  const only = onlyNode(terms);
  if (only !== undefined) return { id: -1, selector: nodeSelector, terms: terms ?? [], tolerations, only };
  const text = JSON.stringify([nodeSelector, terms, tolerations]);
  const id = idsByText.get(text) ?? ++ids;
  idsByText.set(text, id);
  return { id, selector: nodeSelector, ...(terms && { terms }), tolerations };
}

const termsOf = (affinity: RawAffinity | undefined): readonly RawNodeTerm[] | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

function onlyNode(terms: readonly RawNodeTerm[] | undefined): string | undefined {
  const [field, more] = terms?.length === 1 ? (terms[0]?.matchFields ?? []) : [];
  return field && !more && field.operator === 'In' && field.values?.length === 1 ? field.values[0] : undefined;
}

/** Containers are added up, init containers run one after another, and sidecars run beside all that follow. */
export function requestsOf({ containers = [], initContainers = [], overhead, resources }: RawPodSpec): Resources {
  const total: Record<string, number> = {};
  for (const container of containers) add(total, ownRequests(container));
  const peak: Record<string, number> = {};
  const sidecars: Record<string, number> = {};
  for (const container of initContainers) {
    const moment: Record<string, number> = { ...sidecars };
    add(moment, ownRequests(container));
    if (container.restartPolicy === 'Always') add(sidecars, ownRequests(container));
    raise(peak, moment);
  }
  add(total, sidecars);
  raise(total, peak);
  Object.assign(total, amounts(resources?.requests));
  add(total, amounts(overhead));
  total.pods = 1;
  return total;
}

const ownRequests = ({ resources }: RawContainer): Resources => amounts(resources?.requests);
const amounts = (list: Json | undefined): Resources => parseResources(list);

export function add(total: Record<string, number>, more: Resources): void {
  for (const name in more) total[name] = (total[name] ?? 0) + (more[name] ?? 0);
}

function raise(total: Record<string, number>, least: Resources): void {
  for (const name in least) total[name] = Math.max(total[name] ?? 0, least[name] ?? 0);
}
