// What does a pod need of its node? Room, and rules about labels and taints. Pods of one template share both, so each is worked out once.
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Json, Texts } from '../../kubeObject.ts';
import type { Affinity, Container, NodeTerm, Pod, PodSpec, Toleration } from '../manifest.ts';

export interface Needs {
  readonly requests: Resources;
  readonly rules: Rules;
}

/** Pods with the same id may go to the same nodes. */
export interface Rules {
  readonly id: number;
  readonly selector: Texts;
  /** Absent = no affinity. */
  readonly terms?: readonly NodeTerm[];
  readonly tolerations: readonly Toleration[];
  /** The one node it was made for, as the pods of a DaemonSet are. */
  readonly only?: string;
}

/** What of a spec says what a pod needs. A bind leaves all of them as they are. */
const fields = [
  'containers',
  'initContainers',
  'overhead',
  'resources',
  'nodeSelector',
  'affinity',
  'tolerations',
] as const;

/** By spec; and by its containers, the needs of those that have them, which are nearly always the same. */
const bySpec = new WeakMap<PodSpec, Needs>();
const byContainers = new WeakMap<object, readonly { readonly spec: PodSpec; readonly needs: Needs }[]>();
const nothing: PodSpec = {};

export function needsOf({ spec = nothing }: Pod): Needs {
  const known = bySpec.get(spec);
  if (known) return known;
  const alike = byContainers.get(spec.containers ?? nothing) ?? [];
  const same = alike.find((entry) => fields.every((field) => entry.spec[field] === spec[field]));
  const needs = same?.needs ?? { requests: requestsOf(spec), rules: rulesOf(spec) };
  bySpec.set(spec, needs);
  // The pods of a DaemonSet differ in their affinity: remembered, they would never be asked for again.
  if (!same && needs.rules.only === undefined)
    byContainers.set(spec.containers ?? nothing, [...alike, { spec, needs }]);
  return needs;
}

let ids = 0;
const idsByText = new Map<string, number>();

function rulesOf({ nodeSelector = {}, affinity, tolerations = [] }: PodSpec): Rules {
  const terms = termsOf(affinity);
  const only = onlyNode(terms);
  if (only !== undefined) return { id: -1, selector: nodeSelector, terms: terms ?? [], tolerations, only };
  const text = JSON.stringify([nodeSelector, terms, tolerations]);
  const id = idsByText.get(text) ?? ++ids;
  idsByText.set(text, id);
  return { id, selector: nodeSelector, ...(terms && { terms }), tolerations };
}

const termsOf = (affinity: Affinity | undefined): readonly NodeTerm[] | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

function onlyNode(terms: readonly NodeTerm[] | undefined): string | undefined {
  const [field, more] = terms?.length === 1 ? (terms[0]?.matchFields ?? []) : [];
  return field && !more && field.operator === 'In' && field.values?.length === 1 ? field.values[0] : undefined;
}

/** As the scheduler counts: containers beside each other, init containers one after another, sidecars beside all that follow. */
export function requestsOf({ containers = [], initContainers = [], overhead, resources }: PodSpec): Resources {
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

const ownRequests = ({ resources }: Container): Resources => amounts(resources?.requests);
const amounts = (list: Json | undefined): Resources => parseResources(list);

export function add(total: Record<string, number>, more: Resources): void {
  for (const name in more) total[name] = (total[name] ?? 0) + (more[name] ?? 0);
}

function raise(total: Record<string, number>, least: Resources): void {
  for (const name in least) total[name] = Math.max(total[name] ?? 0, least[name] ?? 0);
}
