// Checked every few minutes beside the rounds: which Karpenter runs (N11), whether new nodes are created parked (N2), and prices (F5).
import type { InstanceType, Settings } from '../../cluster/settings.ts';
import { type BornParked, bornParkedName, lookForBornParked } from '../../kube/bornParked.ts';
import type { Client } from '../../kube/client.ts';
import type { Connection } from '../../kube/connection.ts';
import { type DetectedKarpenter, describeKarpenter, lookForKarpenter, objectionsTo } from '../../kube/karpenterSeen.ts';
import { readKarpenterTypes, type TypesRead } from '../../kube/karpenterTypes.ts';
import { wallClock } from '../../kube/machine.ts';
import { pause } from '../../kube/pacing.ts';
import type { Meter } from '../../server/meter.ts';
import { asDuration, minute } from '../../time/instant.ts';
import type { Log } from './liveLog.ts';

/** Returns the settings to decide with: the same object as long as nothing has changed. Undefined = the server has not answered yet. */
export type LookBeside = () => Promise<Settings | undefined>;

/** The role that Lull may have beside the Karpenter it finds (N11). */
export function besideKarpenter(client: Client, wanted: Settings, log: Log): LookBeside {
  const { role } = wanted;
  let seen: DetectedKarpenter | undefined;
  let told = '';
  let against = '';
  let inForce: Settings | undefined;

  function judge(said: string): Settings {
    const was = against;
    against = said;
    if (inForce && said === was) return inForce;
    const settings = lessened(wanted, said);
    if (said !== '') log({ kind: 'role', text: `${lessen[role]}: ${said}`, role: settings.role });
    else if (was !== '') log({ kind: 'role', text: `${role} again: nothing prevents it any more`, role });
    // In observe, objections to drive are only logged: rounds are decided as before.
    const isSame = inForce?.role === settings.role && inForce.withhold === settings.withhold;
    inForce = inForce && isSame ? inForce : settings;
    return inForce;
  }

  return async () => {
    const now = await lookForKarpenter(client, seen);
    // No answer changes nothing (K2).
    if (!now.isAnswered) return inForce;
    seen = now;
    const text = describeKarpenter(now);
    if (text !== told) log({ kind: 'karpenter', text });
    told = text;
    return judge(role === 'observe' ? '' : objectionsTo(now).join(' '));
  };
}

/** How the role is restricted, for the log. */
const lessen: Readonly<Record<Settings['role'], string>> = {
  observe: 'observe',
  guide:
    'guide, but nothing is offered until this changes; every governed node stays parked, and offers that Karpenter has not taken are withdrawn',
  drive: 'observe instead of drive, until this changes',
};

/** guide exists to keep nodes from a Karpenter that is unknown or may come back any moment: the nodes stay parked. */
function lessened(wanted: Settings, against: string): Settings {
  if (against === '') return wanted;
  return wanted.role === 'guide' ? { ...wanted, withhold: against } : { ...wanted, role: 'observe' };
}

const policy = `MutatingAdmissionPolicy ${bornParkedName}`;
const risk =
  'Nodes that Karpenter creates while Lull is not running are not parked: only spec.disruption.budgets limits how many of them it disrupts then.';

const words: Readonly<Record<BornParked, string>> = {
  'in force': `New nodes are parked at creation by ${policy}: Karpenter neither drifts nor consolidates them, even while Lull is not running.`,
  missing: `${policy} or its binding is missing. ${risk} \`lull install --set role=guide\` creates it.`,
  'not served': `This API server does not serve MutatingAdmissionPolicy (Kubernetes 1.36 does). ${risk}`,
  unreadable: `Lull may not read ${policy}, so it does not know whether new nodes are parked at creation. \`lull install\` grants the permission.`,
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

  /** Undefined = not known, or irrelevant for this role. */
  get inForce(): boolean | undefined {
    return this.#seen === undefined || this.#seen === 'unreadable' ? undefined : this.#seen === 'in force';
  }

  async look(): Promise<void> {
    if (!this.#isGuide) return;
    const seen = await lookForBornParked(this.#client);
    // No answer changes nothing.
    if (seen === undefined || seen === this.#seen) return;
    this.#seen = seen;
    this.#meter.bornParked = this.inForce;
    this.#log({ kind: 'born-parked', text: words[seen], inForce: seen === 'in force' });
  }
}

/** Prices change a few times a day. */
const readEvery = asDuration(5 * minute);
/** In a shortage Karpenter forgets a failed launch after three minutes, and updates its metrics every minute. */
const readEveryInShortage = minute;

/** Whether something that can be bought is not on offer. Capacity reservations that do not exist have the price 0 and are never on offer. */
export const isShort = (types: readonly InstanceType[] = []): boolean =>
  types.some(({ offerings }) => offerings.some(({ available, price }) => !available && price > 0));

interface TypesOptions {
  readonly connection: Pick<Connection, 'client' | 'context'>;
  readonly settings: Settings;
  readonly log: Log;
}

export class LiveTypes {
  /** The same list as long as nothing has changed. Undefined = none have been read yet. */
  types: readonly InstanceType[] | undefined;
  /** The first answer has not arrived yet. */
  isAwaited: boolean;
  readonly #options: TypesOptions;
  readonly #listeners: (() => void)[] = [];
  #text = '';
  #told = '';

  constructor(options: TypesOptions) {
    this.#options = options;
    this.isAwaited = options.settings.karpenterMetrics !== 'off';
  }

  onNews(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { karpenterMetrics: where } = this.#options.settings;
    if (where === 'off') return;
    while (!signal.aborted) {
      const { client, context } = this.#options.connection;
      const read = await readKarpenterTypes({ where, client, isInside: context === 'in-cluster' });
      if (signal.aborted) return;
      this.#take(read);
      await pause(wallClock, isShort(this.types) ? readEveryInShortage : readEvery, signal);
    }
  }

  /** If reading fails, the earlier prices stay: an hour-old price is better than none. */
  #take(read: TypesRead): void {
    this.#tell(read);
    const isFirst = this.isAwaited;
    this.isAwaited = false;
    const text = 'why' in read ? this.#text : JSON.stringify(read.types);
    if (text === this.#text && !isFirst) return;
    if ('types' in read && text !== this.#text) this.types = read.types;
    this.#text = text;
    for (const listener of this.#listeners) listener();
  }

  /** Logs each message once, until another replaces it. */
  #tell(read: TypesRead): void {
    const text =
      'why' in read ? unread(read.why, this.types !== undefined) : `instance types and prices from ${read.from}`;
    if (text === this.#told) return;
    this.#told = text;
    this.#options.log({ kind: 'prices', text: 'why' in read ? text : `${read.types.length} ${text}` });
  }
}

const unread = (why: string, isKnown: boolean): string =>
  isKnown
    ? `Karpenter's metrics cannot be read (${why}): the prices read before stay in use`
    : `Karpenter's metrics cannot be read (${why}): consolidation knows only the instance types seen on nodes, and offers the other nodes for Karpenter to judge`;
