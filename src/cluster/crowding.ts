// Which namespaces ask more of the placement, or of their PodDisruptionBudgets, than is worked out? A function of the objects alone,
// whatever the order in which they came (decision 0008). Past 100 lines: what is counted and what it is held against belong together.
import { type Ask, asksOf, hasTerms } from './asks.ts';
import { LabelCounts } from './labelCounts.ts';
import type { Pdb, Pod } from './model.ts';
import { isEvictable } from './pod.ts';

/** What a namespace may have too much of. */
export type Excess = 'terms' | 'resources' | 'budgets';

/**
 * How many pods all distinct terms of a namespace, or all its PodDisruptionBudgets, may mean together: each counts the pods that carry
 * the rarest label it needs. Terms of honest workloads mean their own pods, a few times each.
 */
export const mostMeant = (pods: number): number => 10_000 + 20 * pods;

/** Distinct names of resources that the pods of a namespace may request. */
export const mostResources = 64;

export type Crowd = readonly [namespace: string, excess: readonly Excess[]];

interface Tenant {
  pods: number;
  readonly asks: Map<string, { readonly ask: Ask; pods: number }>;
  readonly resources: Map<string, number>;
  readonly pdbs: Map<string, Pdb>;
  excess: readonly Excess[];
}

const nothing: readonly Excess[] = [];

export class Crowding {
  readonly #tenants = new Map<string, Tenant>();
  readonly #allPods: () => Iterable<Pod>;
  /** Kept from the first time that it matters. */
  #labels: LabelCounts | undefined;
  #crowded: readonly Crowd[] = [];
  #pods = 0;
  #nodes = 0;
  #isDirty = false;

  constructor(allPods: () => Iterable<Pod>) {
    this.#allPods = allPods;
  }

  change(before: Pod | undefined, now: Pod | undefined): void {
    const [was, is] = [before && counts(before) ? before : undefined, now && counts(now) ? now : undefined];
    if (was && is && asksTheSame(was, is)) return;
    if (was) this.#count(was, -1);
    if (is) this.#count(is, 1);
  }

  /** Undefined takes it away. */
  changePdb(namespace: string, name: string, pdb: Pdb | undefined): void {
    const tenant = this.#tenant(namespace);
    this.#isDirty = true;
    if (pdb) tenant.pdbs.set(name, pdb);
    else tenant.pdbs.delete(name);
    this.#forgetEmpty(namespace, tenant);
  }

  /** Brings it up to date. The namespaces of which something else holds from now on. */
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

  /** Namespaces with too much of something, by name; the same list while it says the same. */
  get crowded(): readonly Crowd[] {
    const found = [...this.#tenants].filter(([, { excess }]) => excess.length > 0);
    const crowds = found.map(([name, { excess }]): Crowd => [name, excess]).sort(([a], [b]) => (a < b ? -1 : 1));
    if (crowds.join(';') !== this.#crowded.join(';')) this.#crowded = crowds;
    return this.#crowded;
  }

  /** What keeps this pod from being worked out. */
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
    for (const ask of asksOf(pod)) {
      const known = tenant.asks.get(ask.text) ?? { ask, pods: 0 };
      known.pods += change;
      if (known.pods > 0) tenant.asks.set(ask.text, known);
      else tenant.asks.delete(ask.text);
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

  #hasManyTerms({ asks }: Tenant, nodes: number): boolean {
    const most = mostMeant(this.#pods);
    // Fewer than that even if each meant everything.
    if (asks.size * (this.#pods + nodes) <= most) return false;
    const labels = this.#countedLabels();
    let meant = 0;
    for (const { ask } of asks.values()) {
      meant += labels.reach(ask.requirements, ask.namespaces) + (ask.dividesNodes ? nodes : 0);
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
    const tenant: Tenant = { pods: 0, asks: new Map(), resources: new Map(), pdbs: new Map(), excess: nothing };
    this.#tenants.set(namespace, tenant);
    return tenant;
  }

  #forgetEmpty(namespace: string, { pods, pdbs }: Tenant): void {
    if (pods + pdbs.size === 0) this.#tenants.delete(namespace);
  }
}

const counts = ({ phase }: Pod): boolean => phase !== 'Failed' && phase !== 'Succeeded';

/** What every node offers. */
export const commonResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);

/** Whom an excess of its namespace concerns. */
const concerns: Readonly<Record<Excess, (pod: Pod) => boolean>> = {
  terms: hasTerms,
  resources: ({ requests }) => Object.keys(requests).some((name) => !commonResources.has(name)),
  budgets: isEvictable,
};

const asksTheSame = (a: Pod, b: Pod): boolean =>
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
