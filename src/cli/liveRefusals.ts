// What may Lull not do, though it would? Requests that the API server says no to for good: told at once, with a remedy, until they go through (K5).
import type { Settings } from '../cluster/settings.ts';
import type { Answer, Request } from '../runtime/port.ts';
import { between, type Instant, minute } from '../time/instant.ts';
import type { Log } from './liveLog.ts';
import { Waiting } from './liveWaiting.ts';

interface Standing {
  readonly waiting: Waiting;
  readonly text: string;
  readonly heardAt: Instant;
}

export interface RefusalOptions {
  readonly log: Log;
  readonly namespace: string;
  readonly role: () => Settings['role'];
}

/** What is refused and still wanted is asked for at least twice in this time; else it is wanted no more. */
const remembered = minute;

/** The ledger's no comes as one that is not about this very request: asking again would not help. */
const isSaidToLedger = /^4(?!01|29)\d\d: /;
/** RBAC's no. Others say 403 as well: a PDB that has lost count. */
const isForbidden = / is forbidden: User .* cannot /;
/** An admission policy's no (403, or 422 where it could not be evaluated), and which policy it is. */
const byPolicy = / is forbidden: ValidatingAdmissionPolicy '([^']*)'/;
/** An admission webhook's no; which code it comes with, the webhook says itself. */
const byWebhook = /admission webhook "([^"]*)" denied the request/;
/** The policies that `lull install` makes to hold Lull to what it says it does (N12). */
const isOwnPolicy = /^lull-restraint-/;

/** The server knows no such kind: someone has deleted its CustomResourceDefinition. */
const isUnknownKind = /^404: (404 page not found|the server could not find the requested resource)\s*$/;
const unknownKind = '404: the CustomResourceDefinition disruptionledgers.lull.dev is missing';

export class Refusals {
  readonly #options: RefusalOptions;
  readonly #standing = new Map<string, Standing>();

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** True = it was refused. */
  hears(request: Request, answer: Answer, now: Instant): boolean {
    const key = request.verb === 'commit' ? 'commit' : `${request.verb} ${request.kind}`;
    const no = noIn(request, answer);
    if (no !== undefined) this.#goesOn(key, `${sayRefused(request)}: ${no}. ${this.#remedy(no)}`, now);
    // Silence says nothing about it.
    else if (answer.status !== 'away') this.#isOver(key, now);
    return no !== undefined;
  }

  /** What stands against it now, in words. */
  standing(now: Instant): string | undefined {
    for (const [key, { heardAt }] of this.#standing) if (between(heardAt, now) > remembered) this.#standing.delete(key);
    return this.#standing.values().next().value?.text;
  }

  #goesOn(key: string, text: string, now: Instant): void {
    this.standing(now);
    const { log } = this.#options;
    const words = { kind: 'refused', over: 'granted', isUrgent: true };
    const waiting = this.#standing.get(key)?.waiting ?? new Waiting(log, words);
    this.#standing.set(key, { waiting, text, heardAt: now });
    waiting.goesOn(now, key, text);
  }

  #isOver(key: string, now: Instant): void {
    const was = this.#standing.get(key);
    this.#standing.delete(key);
    for (const told of was?.waiting.isOver(now) ?? [])
      this.#options.log({ ...told, text: `${key} goes through, ${told.text}` });
  }

  #remedy(no: string): string {
    const { role, namespace } = this.#options;
    const install = `\`lull install --namespace ${namespace} --set role=${role()}\``;
    if (no === unknownKind) return `${install} brings it back, and Lull goes on by itself.`;
    if (isForbidden.test(no)) return `${install} brings the rights of this role.`;
    const policy = byPolicy.exec(no)?.[1];
    if (policy !== undefined && isOwnPolicy.test(policy))
      return `Lull's own admission policy ${policy} is there to stop this. Where it was installed with another version or role of Lull, ${install} replaces it. Else do not delete it: find out who has changed the object, or who uses Lull's token, and report it as a defect if nobody has.`;
    const other = policy ?? byWebhook.exec(no)?.[1];
    return other === undefined
      ? 'It is tried again.'
      : `It is tried again: ask whoever runs ${other} for an exception.`;
  }
}

/** Undefined = it was not refused, or for something that passes by itself. */
function noIn({ verb }: Request, answer: Answer): string | undefined {
  if (answer.status === 'away') {
    if (verb !== 'commit' || !isSaidToLedger.test(answer.message)) return undefined;
    return isUnknownKind.test(answer.message) ? unknownKind : answer.message;
  }
  if (answer.status === 'done' || !isSaidForGood(answer)) return undefined;
  return `${answer.code}: ${answer.message.replace(/[.]$/, '')}`;
}

const isSaidForGood = ({ code, message }: Extract<Answer, { status: 'refused' }>): boolean =>
  (code === 403 && isForbidden.test(message)) || byPolicy.test(message) || byWebhook.test(message);

function sayRefused(request: Request): string {
  if (request.verb === 'commit') return 'The ledger may not be written, so nothing is started';
  const { verb, kind, namespace, name } = request;
  return `The API server refuses to ${verb} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
