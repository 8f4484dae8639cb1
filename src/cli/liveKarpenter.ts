// Which role can Lull have beside the Karpenter that is there (N11)? Looked at from time to time; what changes is said.
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
    if (said !== '')
      this.#log({
        kind: 'role',
        text: `observe instead of ${role}, until this is otherwise: ${said}`,
        role: 'observe',
      });
    else if (was !== '') this.#log({ kind: 'role', text: `${role} again: what stood against it is over`, role });
    const isSame = this.#inForce && (said === '') === (was === '');
    this.#inForce = isSame ? this.#inForce : said === '' ? this.#wanted : { ...this.#wanted, role: 'observe' };
    return this.#inForce ?? this.#wanted;
  }
}
