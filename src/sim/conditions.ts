// What is wrong or slow in the box on purpose? The script changes it; actors ask before they act.

/** What may be wrong, each by the name of what it concerns. */
export interface Wrongs {
  /** By pool. `never`: the cloud does not answer; `fails`: it says no at once; a number: it takes so many times as long. */
  readonly launches: 'never' | 'fails' | number;
  /** By pool. A number: from launch to Ready takes so many times as long. */
  readonly boots: number;
  /** By the node label `image`. `nodes` never get Ready; or they do, and their `pods` crash. */
  readonly images: 'nodes' | 'pods';
  /** By node: nothing on it answers, though its machine may still be there. */
  readonly kubelets: 'dead';
  /** By node: its machine is gone, whatever the cluster says. */
  readonly instances: 'lost';
  /** By `namespace/name` of a pod, or `namespace/Kind/name` of whoever made it (its ReplicaSet or its Deployment): it starts and crashes. */
  readonly workloads: 'crash';
}

export type Wrong = keyof Wrongs;

/** Stands for everything of which nothing is said by name. */
export const everything = '*';

export class Conditions {
  readonly #wrongs = new Map<Wrong, Map<string, Wrongs[Wrong]>>();
  readonly #listeners: (() => void)[] = [];

  of<W extends Wrong>(what: W, name: string): Wrongs[W] | undefined {
    const named = this.#wrongs.get(what);
    return named && ((named.get(name) ?? named.get(everything)) as Wrongs[W] | undefined);
  }

  set<W extends Wrong>(what: W, name: string, how: Wrongs[W]): void {
    const named = this.#wrongs.get(what) ?? new Map<string, Wrongs[Wrong]>();
    this.#wrongs.set(what, named.set(name, how));
    this.#tell();
  }

  clear(what: Wrong, name: string): void {
    const named = this.#wrongs.get(what);
    if (!named?.delete(name)) return;
    if (named.size === 0) this.#wrongs.delete(what);
    this.#tell();
  }

  /** Whether anything is wrong: asked before 20,000 pods are looked through. */
  has(what: Wrong): boolean {
    return this.#wrongs.has(what);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
