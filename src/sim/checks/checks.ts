// Invariant checks of a simulation: an observer that reads raw objects and requests, independent of the engine.

import type { SeenVersions } from '../../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../cluster/settings.ts';
import { asInstant, type Instant } from '../../time/instant.ts';
import { instantOf, type KubeObject, keyAt, keyOf, versionOf } from '../kubeObject.ts';
import { noLedger, readLedger } from '../ledgerRecord.ts';
import type { ObjectChange, Objects } from '../objects.ts';
import type { SentRequest } from '../simPort.ts';
import type { VirtualClock } from '../virtualClock.ts';
import { isUnparked, wrongAct } from './acts.ts';
import { AuthorViews, watchedKinds } from './authorView.ts';
import { DriftWatch } from './driftWatch.ts';
import { EvictionChecks } from './evictionChecks.ts';
import { type CheckFinding, finding, type InvariantViolation, type LedgerWrite } from './ledgerWrite.ts';
import { againstProtections } from './protections.ts';
import { RateWatch } from './rateWatch.ts';
import { beyondBudgets, beyondCaps, beyondPdbs, closesSoon } from './startLimits.ts';
import { residueFindings, StepDurations } from './stepDurations.ts';
import { wrongSteps } from './steps.ts';
import { type CalmPeriod, overdueParkedPods, staleOffers, wrongDisruption, wrongEviction } from './takes.ts';
import { TrackedCommands } from './trackedCommands.ts';
import { outOfTurn } from './turns.ts';
import { TurnWatch } from './turnWatch.ts';
import { WaveWatch } from './waveWatch.ts';

export type { InvariantViolation } from './ledgerWrite.ts';

/** The rules for a write of the ledger. */
const ledgerRules: readonly ((written: LedgerWrite) => CheckFinding[])[] = [
  beyondBudgets,
  beyondCaps,
  beyondPdbs,
  againstProtections,
  closesSoon,
  outOfTurn,
  wrongSteps,
];

export interface ChecksOptions {
  readonly settings?: Settings;
  /** Whether a writer is an instance of Lull. */
  readonly isLull?: (by: string) => boolean;
}

export interface Checks {
  /** In order of time. */
  readonly violations: readonly InvariantViolation[];
  /** Checks a request after it was carried out, refused or lost. */
  note(sent: SentRequest): void;
  /** Controllers could not work in this period, because of a crash or an unreachable API server: deadlines are extended. */
  disturbed(from: Instant, to: Instant): void;
  /** At the end of a run: reports commands that did not finish in time. */
  finish(): void;
  /** At the end of a run that came to rest: reports what is left over. */
  expectRest(): void;
  close(): void;
}

