// How does Lull act on a cluster? One pass: observe, decide, commit the ledger, act. What is between two requests may be a crash.
import type { Ledger, Seen } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Action } from '../engine/commands/action.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Decision } from '../engine/decision.ts';
import { reportRound } from '../engine/report/report.ts';
import { decide } from '../engine/round.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { after, asDuration, type Duration, earliest, type Instant, second } from '../time/instant.ts';
import { batchesOf, mostAtOnce } from './batches.ts';
import { catchUpAfter, Lag } from './lag.ts';
import { Outbox } from './outbox.ts';
import type { Answer, Answers, Batch, Pass, Port, Rest, Tenant, View } from './port.ts';
import type { Searcher } from './searcher.ts';

export interface Watcher {
  /** After every round, before its requests are sent. */
  onRound?(round: Round, facts: Facts): void;
  /** When nothing could be decided, in words (K3). */
  onWaiting?(why: readonly string[], now: Instant): void;
  /** What happened that a person should look at, in words. */
  onWarning?(words: string): void;
}

/** K2: how long to leave a server alone that does not answer. */
const firstSilence = asDuration(second);
const longestSilence = asDuration(30 * second);

/** K3: a view that is behind catches up by itself; this is for a watch that has died without a word. */
const lookAgain = asDuration(10 * second);

/** Without a searcher nobody looks for groups: what a round finds by itself is all that is consolidated. */
export function openController(port: Port, settings: Settings, watcher: Watcher = {}, searcher?: Searcher): Tenant {
  const outbox = new Outbox();
  let silence: Duration = firstSilence;
  const lag = new Lag(port, (words) => watcher.onWarning?.(words));
  /** The ledger that this process wrote: its view shows all that it was written from. */
  let own: string | undefined;

  function* pass(now: Instant): Pass {
    const view = port.view();
    const late = view.ledger?.version === own ? [] : lag.of(view, now);
    if (view.unsynced.length + late.length > 0) {
      watcher.onWaiting?.([...view.unsynced, ...late], now);
      return { again: false, wakeAt: after(now, late.length > 0 ? catchUpAfter : lookAgain) };
    }
    const ledger = view.ledger?.record ?? rebuildLedger(view.cluster, settings);
    const proposals = searcher?.proposals;
    const { cluster, instanceTypes, typesAwaited } = view;
    const facts: Facts = {
      cluster,
      ledger,
      ...(proposals && { proposals }),
      ...(arePodsBehind(view) && { podsBehind: true }),
      ...(instanceTypes && { instanceTypes }),
      ...(typesAwaited && { typesAwaited }),
    };
    const round = decide(facts, now, settings);
    // Before anything is sent: from then on the facts are others.
    watcher.onRound?.(reportRound(round), facts);
    const searchAt = round.search && searcher?.submit(round.search, now);
    const wakeAt = earliest(round.wakeAt, searchAt);
    // What was found meanwhile is judged at once: another round, on other facts.
    const resting = (at: Instant | undefined): Rest => (searcher?.proposals === proposals ? rest(at) : { again: true });
    if (settings.role === 'observe') return resting(wakeAt);

    const actions = outbox.ready(round.actions, now);
    const committed = yield* commit({ view, ledger, round, actions });
    if (committed && isNoUse(committed)) return stayAway(now, committed);
    silence = firstSilence;
    // Lost to another controller: nothing was done, and the view has the other's ledger now.
    if (committed?.status === 'refused') return { again: true };
    if (committed) own = port.view().ledger?.version;

    let isDone = committed !== undefined && round.ledger !== ledger;
    for (const batch of batchesOf(actions)) {
      const answers: Answers = yield batch;
      for (const [index, action] of batch.entries()) {
        const answer = answers[index];
        if (answer && answer.status !== 'away') outbox.note(action, answer, now);
        isDone ||= answer?.status === 'done';
      }
      const away = answers.find((answer) => answer?.status === 'away');
      if (away) return stayAway(now, away);
      // What changes meanwhile is decided on before thousands of nodes are parked; the rest is asked for again.
      if (batch.length === mostAtOnce && isDone) return { again: true };
    }
    return isDone ? { again: true } : resting(earliest(wakeAt, outbox.nextAt(now)));
  }

  /** K2: longer each time, and at least as long as the server asked for. */
  function stayAway(now: Instant, answer: Answer): Rest {
    const asked = answer.status === 'away' ? answer.retryAfter : undefined;
    const wakeAt = after(now, asDuration(Math.max(silence, asked ?? 0)));
    silence = asDuration(Math.min(silence * 2, longestSilence));
    return { again: false, wakeAt };
  }

  return { pass };
}

const rest = (wakeAt: Instant | undefined): Rest => ({ again: false, ...(wakeAt !== undefined && { wakeAt }) });

interface Decided {
  readonly view: View;
  readonly ledger: Ledger;
  readonly round: Decision;
  readonly actions: readonly Action[];
}

/**
 * G2: the ledger first. A round that changes nothing in it, but evicts or deletes, writes it as it is: that costs the server
 * nothing, and fails where another controller has gone on meanwhile. Undefined = there was no need.
 */
function* commit({ view, ledger, round, actions }: Decided): Generator<Batch, Answer | undefined, Answers> {
  const version = view.ledger && { version: view.ledger.version };
  // Where there is none, one is written before anything is touched, empty or not: marks without a ledger mean that it is lost.
  if (round.ledger !== ledger || (!view.ledger && (actions.length > 0 || round.ledger.commands.length > 0))) {
    return (yield [{ verb: 'commit', ledger: { ...round.ledger, seen: farthest(view) }, ...version }])[0];
  }
  if (view.ledger && actions.some(isIrreversible))
    return (yield [{ verb: 'commit', ledger: view.ledger.record, ...version }])[0];
  return undefined;
}

/** Another has written the ledger meanwhile. */
const conflict = 409;

/** Any other no is no race: asking again at once would not help. */
const isNoUse = (answer: Answer): boolean =>
  answer.status === 'away' || (answer.status === 'refused' && answer.code !== conflict);

const isIrreversible = ({ verb }: Action): boolean => verb === 'evict' || verb === 'delete';

/** A node's taint may be in the view before the pods that were bound to it until then. */
const arePodsBehind = ({ seen, written }: View): boolean =>
  Number(seen.Pod ?? 0) < Math.max(Number(seen.Node ?? 0), Number(written.Node ?? 0));

/** Whoever goes on from here must see what was seen here, and what was done. */
function farthest({ seen, written }: View): Seen {
  const all = Object.entries(written).filter(([kind, version]) => Number(version) > Number(seen[kind] ?? 0));
  return { ...seen, ...Object.fromEntries(all) };
}
