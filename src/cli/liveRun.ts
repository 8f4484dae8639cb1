// How does Lull live on a real cluster? It waits for the lease, looks at which Karpenter is there, and runs the loop as long as it leads.
import type { Settings } from '../cluster/settings.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Connection } from '../kube/connection.ts';
import type { KubePort } from '../kube/kubePort.ts';
import type { Held } from '../kube/leading.ts';
import { steadyClock, wallClock } from '../kube/machine.ts';
import { pause } from '../kube/pause.ts';
import type { Reporter } from '../kube/reporter.ts';
import { settingsOnLease } from '../kube/settingsInForce.ts';
import type { Observed } from '../recording/observed.ts';
import { openController } from '../runtime/controller.ts';
import { runLoop, type WakingPort } from '../runtime/loop.ts';
import type { Answer, Request } from '../runtime/port.ts';
import { meteredTenant } from '../server/meter.ts';
import { asDuration, type Instant, minute, second } from '../time/instant.ts';
import { BornParkedWatch } from './liveBornParked.ts';
import { Contact } from './liveContact.ts';
import { BesideKarpenter } from './liveKarpenter.ts';
import type { Log } from './liveLog.ts';
import { sayMissing } from './liveMissing.ts';
import { ParkingProgress } from './liveParking.ts';
import { Refusals } from './liveRefusals.ts';
import { openReport } from './liveReport.ts';
import { LiveSearcher } from './liveSearch.ts';
import type { LiveSource } from './liveSource.ts';
import { Story } from './liveStory.ts';
import { LiveTypes } from './liveTypes.ts';
import { Waiting } from './liveWaiting.ts';
import type { WhileLeading } from './watchdog.ts';

export interface Live {
  readonly connection: Connection;
  /** As they were asked for; what is in force may be less (N11). */
  readonly settings: Settings;
  readonly namespace: string;
  /** Absent = without one: G3 is kept by the ledger alone. */
  readonly lease?: { readonly name: string; readonly whileLeading: WhileLeading };
  /** Another for each process. */
  readonly identity: string;
  readonly version: string;
  readonly source: LiveSource;
  readonly log: Log;
  /** Where a recording is wanted. */
  readonly observed?: Observed;
  /** Told with which settings rounds are decided from here on. */
  readonly onSettings?: (settings: Settings) => void;
  readonly signal: AbortSignal;
}

/** N11: whether Karpenter is another now is looked at this often. */
const lookEvery = asDuration(3 * minute);
/** As long as nobody has answered. */
const lookAgain = asDuration(5 * second);

/** Ends when the signal says so, with the lease given back. Never by what a cluster may do. */
export async function runLive(live: Live): Promise<void> {
  const leader = new Leader(live);
  const { lease, signal } = live;
  try {
    if (lease === undefined) await leader.lead({ signal, isHeld: () => !signal.aborted });
    else await lease.whileLeading(leader.leaseOptions(lease.name), (held) => leader.lead(held));
  } finally {
    leader.close();
  }
}

const openWaiting = (log: Log): Waiting => new Waiting(log, { kind: 'waiting', over: 'complete', isUrgent: true });

/** A search that has ended, or prices that were read, wake the loop as a change of the cluster does. */
const wakenBy = (port: WakingPort, ...others: readonly Pick<LiveTypes, 'onNews'>[]): WakingPort => ({
  ...port,
  onWake: (listener) => {
    port.onWake(listener);
    for (const other of others) other.onNews(listener);
  },
});

class Leader {
  readonly #live: Live;
  readonly #contact: Contact;
  readonly #beside: BesideKarpenter;
  readonly #born: BornParkedWatch;
  readonly #refusals: Refusals;
  readonly #types: LiveTypes;
  readonly #story = new Story();
  readonly #parking = new ParkingProgress();
  #waiting: Waiting;
  #inForce: Settings;
  #port: KubePort | undefined;
  #held: Held | undefined;

