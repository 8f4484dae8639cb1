// A person's port to a real cluster: lists what a request needs just before it, with the same guards as the loop's port.
import type { Clock } from '../runtime/clock.ts';
import { Mirror } from '../runtime/mirror.ts';
import { type ApiRequest, type ApiResponse, type ClusterView, type Port, unsyncedBecause } from '../runtime/port.ts';
import { type ApiKind, apiKindOf, ledgerKind, ledgerName } from './apiKind.ts';
import type { Client } from './client.ts';
import { listObjects } from './listing.ts';
import { type Rate, TokenBucket } from './pacing.ts';
import { asRawObject } from './rawObject.ts';
import { answerTo, callFor, ledgerCall } from './requests.ts';

/** Releasing a large cluster must not starve other clients of the API server. */
const usualRate: Rate = { perSecond: 50, burst: 100 };

interface PersonPortOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly kinds: readonly string[];
  readonly rate?: Rate;
}

/** The view is of the moment it was opened, except for the ledger, which is read again after a refused write. */
export async function openPersonPort({ client, clock, kinds, rate }: PersonPortOptions): Promise<Port> {
  const mirror = new Mirror();
  const apiKinds: ApiKind[] = kinds.map(apiKindOf);
  await listObjects({ client, kinds: apiKinds, keep: (object) => void mirror.watched(object, false) });
  const bucket = new TokenBucket(clock, rate ?? usualRate);

  async function send(request: ApiRequest): Promise<ApiResponse> {
    await bucket.take();
    const reply = await client.request(callFor(request));
    const answer = answerTo(request, reply);
    if (request.verb === 'commit' && answer.status === 'refused') await rereadLedger();
    return answer;
  }

  async function rereadLedger(): Promise<void> {
    const reply = await client.request(ledgerCall);
    const object = reply.kind === 'answer' ? asRawObject(reply.body, apiKindOf(ledgerKind)) : undefined;
    if (object) mirror.watched(object, false);
    else mirror.removed(ledgerKind, ledgerName);
  }

  function view(): ClusterView {
    const { cluster, ledger, unreadable } = mirror.look();
    return { cluster, ...(ledger && { ledger }), unsynced: unreadable.map(unsyncedBecause), seen: {}, written: {} };
  }

  return { view, send };
}