export function openChecks(
  { objects, clock }: { readonly objects: Objects; readonly clock: VirtualClock },
  { settings = defaultSettings, isLull = (by) => by.startsWith('lull') }: ChecksOptions = {},
): Checks {
  const violations: InvariantViolation[] = [];
  const sights = new AuthorViews();
  const commands = new TrackedCommands(clock.now);
  const turns = new TurnWatch(objects);
  const drifts = new DriftWatch();
  const waves = new WaveWatch();
  const rates = new RateWatch();
  const around = { objects, commands, settings };
  const evictions = new EvictionChecks(around);
  const ends = new StepDurations(around);
  const own = new OwnWrites();
  let ledger = noLedger;
  let seen = sights.asSeen('');

  for (const kind of watchedKinds)
    for (const object of objects.list(kind)) sights.note(kind, keyOf(object), versionOf(object), object);
  for (const pool of objects.list('NodePool')) drifts.follow(pool, clock.now);

  const report = (findings: readonly CheckFinding[]): void => {
    for (const each of findings) violations.push({ at: clock.now, ...each });
  };

  /** Ledger writes whose request is not reported yet: the request follows after it was carried out. */
  const unchecked = new Map<
    string,
    Pick<LedgerWrite, 'before' | 'after' | 'at'> & { readonly lastBy: string | undefined }
  >();
  let author: string | undefined;

  const followLedger = ({ type, object, by }: ObjectChange): void => {
    const before = ledger;
    ledger = type === 'DELETED' ? noLedger : readLedger(object);
    commands.follow(ledger, clock.now);
    if (isLull(by)) rates.followLedger(ledger, (name) => objects.get('NodeClaim', name));
    else rates.forget();
    report(ends.follow(ledger, clock.now));
    if (isLull(by)) unchecked.set(by, { before, after: ledger, at: clock.now, lastBy: author });
    author = by;
  };

  const checkLedger = ({ by, seen: known }: SentRequest): void => {
    const change = unchecked.get(by);
    unchecked.delete(by);
    if (!change) return;
    const saw = known ?? change.after.seen ?? {};
    // A controller knows its own writes, even if its watches are late.
    const behind = change.lastBy === by ? [] : kindsBehind(saw, change.before.seen);
    if (behind.length > 0) {
      report([
        finding('G2', `${by} writes the ledger, but has seen less of ${behind.join(', ')} than the previous writer`),
      ]);
      return;
    }
    seen = sights.asSeen(by, saw);
    const written: LedgerWrite = { ...change, sight: seen, settings };
    for (const rule of ledgerRules) report(rule(written));
    report(turns.see(written));
    report(drifts.check(written));
    report(waves.see(written));
    report(rates.check(written));
  };

  /** Since when Lull could see and park nodes. */
  let disturbedUntil = clock.now;
  let policyAt = clock.now;
  /** When do-not-disrupt was removed from each node: Karpenter may act before Lull does. */
  const unparkedAt = new Map<string, Instant>();
  const momentOf = ({ spec, status }: KubeObject): CalmPeriod => {
    const node = objects.get('Node', String(status?.nodeName ?? spec?.nodeName ?? ''));
    const loose = unparkedAt.get(node?.metadata.name ?? '') ?? 0;
    const since = Math.max(disturbedUntil, loose, instantOf(node?.metadata.creationTimestamp) ?? 0);
    return { at: clock.now, calm: clock.now - since, settled: clock.now - policyAt };
  };

  let lastLook = clock.now;
  const checkKarpenter = (change: ObjectChange): void => {
    const { object } = change;
    if (object.kind === 'Node' && isUnparked(change)) unparkedAt.set(object.metadata.name, clock.now);
    if (object.kind === 'NodeClaim') report(wrongDisruption(change, around, momentOf(object)));
    if (object.kind === 'Pod') report(wrongEviction(change, around, momentOf(object)));
  };
  const checkOffers = (): void => {
    if (clock.now - lastLook < checkInterval) return;
    lastLook = clock.now;
    const calm = clock.now - Math.max(disturbedUntil, policyAt);
    report(staleOffers(around, { at: clock.now, settled: calm }));
    report(overdueParkedPods(around, { at: clock.now, settled: calm }));
  };

  const follow = (change: ObjectChange): void => {
    const { object, version, type, by, was } = change;
    commands.tick(clock.now);
    sights.note(object.kind, keyOf(object), version, type === 'DELETED' ? undefined : object);
    evictions.follow(change, clock.now);
    if (isPolicy(change)) policyAt = clock.now;
    if (object.kind === 'NodePool' && type !== 'DELETED') drifts.follow(object, clock.now);
    if (object.kind === 'NodeClaim') rates.followClaim(change, ledger, clock.now);
    // Check the state before this change.
    if (settings.role === 'guide') checkOffers();
    if (object.kind === 'DisruptionLedger') followLedger(change);
    if (!isLull(by)) {
      if (settings.role === 'guide') checkKarpenter(change);
      return;
    }
    own.note(change);
    if (object.kind === 'Pod' && was && isEnded(change)) evictions.ended(by, was);
    report(wrongAct(change, around));
  };

  const stop = objects.onChange(follow);
  return {
    violations,
    note: (sent) => {
      commands.tick(clock.now);
      checkLedger(sent);
      own.answered(sent, objects, sights);
      if (sent.answer.status === 'away') {
        evictions.disturbed(sent.at);
        disturbedUntil = asInstant(Math.max(disturbedUntil, sent.at));
      }
      report(evictions.check(sent, seen));
    },
    disturbed: (from, to) => {
      disturbedUntil = asInstant(Math.max(disturbedUntil, to));
      ends.disturbed(from, to);
      evictions.disturbed(to);
    },
    finish: () => report(ends.unended(clock.now)),
    expectRest: () => report(residueFindings(around, clock.now)),
    close: stop,
  };
}

/** In milliseconds. */
const checkInterval = 5000;

/** A change of policy, not of a pool's status. */
const isPolicy = ({ object, was }: ObjectChange): boolean =>
  object.kind === 'MaintenanceWindow' || (object.kind === 'NodePool' && object.status === was?.status);

const isEnded = ({ type, object, was }: ObjectChange): boolean =>
  was?.metadata.deletionTimestamp === undefined &&
  (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined);

/** The kinds of which a writer has seen less than the previous writer of the ledger. */
const kindsBehind = (saw: SeenVersions, needed: SeenVersions = {}): string[] =>
  Object.keys(needed).filter((kind) => saw[kind] !== undefined && Number(saw[kind]) < Number(needed[kind]));

/** The writes of each controller's current request: they enter its view with the response, before its watches. */
class OwnWrites {
  readonly #writes = new Map<string, ObjectChange[]>();

  note(change: ObjectChange): void {
    this.#writes.set(change.by, [...(this.#writes.get(change.by) ?? []), change]);
  }

  answered({ request, answer, by }: SentRequest, objects: Objects, sights: AuthorViews): void {
    const writes = this.#writes.get(by) ?? [];
    this.#writes.delete(by);
    if (answer.status !== 'done' || request.verb === 'commit') return;
    const { kind, namespace, name } = request;
    const key = keyAt(namespace, name);
    const write = writes.findLast(({ object }) => object.kind === kind && keyOf(object) === key);
    // If nothing was to be done, the response contains the current object.
    const object: KubeObject | undefined = write?.object ?? objects.get(kind, key);
    if (!object) return;
    const isGone = write?.type === 'DELETED';
    sights.noteOwn(by, kind, { key, version: versionOf(object), ...(!isGone && { object }) });
  }
}
