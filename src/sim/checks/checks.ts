// Is anything done that must never be done? An observer beside the cluster: it reads raw objects and requests, and knows nothing of who decides.
import type { Seen } from '../../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../cluster/settings.ts';
import { asInstant, type Instant } from '../../time/instant.ts';
import type { Clock } from '../clock.ts';
import { type KubeObject, keyAt, keyOf, versionOf } from '../kubeObject.ts';
import type { Changed, Objects } from '../objects.ts';
import type { Sent } from '../simPort.ts';
import { wrongAct } from './acts.ts';
import { beyondBudgets } from './budgets.ts';
import { Commands } from './commands.ts';
import { Ends } from './ends.ts';
import { Evictions } from './evictions.ts';
import { noLedger, readLedger } from './ledgerRecord.ts';
import { closesSoon } from './margin.ts';
import { isLoosed } from './parking.ts';
import { beyondPdbs } from './pdbs.ts';
import { againstProtections } from './protections.ts';
import { instantOf } from './raw.ts';
import { notAtRest } from './rest.ts';
import { Sights, watchedKinds } from './sight.ts';
import { wrongSteps } from './steps.ts';
import { forgottenPods, type Moment, staleOffers, wrongEviction, wrongTake } from './takes.ts';
import { outOfTurn } from './turns.ts';
import { TurnWatch } from './turnWatch.ts';
import { type Finding, finding, type Violation } from './violation.ts';
import { beyondCaps } from './windows.ts';
import type { Written } from './written.ts';

export type { Violation } from './violation.ts';

/** What a write of the ledger is asked, one rule after another. */
const ledgerRules: readonly ((written: Written) => Finding[])[] = [
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
  /** Who of those that write is a Lull. */
  readonly isLull?: (by: string) => boolean;
}

export interface Checks {
  /** All that was found, in order of time. */
  readonly violations: readonly Violation[];
  /** A request, after it was carried out, refused or lost. */
  note(sent: Sent): void;
  /** Nobody could be asked for anything meanwhile: a crash, a server that is away. What takes longer then is not held against anyone. */
  disturbed(from: Instant, to: Instant): void;
  /** At the end of a run: commands that did not end in time. */
  finish(): void;
  /** At the end of a run that came to rest: what is left over. */
  expectRest(): void;
  close(): void;
}

