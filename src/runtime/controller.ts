// The controller, pass by pass: observe, decide, commit the ledger, act. A crash may happen between any two requests.

import type { Ledger, SeenVersions } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Action } from '../engine/commands/action.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { type SearchRequest, searchRequest } from '../engine/consolidation/searchTask.ts';
import type { Decision } from '../engine/decision.ts';
import { reportRound } from '../engine/report/report.ts';
import { decide } from '../engine/round.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { after, asDuration, type Duration, earliest, type Instant, second } from '../time/instant.ts';
import { catchUpAfter, LagCheck } from './lag.ts';
import { batchesOf, mostAtOnce, Outbox } from './outbox.ts';
import type { ApiResponse, ApiResponses, Batch, ClusterView, Pass, Port, Reconciler, Rest, Unsynced } from './port.ts';

export interface Searcher {
  /** What the last search found: the same list until another search has ended. Every round judges it again, however old it is. */
  readonly proposals: readonly Proposal[];
  /** Called after each round with what is worth searching now. Returns when to call again if it is too early for another search. */
  submit(request: SearchRequest, now: Instant): Instant | undefined;
}

export interface Watcher {
  /** Called after every round, before its requests are sent. */
  onRound?(round: Round, facts: Facts): void;
  /** Called when no decision is possible, with the reasons (K3). */
  onWaiting?(why: readonly Unsynced[], now: Instant): void;
  /** Called with a message that a person should see. */
  onWarning?(message: string): void;
}

/** How long to wait before the next request when the server does not answer: doubles from the first to the longest (K2). */
const firstSilence = asDuration(second);
const longestSilence = asDuration(30 * second);

/** When to look again if nothing changes. A view that is behind catches up by itself; this covers a watch that died silently (K3). */
const lookAgain = asDuration(10 * second);

/** Without a searcher, only the consolidation that a round finds by itself is done. */
export function openController(port: Port, settings: Settings, watcher: Watcher = {}, searcher?: Searcher): Reconciler {
  const outbox = new Outbox();
  let silence: Duration = firstSilence;
  const lag = new LagCheck(port, (message) => watcher.onWarning?.(message));
  /** The version of the ledger that this process wrote. Its own view is never older than that ledger. */
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
    // Before anything is sent: requests change the facts.
    watcher.onRound?.(reportRound(round), facts);
    const request = searcher && searchRequest(round);
    const searchAt = request && searcher.submit(request, now);
    const wakeAt = earliest(round.wakeAt, searchAt);
    // Proposals that arrived meanwhile are judged at once, in another round.
    const resting = (at: Instant | undefined): Rest => (searcher?.proposals === proposals ? rest(at) : { again: true });
    if (settings.role === 'observe') return resting(wakeAt);

    const actions = outbox.ready(round.actions, now);
    const committed = yield* commit({ view, ledger, round, actions });
    if (committed && isNoUse(committed)) return stayAway(now, committed);
    silence = firstSilence;
    // Another controller was faster: nothing was done, and the view now has the other's ledger.
    if (committed?.status === 'refused') return { again: true };
    if (committed) own = port.view().ledger?.version;

    let isDone = committed !== undefined && round.ledger !== ledger;
    for (const batch of batchesOf(actions)) {
      const answers: ApiResponses = yield batch;
      for (const [index, action] of batch.entries()) {
        const answer = answers[index];
        if (answer && answer.status !== 'away') outbox.note(action, answer, now);
        isDone ||= answer?.status === 'done';
      }
      const away = answers.find((answer) => answer?.status === 'away');
      if (away) return stayAway(now, away);
      // Decide again before thousands of nodes are parked: the cluster may have changed. The next round asks for the rest.
      if (batch.length === mostAtOnce && isDone) return { again: true };
    }
    return isDone ? { again: true } : resting(earliest(wakeAt, outbox.nextAt(now)));
  }

  /** Waits longer each time, and at least as long as the server asked for (K2). */
  function stayAway(now: Instant, answer: ApiResponse): Rest {
    const asked = answer.status === 'away' ? answer.retryAfter : undefined;
    const wakeAt = after(now, asDuration(Math.max(silence, asked ?? 0)));
    silence = asDuration(Math.min(silence * 2, longestSilence));
    return { again: false, wakeAt };
  }

  return { pass };
}

const rest = (wakeAt: Instant | undefined): Rest => ({ again: false, ...(wakeAt !== undefined && { wakeAt }) });

interface CommitInput {
  readonly view: ClusterView;
  readonly ledger: Ledger;
  readonly round: Decision;
  readonly actions: readonly Action[];
}

/**
 * Writes the ledger before anything is done (G2). A round that leaves the ledger as it is, but evicts or deletes, writes it unchanged:
 * that costs the server nothing, and fails if another controller has written it meanwhile. Undefined = no write was needed.
 */
function* commit({
  view,
  ledger,
  round,
  actions,
}: CommitInput): Generator<Batch, ApiResponse | undefined, ApiResponses> {
  const version = view.ledger && { version: view.ledger.version };
  // If there is none, write one before touching anything, even an empty one: marks without a ledger mean that the ledger is lost.
  if (round.ledger !== ledger || (!view.ledger && (actions.length > 0 || round.ledger.commands.length > 0))) {
    return (yield [{ verb: 'commit', ledger: { ...round.ledger, seen: farthest(view) }, ...version }])[0];
  }
  if (view.ledger && actions.some(isIrreversible))
    return (yield [{ verb: 'commit', ledger: view.ledger.record, ...version }])[0];
  return undefined;
}

/** Another controller has written the ledger meanwhile. */
const conflict = 409;

/** Any other refusal is not a race: retrying at once would not help. */
const isNoUse = (answer: ApiResponse): boolean =>
  answer.status === 'away' || (answer.status === 'refused' && answer.code !== conflict);

const isIrreversible = ({ verb }: Action): boolean => verb === 'evict' || verb === 'delete';

/** A node's taint may be in the view before the pods that were bound to the node until then. */
const arePodsBehind = ({ seen, written }: ClusterView): boolean =>
  Number(seen.Pod ?? 0) < Math.max(Number(seen.Node ?? 0), Number(written.Node ?? 0));

/** The next controller must see at least what was seen here and what was done here. */
function farthest({ seen, written }: ClusterView): SeenVersions {
  const all = Object.entries(written).filter(([kind, version]) => Number(version) > Number(seen[kind] ?? 0));
  return { ...seen, ...Object.fromEntries(all) };
}
