// `lull run` on a real cluster: waits for the lease, checks which Karpenter is there, and runs the loop while it leads.
// Past 300 lines: everything that lives as long as the lease is opened and closed here.
import type { Settings } from '../../cluster/settings.ts';
import type { Facts } from '../../engine/situation.ts';
import type { Round } from '../../engine/verdict.ts';
import type { Connection } from '../../kube/connection.ts';
import type { KubePort } from '../../kube/kubePort.ts';
import type { LeaderLabel } from '../../kube/leaderLabel.ts';
import type { HeldLease } from '../../kube/lease.ts';
import { settingsOnLease } from '../../kube/leaseSeen.ts';
import { steadyClock, wallClock } from '../../kube/machine.ts';
import { pause } from '../../kube/pacing.ts';
import type { Reporter } from '../../kube/reporter.ts';
import type { Prober } from '../../probes/prober.ts';
import type { ObservedObjects } from '../../recording/recorder.ts';
import { openController } from '../../runtime/controller.ts';
import { runLoop, type WakingPort } from '../../runtime/loop.ts';
import type { ApiRequest, ApiResponse, Unsynced } from '../../runtime/port.ts';
import { meteredReconciler } from '../../server/meter.ts';
import { asDuration, type Instant, minute, second } from '../../time/instant.ts';
import { Contact, RefusedRequests } from './liveContact.ts';
import { BornParkedWatch, besideKarpenter, LiveTypes, type LookBeside } from './liveKarpenter.ts';
import type { Log } from './liveLog.ts';
import { openProber } from './liveProber.ts';
import { openReport } from './liveReport.ts';
import { LiveSearcher } from './liveSearch.ts';
import type { LiveSource } from './liveSource.ts';
import { RoundLog } from './liveStory.ts';
import { describeMissing, ParkingProgress, ProblemLog } from './liveWaiting.ts';
import type { WhileLeading } from './watchdog.ts';

export interface LiveRunOptions {
  readonly connection: Connection;
  /** As configured; the settings in force may be more restricted (N11). */
  readonly settings: Settings;
  readonly namespace: string;
  /** Absent = without a lease: the ledger alone keeps two controllers apart (G3). */
  readonly lease?: { readonly name: string; readonly whileLeading: WhileLeading };
  /** Different for each process. */
  readonly identity: string;
  readonly version: string;
  readonly source: LiveSource;
  readonly log: Log;
  /** Present if a recording is requested. */
  readonly observed?: ObservedObjects;
  /** Present in a pod. */
  readonly label?: Pick<LeaderLabel, 'set'>;
  /** Called with the settings with which rounds are decided from now on. */
  readonly onSettings?: (settings: Settings) => void;
  readonly signal: AbortSignal;
}

/** How often to check whether another Karpenter runs (N11). */
const lookEvery = asDuration(3 * minute);
/** How often to try until the server has answered once. */
const lookAgain = asDuration(5 * second);

/** Ends when the signal aborts, with the lease released. Nothing that happens in the cluster ends it. */
export async function runLive(live: LiveRunOptions): Promise<void> {
  const leader = new Leader(live);
  const { lease, signal } = live;
  try {
    if (lease === undefined) await leader.lead({ signal, isHeld: () => !signal.aborted });
    else await lease.whileLeading(leader.leaseOptions(lease.name), (held) => leader.lead(held));
  } finally {
    leader.close();
  }
}

const openWaiting = (log: Log): ProblemLog =>
  new ProblemLog(log, { kind: 'waiting', over: 'complete', isUrgent: true });

/** Wakes the loop when a search has ended or prices were read, as a change in the cluster does. */
const wakenBy = (port: WakingPort, ...others: readonly Pick<LiveTypes, 'onNews'>[]): WakingPort => ({
  ...port,
  onWake: (listener) => {
    port.onWake(listener);
    for (const other of others) other.onNews(listener);
  },
});

class Leader {
  readonly #live: LiveRunOptions;
  readonly #contact: Contact;
  readonly #lookBeside: LookBeside;
  readonly #born: BornParkedWatch;
  readonly #refusals: RefusedRequests;
  readonly #types: LiveTypes;
  readonly #story = new RoundLog();
  readonly #parking = new ParkingProgress();
  #waiting: ProblemLog;
  #inForce: Settings;
  #port: KubePort | undefined;
  #held: HeldLease | undefined;
  #prober: Prober | undefined;