export function openChecks(
  { objects, clock }: { readonly objects: Objects; readonly clock: Clock },
  { settings = defaultSettings, isLull = (by) => by.startsWith('lull') }: ChecksOptions = {},
): Checks {
  const violations: Violation[] = [];
  const sights = new Sights();
  const commands = new Commands(clock.now);
  const turns = new TurnWatch(objects);
  const around = { objects, commands, settings };
  const evictions = new Evictions(around);
  const ends = new Ends(around);
  const own = new OwnWrites();
  let ledger = noLedger;
  let seen = sights.asSeen('');

  for (const kind of watchedKinds)
    for (const object of objects.list(kind)) sights.note(kind, keyOf(object), versionOf(object), object);

  const say = (findings: readonly Finding[]): void => {
    for (const each of findings) violations.push({ at: clock.now, ...each });
  };

  /** The ledger as it was before its author's request, which is told after it was carried out. */
  const unjudged = new Map<
    string,
    Pick<Written, 'before' | 'after' | 'at'> & { readonly lastBy: string | undefined }
  >();
  let author: string | undefined;

  const followLedger = ({ type, object, by }: Changed): void => {
    const before = ledger;
    ledger = type === 'DELETED' ? noLedger : readLedger(object);
    commands.follow(ledger, clock.now);
    say(ends.follow(ledger, clock.now));
    if (isLull(by)) unjudged.set(by, { before, after: ledger, at: clock.now, lastBy: author });
    author = by;
  };

  const judgeLedger = ({ by, seen: known }: Sent): void => {
    const change = unjudged.get(by);
    unjudged.delete(by);
    if (!change) return;
    const saw = known ?? change.after.seen ?? {};
    // What it wrote itself it knows, whatever its watches have brought back of it.
    const behind = change.lastBy === by ? [] : kindsBehind(saw, change.before.seen);
    if (behind.length > 0) {
      say([finding('G2', `${by} writes the ledger, but has seen less of ${behind.join(', ')} than its last author`)]);
      return;
    }
    seen = sights.asSeen(by, saw);
    const written: Written = { ...change, sight: seen, settings };
    for (const rule of ledgerRules) say(rule(written));
    say(turns.see(written));
  };

  /** How long a node could have been seen and parked: since it came, and since somebody was there to do it. */
  let disturbedUntil = clock.now;
  let policyAt = clock.now;
  /** By node: when somebody took off what kept Karpenter away, so that it may be quicker than Lull. */
  const loosedAt = new Map<string, Instant>();
  const momentOf = ({ spec, status }: KubeObject): Moment => {
    const node = objects.get('Node', String(status?.nodeName ?? spec?.nodeName ?? ''));
    const loose = loosedAt.get(node?.metadata.name ?? '') ?? 0;
    const since = Math.max(disturbedUntil, loose, instantOf(node?.metadata.creationTimestamp) ?? 0);
    return { at: clock.now, calm: clock.now - since, settled: clock.now - policyAt };
  };

  let lookedAt = clock.now;
  const lookAtKarpenter = (change: Changed): void => {
    const { object } = change;
    if (object.kind === 'Node' && isLoosed(change)) loosedAt.set(object.metadata.name, clock.now);
    if (object.kind === 'NodeClaim') say(wrongTake(change, around, momentOf(object)));
    if (object.kind === 'Pod') say(wrongEviction(change, around, momentOf(object)));
  };
  const lookAround = (): void => {
    if (clock.now - lookedAt < lookEvery) return;
    lookedAt = clock.now;
    const calm = clock.now - Math.max(disturbedUntil, policyAt);
    say(staleOffers(around, { at: clock.now, settled: calm }));
    say(forgottenPods(around, { at: clock.now, settled: calm }));
  };

  const follow = (change: Changed): void => {
    const { object, version, type, by, was } = change;
    commands.tick(clock.now);
    sights.note(object.kind, keyOf(object), version, type === 'DELETED' ? undefined : object);
    evictions.follow(change, clock.now);
    if (isPolicy(change)) policyAt = clock.now;
    // As it stood until now.
    if (settings.role === 'guide') lookAround();
    if (object.kind === 'DisruptionLedger') followLedger(change);
    if (!isLull(by)) {
      if (settings.role === 'guide') lookAtKarpenter(change);
      return;
    }
    own.note(change);
    if (object.kind === 'Pod' && was && isEnded(change)) evictions.ended(by, was);
    say(wrongAct(change, around));
  };

  const stop = objects.onChange(follow);
  return {
    violations,
    note: (sent) => {
      commands.tick(clock.now);
      judgeLedger(sent);
      own.answered(sent, objects, sights);
      if (sent.answer.status === 'away') {
        evictions.disturbed(sent.at);
        disturbedUntil = asInstant(Math.max(disturbedUntil, sent.at));
      }
      say(evictions.judge(sent, seen));
    },
    disturbed: (from, to) => {
      disturbedUntil = asInstant(Math.max(disturbedUntil, to));
      ends.disturbed(from, to);
      evictions.disturbed(to);
    },
    finish: () => say(ends.unended(clock.now)),
    expectRest: () => say(notAtRest(around, clock.now)),
    close: stop,
  };
}

/** In milliseconds: what stands for long is found by then. */
const lookEvery = 5000;

/** What people say, and not what Karpenter counts. */
const isPolicy = ({ object, was }: Changed): boolean =>
  object.kind === 'MaintenanceWindow' || (object.kind === 'NodePool' && object.status === was?.status);

const isEnded = ({ type, object, was }: Changed): boolean =>
  was?.metadata.deletionTimestamp === undefined &&
  (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined);

/** What the last author had seen, or done, everyone who goes on from there must have seen. */
const kindsBehind = (saw: Seen, needed: Seen = {}): string[] =>
  Object.keys(needed).filter((kind) => saw[kind] !== undefined && Number(saw[kind]) < Number(needed[kind]));

/** What each author has written in its request under way: it enters its view with the answer, whatever its watches say. */
class OwnWrites {
  readonly #writes = new Map<string, Changed[]>();

  note(change: Changed): void {
    this.#writes.set(change.by, [...(this.#writes.get(change.by) ?? []), change]);
  }

  answered({ request, answer, by }: Sent, objects: Objects, sights: Sights): void {
    const writes = this.#writes.get(by) ?? [];
    this.#writes.delete(by);
    if (answer.status !== 'done' || request.verb === 'commit') return;
    const { kind, namespace, name } = request;
    const key = keyAt(namespace, name);
    const write = writes.findLast(({ object }) => object.kind === kind && keyOf(object) === key);
    // Where nothing was to be done the answer shows the object as it is.
    const object: KubeObject | undefined = write?.object ?? objects.get(kind, key);
    if (!object) return;
    const isGone = write?.type === 'DELETED';
    sights.noteOwn(by, kind, { key, version: versionOf(object), ...(!isGone && { object }) });
  }
}
