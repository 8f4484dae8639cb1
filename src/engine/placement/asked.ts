// What do the pods of a cluster ask for at all? Only that has a column, and only that makes pods or nodes differ.
import type { PodTerm, Scheduling } from '../../cluster/scheduling.ts';
import type { NodeSelector } from '../../cluster/selector.ts';
import type { Volumes } from '../../cluster/volumes.ts';
import { asksNames, keysAsked, keysOfTerms, type Rule } from './rule.ts';
import { podKeysOf } from './termBook.ts';
import type { PlacedPod } from './uncounted.ts';
import { mountedVolumes } from './volumeRule.ts';

export class Asked {
  /** The first three have places of their own. */
  readonly resources = new Set(['cpu', 'memory', 'pods']);
  readonly podKeys = new Set<string>();
  readonly nodeKeys = new Set<string>();
  names = false;
  /** Some pod is not worked out: then it matters which label keys nodes have. */
  hasUncounted = false;
  /** Looked into already: pods share what they were made from, where that is known to be the same. */
  readonly #selectors = new Set<NodeSelector>();
  readonly #schedulings = new Set<Scheduling>();

  /** Whether it asks for anything new. */
  hear(pod: PlacedPod, volumes: Volumes): boolean {
    const before = this.#size;
    this.hasUncounted ||= pod.isUncounted === true;
    for (const name in pod.requests) this.resources.add(name);
    if (pod.nodeSelector && !this.#selectors.has(pod.nodeSelector)) {
      this.#selectors.add(pod.nodeSelector);
      this.#hearRule({ tolerations: [], nodeSelector: pod.nodeSelector });
    }
    if (pod.scheduling) this.#hearScheduling(pod.scheduling, volumes);
    return this.#size !== before;
  }

  get #size(): number {
    return (
      this.resources.size + this.podKeys.size + this.nodeKeys.size + Number(this.names) + Number(this.hasUncounted)
    );
  }

  #hearScheduling(scheduling: Scheduling, volumes: Volumes): void {
    // What claims come to can change; the rest is said once.
    const { rule } = mountedVolumes(scheduling.volumeClaims, volumes);
    if (rule) this.#hearRule({ tolerations: [], volumes: rule });
    if (this.#schedulings.has(scheduling)) return;
    this.#schedulings.add(scheduling);
    const { spread, near, apart, likes } = scheduling;
    for (const { selector } of [...spread, ...near, ...apart]) this.#hearKeys(podKeysOf(selector));
    for (const like of likes) {
      if ('node' in like) {
        for (const key of keysOfTerms([like.node])) this.nodeKeys.add(key);
        this.names ||= like.node.names.length > 0;
      } else this.#hearKeys(podKeysOf(termOf(like).selector));
    }
  }

  #hearKeys(keys: Iterable<string>): void {
    for (const key of keys) this.podKeys.add(key);
  }

  #hearRule(rule: Rule): void {
    for (const key of keysAsked(rule)) this.nodeKeys.add(key);
    this.names ||= asksNames(rule);
  }
}

const termOf = (like: { readonly near: PodTerm } | { readonly apart: PodTerm }): PodTerm =>
  'near' in like ? like.near : like.apart;