  constructor(live: Live) {
    const { connection, settings, log, namespace, source } = live;
    this.#live = live;
    this.#inForce = settings;
    this.#refusals = new Refusals({ log, namespace, role: () => this.#inForce.role });
    source.asksHindrance(() => this.#refusals.standing(wallClock.now) ?? this.#parking.hindrance);
    this.#contact = new Contact(live);
    this.#waiting = openWaiting(log);
    this.#beside = new BesideKarpenter(connection.client, settings, log);
    this.#born = new BornParkedWatch({ client: connection.client, settings, log, meter: source.meter });
    this.#types = new LiveTypes({ connection, settings, log });
  }

  leaseOptions(name: string) {
    const { namespace, identity, signal, version } = this.#live;
    return {
      namespace,
      name,
      identity,
      signal,
      annotations: () => settingsOnLease(this.#inForce, version),
      onHolder: (holder: string | undefined) => {
        this.#contact.heldBy(holder);
        this.#port?.hurry();
        // Who leads no more, and is not about to, need not follow everything that happens.
        if (holder !== undefined && holder !== identity && !this.#held) this.close();
      },
      onFault: (message: string, code?: number) => {
        this.#contact.leaseFault(message, code);
        // A server that says no is there: what nobody looks at would only grow.
        if (code !== undefined && code < 500 && code !== 409 && !this.#held) this.close();
      },
    };
  }

  async lead(held: Held): Promise<void> {
    const { log, source, signal } = this.#live;
    this.#held = held;
    // K2: one that was open already goes on with what it knows.
    this.#port ??= this.#openPort();
    const port = this.#port;
    source.leads(port.person());
    log({ kind: 'leading', text: this.#live.lease === undefined ? 'without a lease' : this.#live.identity });
    this.#restart();
    this.#waiting = openWaiting(log);
    void this.#types.follow(held.signal).catch((error: unknown) => this.#defect(error));
    try {
      for (let settings = await this.#firstLook(held); settings; )
        settings = await this.#runWith(settings, held, this.#watched(port));
    } finally {
      this.#held = undefined;
      source.stops();
    }
    if (!signal.aborted) log({ kind: 'lost', text: 'The lease is lost: nothing is started until it is held again.' });
  }

  #restart(): void {
    this.#story.restart();
    this.#parking.restart();
  }

  close(): void {
    this.#port?.close();
    this.#port = undefined;
  }

  #openPort(): KubePort {
    const { observed, connection } = this.#live;
    observed?.restart();
    return connection.openPort({
      mayAct: () => this.#held?.isHeld() ?? false,
      onFault: (message) => {
        this.#live.source.meter.watchFaults++;
        this.#contact.watchFault(message);
      },
      onWarning: (text) => this.#live.log({ kind: 'warning', text }),
      ...(observed && { onRead: (object, isGone) => observed.read(object, isGone) }),
    });
  }

  async #firstLook({ signal }: Held): Promise<Settings | undefined> {
    while (!signal.aborted) {
      const settings = await this.#beside.look();
      if (settings) {
        await this.#born.look();
        return settings;
      }
      await pause(wallClock, lookAgain, signal);
    }
    return undefined;
  }

  /** Until Karpenter is another, which gives the settings to go on with, or the lease is lost. */
  async #runWith(settings: Settings, held: Held, port: WakingPort): Promise<Settings | undefined> {
    if (settings !== this.#inForce) this.#restart();
    const { onSettings } = this.#live;
    this.#inForce = settings;
    onSettings?.(settings);
    const changed = new AbortController();
    const signal = AbortSignal.any([held.signal, changed.signal]);
    const next = this.#untilOther(settings, signal).finally(() => changed.abort());
    const { connection, identity, log, source } = this.#live;
    const { meter } = source;
    const reporter = openReport(
      { connection, identity, log, meter, bornParked: () => this.#born.inForce },
      settings,
      held,
    );
    const searcher = new LiveSearcher({
      onFault: (text) => log({ kind: 'warning', text }),
      onEnd: (outcome) => meter.searches.add({ outcome }),
    });
    const watcher = {
      onRound: (round: Round, facts: Facts) => this.#decided(round, facts, reporter),
      onWaiting: (why: readonly string[], now: Instant) => this.#waits(why, now),
      onWarning: (text: string) => log({ kind: 'warning', text }),
    };
    const tenant = openController(port, settings, watcher, searcher);
    try {
      await runLoop({
        port: wakenBy(port, searcher, this.#types),
        tenant: meteredTenant(tenant, meter, steadyClock),
        clock: wallClock,
        signal,
        mayAct: () => held.isHeld(),
        onError: (error) => this.#defect(error),
      });
    } finally {
      changed.abort();
      searcher.close();
      await reporter.close();
    }
    return held.signal.aborted ? undefined : next;
  }

  async #untilOther(settings: Settings, signal: AbortSignal): Promise<Settings | undefined> {
    while (!signal.aborted) {
      await pause(wallClock, lookEvery, signal);
      if (!signal.aborted) await this.#born.look();
      const next = signal.aborted ? undefined : await this.#beside.look();
      if (next && next !== settings) return next;
    }
    return undefined;
  }

  /** Telling is not deciding: what goes wrong there holds up nothing. */
  #decided(round: Round, facts: Facts, reporter: Reporter): void {
    const { source, log } = this.#live;
    try {
      for (const told of this.#waiting.isOver(round.at)) log(told);
      this.#contact.hasDecided(round.at);
      const { role } = this.#inForce;
      const progress = this.#parking.next(round);
      source.decided(round, facts, role);
      reporter.onRound(round, facts);
      const isParking = this.#parking.hindrance !== undefined;
      for (const told of [...progress, ...this.#story.next(round, facts, { role, isParking })]) {
        if (told.kind === 'expired') source.meter.forcedExpiries.add({ nodepool: String(told.pool) });
        log(told);
        source.happened(told);
      }
    } catch (error) {
      this.#defect(error);
    }
  }

  #waits(why: readonly string[], now: Instant): void {
    const { key, text } = sayMissing(why);
    this.#live.source.waitsFor(text);
    this.#waiting.goesOn(now, key, text);
  }

  /** Hears what the server says to each request. */
  #watched(port: KubePort): WakingPort {
    const { meter } = this.#live.source;
    return {
      view: () => {
        const view = port.view();
        meter.looked(view, wallClock.now);
        const { types, isAwaited } = this.#types;
        if (isAwaited) return { ...view, typesAwaited: true };
        return types ? { ...view, instanceTypes: types } : view;
      },
      onWake: (listener) => port.onWake(listener),
      catchUp: (kinds) => port.catchUp(kinds),
      send: async (request: Request): Promise<Answer> => {
        const answer = await port.send(request);
        meter.answered(request, answer);
        if (!this.#refusals.hears(request, answer, wallClock.now)) this.#contact.answered(answer);
        return answer;
      },
    };
  }

  #defect(error: unknown): void {
    this.#live.source.meter.defects++;
    const [text, stack] = error instanceof Error ? [error.message, error.stack] : [String(error), undefined];
    this.#live.log({
      kind: 'defect',
      text: `${text}: this is an error of Lull's own; it goes on in half a minute. Please report it with this line.`,
      stack: stack ?? '',
    });
  }
}
