// Whether nodes are parked from birth while no Lull runs (N2): looked at every few minutes in guide; changes are logged and counted.
import type { Settings } from '../cluster/settings.ts';
import { type BornParked, bornParkedName, lookForBornParked } from '../kube/bornParked.ts';
import type { Client } from '../kube/client.ts';
import type { Meter } from '../server/meter.ts';
import type { Log } from './liveLog.ts';

const policy = `MutatingAdmissionPolicy ${bornParkedName}`;
const risk =
  'Nodes that Karpenter creates while no Lull runs are not parked: spec.disruption.budgets alone limits how many of them it disrupts then.';

const words: Readonly<Record<BornParked, string>> = {
  'in force': `New nodes are parked from birth, by ${policy}: Karpenter neither drifts nor consolidates them, even while no Lull runs.`,
  missing: `${policy} or its binding is missing. ${risk} \`lull install --set role=guide\` makes it.`,
  'not served': `This API server does not serve MutatingAdmissionPolicy (Kubernetes 1.36 does). ${risk}`,
  unreadable: `${policy} may not be read, so that it is not known whether new nodes are parked from birth. \`lull install\` brings the right to read it.`,
};

export class BornParkedWatch {
  readonly #client: Client;
  readonly #log: Log;
  readonly #meter: Meter;
  readonly #isGuide: boolean;
  #seen: BornParked | undefined;

  constructor({ client, settings, log, meter }: { client: Client; settings: Settings; log: Log; meter: Meter }) {
    this.#client = client;
    this.#log = log;
    this.#meter = meter;
    this.#isGuide = settings.role === 'guide';
  }

  /** Undefined = it is not known, or no business of this role. */
  get inForce(): boolean | undefined {
    return this.#seen === undefined || this.#seen === 'unreadable' ? undefined : this.#seen === 'in force';
  }

  async look(): Promise<void> {
    if (!this.#isGuide) return;
    const seen = await lookForBornParked(this.#client);
    // A server that does not answer says nothing new.
    if (seen === undefined || seen === this.#seen) return;
    this.#seen = seen;
    this.#meter.bornParked = this.inForce;
    this.#log({ kind: 'born-parked', text: words[seen], inForce: seen === 'in force' });
  }
}
