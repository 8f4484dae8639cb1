// The role that Lull can have beside the Karpenter it sees (N11): looked at every few minutes; changes are logged.
import type { Settings } from '../cluster/settings.ts';
import type { Client } from '../kube/client.ts';
import { type KarpenterSeen, lookForKarpenter, objectionsTo, sayKarpenter } from '../kube/karpenterSeen.ts';
import type { Log } from './liveLog.ts';

export class BesideKarpenter {
  readonly #client: Client;
  readonly #wanted: Settings;
  readonly #log: Log;
  #seen: KarpenterSeen | undefined;
  #told: string | undefined;
  #objections = '';
  #inForce: Settings | undefined;

  constructor(client: Client, wanted: Settings, log: Log) {
    this.#client = client;
    this.#wanted = wanted;
    this.#log = log;
  }

  /** The settings to decide with: the same object as long as nothing has changed. Undefined = the server has never answered. */
  async look(): Promise<Settings | undefined> {
    const seen = await lookForKarpenter(this.#client, this.#seen);
    // K2: who does not answer says nothing new.
    if (!seen.isAnswered) return this.#inForce;
    this.#seen = seen;
    this.#tell(seen);
    const objections = this.#wanted.role === 'observe' ? [] : objectionsTo(seen);
    return this.#judge(objections);
  }

  #tell(seen: KarpenterSeen): void {
    const text = sayKarpenter(seen);
    if (text === this.#told) return;
    this.#told = text;
    this.#log({ kind: 'karpenter', text });
  }

  #judge(objections: readonly string[]): Settings {
    const { role } = this.#wanted;
    const said = objections.join(' ');
    const was = this.#objections;
    this.#objections = said;
    if (this.#inForce && said === was) return this.#inForce;
    const settings = lessened(this.#wanted, said);
    if (said !== '') this.#log({ kind: 'role', text: `${lessen[role]}: ${said}`, role: settings.role });
    else if (was !== '') this.#log({ kind: 'role', text: `${role} again: what stood against it is over`, role });
    // In observe the words against drive are only logged: rounds are decided as before.
    const isSame = this.#inForce?.role === settings.role && this.#inForce.withhold === settings.withhold;
    if (!this.#inForce || !isSame) this.#inForce = settings;
    return this.#inForce;
  }
}

/** How much less is done, for the log. */
const lessen: Readonly<Record<Settings['role'], string>> = {
  observe: 'observe',
  guide:
    'guide, but nothing is offered until this changes; every governed node stays parked, and offers that Karpenter has not taken are withdrawn',
  drive: 'observe instead of drive, until this changes',
};

/** Opening nodes to a Karpenter that is not known, or comes back any moment, is what guide is there to prevent: they stay parked. */
function lessened(wanted: Settings, against: string): Settings {
  if (against === '') return wanted;
  return wanted.role === 'guide' ? { ...wanted, withhold: against } : { ...wanted, role: 'observe' };
}