  constructor(live: LiveRunOptions) {
    const { connection, settings, log, namespace, source } = live;
    this.#live = live;
    this.#inForce = settings;
    this.#refusals = new RefusedRequests({ log, namespace, role: () => this.#inForce.role });
    source.asksHindrance(() => this.#refusals.standing(wallClock.now) ?? this.#parking.hindrance);
    this.#contact = new Contact(live);
    this.#waiting = openWaiting(log);
    this.#lookBeside = besideKarpenter(connection.client, settings, log);
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
        // A process that does not lead, and is not about to, need not watch the cluster.
        if (holder !== undefined && holder !== identity && !this.#held) this.close();
      },
      onFault: (message: string, code?: number) => {
        this.#contact.leaseFault(message, code);
        // A server that refuses is reachable: the view would only grow unused.
        if (code !== undefined && code < 500 && code !== 409 && !this.#held) this.close();
      },
    };
  }

  async lead(held: HeldLease): Promise<void> {
    const { log, source, signal, label } = this.#live;
    this.#held = held;
    // A port that is still open continues with what it knows (K2).
    this.#port ??= this.#openPort();
    const port = this.#port;
    source.leads(port.person());
    void label?.set(true);
    log({ kind: 'leading', text: this.#live.lease === undefined ? 'without a lease' : this.#live.identity });
    this.#restart();
    this.#waiting = openWaiting(log);
    this.#prober = openProber(this.#live, held);
    void this.#types.follow(held.signal).catch((error: unknown) => this.#defect(error));
    try {
      for (let settings = await this.#firstLook(held); settings; )
        settings = await this.#runWith(settings, held, this.#watched(port));
    } finally {
      this.#prober?.close();
      this.#prober = undefined;
      this.#held = undefined;
      source.stops();
      void label?.set(false);
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

  async #firstLook({ signal }: HeldLease): Promise<Settings | undefined> {
    while (!signal.aborted) {
      const settings = await this.#lookBeside();
      if (settings) {
        await this.#born.look();
        return settings;
      }
      await pause(wallClock, lookAgain, signal);
    }
    return undefined;
  }

  /** Runs until another Karpenter requires other settings, which are returned, or until the lease is lost. */
  async #runWith(settings: Settings, held: HeldLease, port: WakingPort): Promise<Settings | undefined> {
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
      onWaiting: (why: readonly Unsynced[], now: Instant) => this.#waits(why, now),
      onWarning: (text: string) => log({ kind: 'warning', text }),
    };
    const reconciler = openController(port, settings, watcher, searcher);
    try {
      await runLoop({
        port: wakenBy(port, searcher, this.#types),
        reconciler: meteredReconciler(reconciler, meter, steadyClock),
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
      const next = signal.aborted ? undefined : await this.#lookBeside();
      if (next && next !== settings) return next;
    }
    return undefined;
  }

  /** Reporting must not stop decisions: errors in it are logged. */
  #decided(round: Round, facts: Facts, reporter: Reporter): void {
    const { source, log } = this.#live;
    try {
      for (const entry of this.#waiting.resolve(round.at)) log(entry);
      this.#contact.hasDecided(round.at);
      const { role } = this.#inForce;
      const progress = this.#parking.next(round);
      source.decided(round, facts, role);
      reporter.onRound(round, facts);
      this.#prober?.want(facts.cluster.gates);
      const isParking = this.#parking.hindrance !== undefined;
      for (const entry of [...progress, ...this.#story.next(round, facts, { role, isParking })]) {
        if (entry.kind === 'expired') source.meter.forcedExpiries.add({ nodepool: String(entry.pool) });
        log(entry);
        source.happened(entry);
      }
    } catch (error) {
      this.#defect(error);
    }
  }

  #waits(why: readonly Unsynced[], now: Instant): void {
    const { key, text } = describeMissing(why);
    this.#live.source.waitsFor(text);
    this.#waiting.report(now, key, text);
  }

  /** The port, with every response reported. */
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
      send: async (request: ApiRequest): Promise<ApiResponse> => {
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
      text: `${text}: this is a defect in Lull, which continues in 30 s. Please report it with this line.`,
      stack: stack ?? '',
    });
  }
}
