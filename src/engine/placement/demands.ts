// The resources and label keys that the cluster's pods ask for. Only these have columns and distinguish pods or nodes.
import type { PodTerm, Scheduling } from '../../cluster/scheduling.ts';
import type { NodeSelector } from '../../cluster/selector.ts';
import type { Volumes } from '../../cluster/volumes.ts';
import { asksNames, keysAsked, keysOfTerms, type PlacementRule } from './placementRule.ts';
import { podKeysOf } from './termRegistry.ts';
import type { PlacedPod } from './uncounted.ts';
import { mountedVolumes } from './volumeRule.ts';

export class Demands {
  /** The first three have fixed columns. */
  readonly resources = new Set(['cpu', 'memory', 'pods']);
  readonly podKeys = new Set<string>();
  readonly nodeKeys = new Set<string>();
  names = false;
  /** Some pod is not evaluated: then it matters which label keys nodes have. */
  hasUncounted = false;
  /** Already processed: pods of one template share these objects. */
  readonly #selectors = new Set<NodeSelector>();
  readonly #schedulings = new Set<Scheduling>();

  /** Returns whether the pod asks for anything new. */
  add(pod: PlacedPod, volumes: Volumes): boolean {
    const before = this.#size;
    this.hasUncounted ||= pod.isUncounted === true;
    for (const name in pod.requests) this.resources.add(name);
    if (pod.nodeSelector && !this.#selectors.has(pod.nodeSelector)) {
      this.#selectors.add(pod.nodeSelector);
      this.#addRule({ tolerations: [], nodeSelector: pod.nodeSelector });
    }
    if (pod.scheduling) this.#addScheduling(pod.scheduling, volumes);
    return this.#size !== before;
  }

  get #size(): number {
    return (
      this.resources.size + this.podKeys.size + this.nodeKeys.size + Number(this.names) + Number(this.hasUncounted)
    );
  }

  #addScheduling(scheduling: Scheduling, volumes: Volumes): void {
    // Volumes can change; the rest of a scheduling object cannot.
    const { rule } = mountedVolumes(scheduling.volumeClaims, volumes);
    if (rule) this.#addRule({ tolerations: [], volumes: rule });
    if (this.#schedulings.has(scheduling)) return;
    this.#schedulings.add(scheduling);
    const { spread, near, apart, likes } = scheduling;
    for (const { selector } of [...spread, ...near, ...apart]) this.#addKeys(podKeysOf(selector));
    for (const like of likes) {
      if ('node' in like) {
        for (const key of keysOfTerms([like.node])) this.nodeKeys.add(key);
        this.names ||= like.node.names.length > 0;
      } else this.#addKeys(podKeysOf(termOf(like).selector));
    }
  }

  #addKeys(keys: Iterable<string>): void {
    for (const key of keys) this.podKeys.add(key);
  }

  #addRule(rule: PlacementRule): void {
    for (const key of keysAsked(rule)) this.nodeKeys.add(key);
    this.names ||= asksNames(rule);
  }
}

const termOf = (like: { readonly near: PodTerm } | { readonly apart: PodTerm }): PodTerm =>
  'near' in like ? like.near : like.apart;
