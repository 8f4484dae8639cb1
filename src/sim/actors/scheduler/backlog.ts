// Which pods wait for a node, and for which is it worth looking again? Pods with the same needs wait together: what one cannot have, none can.
import { isDeleting, type Key, keyOf } from '../../kubeObject.ts';
import { isDaemonPod, isTerminal, nodeNameOf, type Pod } from '../manifest.ts';
import { asksMore } from './findNode.ts';
import { type Needs, needsOf } from './needs.ts';

export class Backlog {
  readonly #groups = new Map<Needs, Map<Key, Pod>>();
  readonly #needs = new Map<Key, Needs>();
  readonly #hopeful = new Set<Needs>();
  /** Those that ask more than room: whatever happens anywhere may help them. */
  readonly #demanding = new Set<Needs>();

  get isHopeful(): boolean {
    return this.#hopeful.size > 0;
  }

  /** Says whether it is new here. */
  set(pod: Pod, isGone: boolean): boolean {
    const key = keyOf(pod);
    const known = this.#needs.get(key);
    const isWaiting = !isGone && nodeNameOf(pod) === undefined && !isDeleting(pod) && !isTerminal(pod);
    if (!isWaiting) {
      if (known) this.#drop(key, known);
      return false;
    }
    const needs = known ?? needsOf(pod);
    this.#needs.set(key, needs);
    const group = this.#groups.get(needs);
    if (group) group.set(key, pod);
    else this.#groups.set(needs, new Map([[key, pod]]));
    if (!known) this.#hopeful.add(needs);
    if (!known && asksMore(pod)) this.#demanding.add(needs);
    return !known;
  }

  /** Something has changed: who of those that wait would be helped? */
  reconsider(wouldHelp: (needs: Needs) => boolean): void {
    for (const needs of this.#groups.keys()) {
      if (!this.#hopeful.has(needs) && wouldHelp(needs)) this.#hopeful.add(needs);
    }
  }

  /** Something has happened somewhere that is nobody's room. Says whether anybody is to look again. */
  stir(): boolean {
    for (const needs of this.#demanding) this.#hopeful.add(needs);
    return this.#demanding.size > 0;
  }

  giveUp(needs: Needs): void {
    this.#hopeful.delete(needs);
  }

  /** Those worth a look: by priority; then what is made for one node, since others can go elsewhere; then by age. */
  next(): Pod[] {
    const pods = [...this.#hopeful].flatMap((needs) => [...(this.#groups.get(needs)?.values() ?? [])]);
    const age = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
    return pods.sort(
      (a, b) =>
        (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0) ||
        Number(isDaemonPod(b)) - Number(isDaemonPod(a)) ||
        compare(age(a), age(b)) ||
        compare(a.metadata.uid ?? '', b.metadata.uid ?? ''),
    );
  }

  #drop(key: Key, needs: Needs): void {
    this.#needs.delete(key);
    const group = this.#groups.get(needs);
    group?.delete(key);
    if (group?.size !== 0) return;
    this.#groups.delete(needs);
    this.#hopeful.delete(needs);
    this.#demanding.delete(needs);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
