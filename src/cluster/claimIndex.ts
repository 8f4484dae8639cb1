// Which claim stands behind a node? By provider ID, as Karpenter pairs them; by name where there is none.
import type { Claim, Node } from './model.ts';
import { compareText } from './nodeView.ts';

export class ClaimIndex {
  readonly #claims = new Map<string, Claim>();
  readonly #claimsByNode = new Map<string, Set<string>>();
  readonly #claimsByProvider = new Map<string, Set<string>>();
  /** Few of them at any time: a round looks at each. */
  readonly #starting = new Map<string, Claim>();
  readonly #nodesByProvider = new Map<string, Set<string>>();

  get(name: string): Claim | undefined {
    return this.#claims.get(name);
  }

  get all(): Iterable<Claim> {
    return this.#claims.values();
  }

  get starting(): Iterable<Claim> {
    return this.#starting.values();
  }

  put(claim: Claim): void {
    this.#claims.set(claim.name, claim);
    if (isStarting(claim)) this.#starting.set(claim.name, claim);
    else this.#starting.delete(claim.name);
    if (claim.nodeName !== undefined) addTo(this.#claimsByNode, claim.nodeName, claim.name);
    if (claim.providerId !== undefined) addTo(this.#claimsByProvider, claim.providerId, claim.name);
  }

  remove({ name, nodeName, providerId }: Claim): void {
    this.#claims.delete(name);
    this.#starting.delete(name);
    if (nodeName !== undefined) removeFrom(this.#claimsByNode, nodeName, name);
    if (providerId !== undefined) removeFrom(this.#claimsByProvider, providerId, name);
  }

  putNode({ name, providerId }: Node): void {
    if (providerId !== undefined) addTo(this.#nodesByProvider, providerId, name);
  }

  removeNode({ name, providerId }: Node): void {
    if (providerId !== undefined) removeFrom(this.#nodesByProvider, providerId, name);
  }

  /** The names of the nodes that a claim may stand behind. */
  nodesOf({ nodeName, providerId }: Claim): string[] {
    const byProvider = providerId === undefined ? undefined : this.#nodesByProvider.get(providerId);
    return [...(nodeName === undefined ? [] : [nodeName]), ...(byProvider ?? [])];
  }

  claimOf({ name, providerId }: Node): Claim | undefined {
    const byProvider = providerId === undefined ? undefined : this.#claimsByProvider.get(providerId);
    // Should two claims say the same, the first by name is taken, whichever came first.
    const [first] = [...(byProvider ?? this.#claimsByNode.get(name) ?? [])].sort(compareText);
    return first === undefined ? undefined : this.#claims.get(first);
  }
}

const isStarting = ({ conditions, deletingSince }: Claim): boolean =>
  deletingSince === undefined && conditions.Initialized?.status !== 'True';

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key) ?? new Set<string>();
  index.set(key, values.add(value));
}

/** An empty set goes too: a provider ID that nobody has any more must read as unknown. */
function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  values?.delete(value);
  if (values?.size === 0) index.delete(key);
}
