// Checks that no node is disrupted for drift before it has been drifted for driftAfter (P7), and that a requested roll concerns only
// nodes that are older (Q1); with its own record of when templates changed.

import { annotation } from '../../cluster/names.ts';
import type { Instant } from '../../time/instant.ts';
import { conditionOf } from '../actors/rawObjects.ts';
import { annotationsOf, instantOf, type KubeObject, versionOf } from '../kubeObject.ts';
import { compiled } from './compiledPolicies.ts';
import { type CheckFinding, finding, type LedgerWrite, poolObject, type StartedNode, startsOf } from './ledgerWrite.ts';
import type { Host } from './raw.ts';

/** A claim that looks drifted, and not because Lull changed its hash (N6). */
const isDrifted = ({ claim }: Host): boolean =>
  claim !== undefined &&
  conditionOf(claim, 'Drifted')?.status === 'True' &&
  annotationsOf(claim)[annotation.hashBefore] === undefined;

interface TemplateChange {
  readonly version: number;
  readonly at: Instant;
  readonly text: string;
}

export class DriftWatch {
  /** By pool, in order of version. */
  readonly #changes = new Map<string, TemplateChange[]>();

  follow(pool: KubeObject, at: Instant): void {
    const { name } = pool.metadata;
    const known = this.#changes.get(name) ?? [];
    const text = JSON.stringify(pool.spec?.template ?? {});
    if (known.at(-1)?.text === text) return;
    known.push({ version: Number(versionOf(pool)), at, text });
    this.#changes.set(name, known);
  }

  check(written: LedgerWrite): CheckFinding[] {
    return startsOf(written)
      .filter(({ reason }) => reason === 'Drifted')
      .flatMap((start) => this.#tooRecent(start, written));
  }

  #tooRecent(start: StartedNode, { sight }: LedgerWrite): CheckFinding[] {
    const { host, at } = start;
    const object = poolObject(host, sight);
    if (!object) return [];
    const { driftAfter, budgets, rollRequested } = compiled('NodePool', object);
    const { rollRequested: ofNode } = compiled('Node', host.node).rules;
    const created = instantOf((host.claim ?? host.node).metadata.creationTimestamp);
    const requests = [rollRequested, ofNode].filter((it) => it !== undefined);
    // A node that only a person wants replaced has not drifted (Q1).
    if (requests.length > 0 && !isDrifted(host) && this.#isAsAsked(object, created)) {
      const concerns = requests.some((it) => created !== undefined && created < it.at && it.at <= at);
      return concerns ? [] : [finding('Q1', `${host.name} is started for Drifted, which no request concerns`)];
    }
    const wait = Math.max(0, driftAfter ?? 0, ...budgets.map((budget) => budget.driftAfter ?? 0));
    const since = this.#driftedSince(start, object);
    if (wait === 0 || (since !== undefined && at >= since + wait)) return [];
    return [finding('P7', `${host.name} is started for Drifted, which has not been drifted for ${wait / 1000} s`)];
  }

  /** Whether the template is still the one of that time. */
  #isAsAsked(pool: KubeObject, created: Instant | undefined): boolean {
    const changes = this.#changes.get(pool.metadata.name) ?? [];
    const made = changes.findLast(({ at }) => created !== undefined && at <= created) ?? changes[0];
    return made?.text === changes.at(-1)?.text;
  }

  /** By the claim's condition, or else since its author's view of the template was written. */
  #driftedSince({ host }: StartedNode, pool: KubeObject): Instant | undefined {
    const drifted = host.claim && conditionOf(host.claim, 'Drifted');
    if (drifted?.status === 'True') return instantOf(drifted.lastTransitionTime);
    const seen = Number(versionOf(pool));
    return this.#changes.get(pool.metadata.name)?.findLast(({ version }) => version <= seen)?.at;
  }
}
