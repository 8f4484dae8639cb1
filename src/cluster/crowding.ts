// Namespaces with more affinity terms, resources or PodDisruptionBudgets than Lull evaluates.
// The result depends on the objects alone, not on the order in which they arrive (decision 0008).
import { type CountedTerm, countedTermsOf, hasTerms } from './countedTerms.ts';
import type { Fault } from './fault.ts';
import type { Pdb, Pod } from './model.ts';
import { isEvictable } from './pod.ts';
import type { Requirement } from './selector.ts';

/** What a namespace has too much of. */
export type Excess = 'terms' | 'resources' | 'budgets';

/**
 * How many pods all distinct terms of a namespace, or all its PodDisruptionBudgets, may select in total. Each counts the pods that carry
 * the rarest label it requires. Terms of ordinary workloads select their own pods, a few times each.
 */
export const mostMeant = (pods: number): number => 10_000 + 20 * pods;

/** How many different resources the pods of a namespace may request. */
export const mostResources = 64;

export type CrowdedNamespace = readonly [namespace: string, excess: readonly Excess[]];

interface Tenant {
  pods: number;
  readonly terms: Map<string, { readonly term: CountedTerm; pods: number }>;
  readonly resources: Map<string, number>;
  readonly pdbs: Map<string, Pdb>;
  excess: readonly Excess[];
}

const nothing: readonly Excess[] = [];

export class Crowding {
  readonly #tenants = new Map<string, Tenant>();
  readonly #allPods: () => Iterable<Pod>;
  /** Built when first needed, then kept up to date. */
  #labels: LabelCounts | undefined;
  #crowded: readonly CrowdedNamespace[] = [];
  #pods = 0;
  #nodes = 0;
  #isDirty = false;

  constructor(allPods: () => Iterable<Pod>) {
    this.#allPods = allPods;
  }

  change(before: Pod | undefined, now: Pod | undefined): void {
    const [was, is] = [before && counts(before) ? before : undefined, now && counts(now) ? now : undefined];
    if (was && is && countsTheSame(was, is)) return;
    if (was) this.#count(was, -1);
    if (is) this.#count(is, 1);
  }

  /** Undefined removes it. */
  changePdb(namespace: string, name: string, pdb: Pdb | undefined): void {
    const tenant = this.#tenant(namespace);
    this.#isDirty = true;
    if (pdb) tenant.pdbs.set(name, pdb);
    else tenant.pdbs.delete(name);
    this.#forgetEmpty(namespace, tenant);
  }

  /** Recomputes what changed. Returns the namespaces whose excess differs from before. */
  settle(nodes: number): readonly string[] {
    if (!this.#isDirty && nodes === this.#nodes) return [];
    this.#isDirty = false;
    this.#nodes = nodes;
    const changed: string[] = [];
    for (const [namespace, tenant] of this.#tenants) {
      const excess = this.#excessOf(namespace, tenant, nodes);
      if (excess.join() === tenant.excess.join()) continue;
      tenant.excess = excess;
      changed.push(namespace);
    }
    return changed;
  }

  /** Namespaces with an excess, sorted by name. Returns the same array until the content changes. */
  get crowded(): readonly CrowdedNamespace[] {
    const found = [...this.#tenants].filter(([, { excess }]) => excess.length > 0);
    const crowded = found
      .map(([name, { excess }]): CrowdedNamespace => [name, excess])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (crowded.join(';') !== this.#crowded.join(';')) this.#crowded = crowded;
    return this.#crowded;
  }

  /** The excesses of its namespace that affect this pod. */
  on(pod: Pod): readonly Excess[] {
    const excess = this.#tenants.get(pod.namespace)?.excess ?? nothing;
    return excess.length === 0 ? nothing : excess.filter((it) => concerns[it](pod));
  }

  #count(pod: Pod, change: 1 | -1): void {
    const tenant = this.#tenant(pod.namespace);
    this.#isDirty = true;
    this.#pods += change;
    tenant.pods += change;
    this.#labels?.add(pod, change);
    for (const name in pod.requests) bump(tenant.resources, name, change);
    for (const term of countedTermsOf(pod)) {
      const known = tenant.terms.get(term.text) ?? { term, pods: 0 };
      known.pods += change;
      if (known.pods > 0) tenant.terms.set(term.text, known);
      else tenant.terms.delete(term.text);
    }
    this.#forgetEmpty(pod.namespace, tenant);
  }

  #excessOf(namespace: string, tenant: Tenant, nodes: number): readonly Excess[] {
    const found: Excess[] = [];
    if (this.#hasManyTerms(tenant, nodes)) found.push('terms');
    if (tenant.resources.size > mostResources) found.push('resources');
    if (this.#hasManyBudgets(namespace, tenant)) found.push('budgets');
    return found.length > 0 ? found : nothing;
  }

  #hasManyTerms({ terms }: Tenant, nodes: number): boolean {
    const most = mostMeant(this.#pods);
    // Below the limit even if each term selected everything.
    if (terms.size * (this.#pods + nodes) <= most) return false;
    const labels = this.#countedLabels();
    let meant = 0;
    for (const { term } of terms.values()) {
      meant += labels.reach(term.requirements, term.namespaces) + (term.dividesNodes ? nodes : 0);
      if (meant > most) return true;
    }
    return false;
  }

  #hasManyBudgets(namespace: string, { pdbs, pods }: Tenant): boolean {
    const most = mostMeant(pods);
    if (pdbs.size * pods <= most) return false;
    const labels = this.#countedLabels();
    let meant = 0;
    for (const { selector } of pdbs.values()) {
      if (!selector.nothing) meant += labels.reach(selector.requirements, [namespace]);
      if (meant > most) return true;
    }
    return false;
  }

  #countedLabels(): LabelCounts {
    if (this.#labels) return this.#labels;
    const labels = new LabelCounts();
    for (const pod of this.#allPods()) if (counts(pod)) labels.add(pod, 1);
    this.#labels = labels;
    return labels;
  }

  #tenant(namespace: string): Tenant {
    const known = this.#tenants.get(namespace);
    if (known) return known;
    const tenant: Tenant = { pods: 0, terms: new Map(), resources: new Map(), pdbs: new Map(), excess: nothing };
    this.#tenants.set(namespace, tenant);
    return tenant;
  }

  #forgetEmpty(namespace: string, { pods, pdbs }: Tenant): void {
    if (pods + pdbs.size === 0) this.#tenants.delete(namespace);
  }
}

const counts = ({ phase }: Pod): boolean => phase !== 'Failed' && phase !== 'Succeeded';

/** Resources that every node has. */
export const commonResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);

/** The pods that an excess of their namespace affects. */
const concerns: Readonly<Record<Excess, (pod: Pod) => boolean>> = {
  terms: hasTerms,
  resources: ({ requests }) => Object.keys(requests).some((name) => !commonResources.has(name)),
  budgets: isEvictable,
};

const countsTheSame = (a: Pod, b: Pod): boolean =>
  a.scheduling === b.scheduling &&
  a.namespace === b.namespace &&
  sameTexts(a.labels, b.labels) &&
  (!hasTerms(a) ||
    (sameTexts(a.nodeSelector ?? {}, b.nodeSelector ?? {}) && sameTexts(a.tolerations, b.tolerations))) &&
  Object.keys(a.requests).join() === Object.keys(b.requests).join();

const sameTexts = (a: object, b: object): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function bump(counted: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counted.get(name) ?? 0) + change;
  if (count > 0) counted.set(name, count);
  else counted.delete(name);
}

interface KeyCounts {
  count: number;
  readonly byValue: Map<string, number>;
}

interface LabelGroup {
  pods: number;
  readonly byKey: Map<string, KeyCounts>;
}

export class LabelCounts {
  readonly #all: LabelGroup = { pods: 0, byKey: new Map() };
  readonly #byNamespace = new Map<string, LabelGroup>();

