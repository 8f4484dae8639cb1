// How does a person's single request reach a real cluster? With what it needs to know listed just before, and the same guards as the loop's.
import type { Clock } from '../runtime/clock.ts';
import type { Answer, Port, Request, View } from '../runtime/port.ts';
import { type ApiKind, apiKindOf, ledgerKind, ledgerName } from './apiKind.ts';
import type { Client } from './client.ts';
import { listObjects } from './listing.ts';
import { Mirror } from './mirror.ts';
import { asRawObject } from './rawObject.ts';
import { answerTo, callFor, ledgerCall } from './requests.ts';
import { type Rate, TokenBucket } from './tokenBucket.ts';

/** One who takes everything off a large cluster again is not to starve the others who work there. */
const usualRate: Rate = { perSecond: 50, burst: 100 };

export interface PersonPortOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly kinds: readonly string[];
  readonly rate?: Rate;
}

/** A port whose view is of the moment it was opened, but for the ledger: that is read again where a write of it was refused. */
export async function openPersonPort({ client, clock, kinds, rate }: PersonPortOptions): Promise<Port> {
  const mirror = new Mirror();
  const apiKinds: ApiKind[] = kinds.map(apiKindOf);
  await listObjects({ client, kinds: apiKinds, keep: (object) => void mirror.watched(object, false) });
  const bucket = new TokenBucket(clock, rate ?? usualRate);

  async function send(request: Request): Promise<Answer> {
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

  function view(): View {
    const { cluster, ledger, unreadable } = mirror.look();
    return { cluster, ...(ledger && { ledger }), unsynced: unreadable, seen: {}, written: {} };
  }

  return { view, send };
}