  add({ namespace, labels }: Pod, change: 1 | -1): void {
    const own = this.#byNamespace.get(namespace) ?? { pods: 0, byKey: new Map<string, KeyCounts>() };
    for (const group of [this.#all, own]) {
      group.pods += change;
      for (const key in labels) bumpLabel(group, key, labels[key] ?? '', change);
    }
    if (own.pods > 0) this.#byNamespace.set(namespace, own);
    else this.#byNamespace.delete(namespace);
  }

  /** Upper bound of the pods a selector matches: the number with the rarest label it requires. `namespaces` absent = all. */
  reach(requirements: readonly Requirement[], namespaces?: readonly string[]): number {
    if (!namespaces) return reachIn(this.#all, requirements);
    let sum = 0;
    for (const name of namespaces.length > 1 ? new Set(namespaces) : namespaces)
      sum += reachIn(this.#byNamespace.get(name), requirements);
    return sum;
  }
}

function bumpLabel(group: LabelGroup, key: string, value: string, change: 1 | -1): void {
  const ofKey = group.byKey.get(key) ?? { count: 0, byValue: new Map<string, number>() };
  ofKey.count += change;
  if (ofKey.count > 0) group.byKey.set(key, ofKey);
  else group.byKey.delete(key);
  bump(ofKey.byValue, value, change);
}

function reachIn(group: LabelGroup | undefined, requirements: readonly Requirement[]): number {
  if (!group) return 0;
  let fewest = group.pods;
  for (const { key, operator, values } of requirements) {
    const ofKey = group.byKey.get(key);
    if (operator === 'Exists') fewest = Math.min(fewest, ofKey?.count ?? 0);
    if (operator !== 'In') continue;
    fewest = Math.min(
      fewest,
      values.reduce((sum, value) => sum + (ofKey?.byValue.get(value) ?? 0), 0),
    );
  }
  return fewest;
}

// Messages about crowded namespaces.

/** What is too much and how to fix it, for the fault and for the refusal. */
export const excessTexts: Readonly<Record<Excess, { readonly what: string; readonly help: string }>> = {
  terms: {
    what: 'its distinct affinity terms and spread constraints select more pods in total than Lull evaluates (10,000, plus 20 for each pod in the cluster)',
    help: "Use the same terms for all pods of a workload: select by a label that only the workload's own pods carry, not by one that differs from pod to pod.",
  },
  resources: {
    what: `its pods request more than ${mostResources} different resources`,
    help: `Request at most ${mostResources} different resources in one namespace.`,
  },
  budgets: {
    what: 'its PodDisruptionBudgets select more pods in total than Lull evaluates (10,000, plus 20 for each pod in the namespace)',
    help: 'Let one PodDisruptionBudget select each pod: select by a label that only its own workload carries.',
  },
};

const paths: Readonly<Record<Excess, string>> = {
  terms: 'pods[*].spec.affinity',
  resources: 'pods[*].spec.containers[*].resources.requests',
  budgets: 'poddisruptionbudgets[*].spec.selector',
};

export const crowdFaults = (crowded: readonly CrowdedNamespace[]): readonly Fault[] =>
  crowded.flatMap(([namespace, all]) =>
    all.map((excess): Fault => {
      const { what, help } = excessTexts[excess];
      const message = `Not evaluated: ${what}. Nodes with these pods are held. ${help}`;
      return { object: `Namespace/${namespace}`, path: paths[excess], value: undefined, message, severity: 'warning' };
    }),
  );
