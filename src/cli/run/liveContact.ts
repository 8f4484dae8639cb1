// Logs whether the API server answers, who leads, and which requests it keeps refusing, with a remedy (K2, K5).
import type { Settings } from '../../cluster/settings.ts';
import { wallClock } from '../../kube/machine.ts';
import type { ApiRequest, ApiResponse } from '../../runtime/port.ts';
import { asDuration, between, type Instant, minute, second } from '../../time/instant.ts';
import type { Log } from './liveLog.ts';
import type { LiveSource } from './liveSource.ts';
import { ProblemLog } from './liveWaiting.ts';

interface ContactOptions {
  readonly log: Log;
  readonly source: LiveSource;
  readonly identity: string;
  readonly namespace: string;
  /** Absent = it leads without a lease. */
  readonly lease?: unknown;
}

/** Without a lease there are no regular requests: if no watch has failed for this long, the server is back. */
const quiet = asDuration(10 * second);

/** The server itself answered with this code, so it is reachable. */
const isServerAnswer = /^\w+: [1-4]\d\d: /;

export class Contact {
  readonly #options: ContactOptions;
  readonly #away: ProblemLog;
  readonly #leaseless: ProblemLog;
  #holder: string | undefined;
  #troubledAt: Instant | undefined;

  constructor(options: ContactOptions) {
    this.#options = options;
    this.#away = new ProblemLog(options.log, { kind: 'away', over: 'back' });
    this.#leaseless = new ProblemLog(options.log, { kind: 'waiting', over: 'lease', isUrgent: true });
  }

  /** Called each time the lease was read or written. */
  heldBy(holder: string | undefined): void {
    const { source, identity, log } = this.#options;
    this.#answers();
    for (const entry of this.#leaseless.resolve(wallClock.now)) log(entry);
    source.ledBy(holder === identity ? undefined : holder);
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder !== undefined && holder !== identity) log({ kind: 'standby', text: `${holder} leads`, holder });
  }

  leaseFault(message: string, code?: number): void {
    if (code === undefined || code >= 500) this.#trouble(message);
    // 409: another process was faster; the next read shows it.
    else if (code !== 409) this.#leaseless.report(wallClock.now, String(code), `${message}. ${this.#remedy(code)}`);
  }

  watchFault(message: string): void {
    if (!isServerAnswer.test(message)) this.#trouble(message);
  }

  answered(answer: ApiResponse): void {
    if (answer.status === 'away') this.#trouble(answer.message);
    else this.#answers();
  }

  hasDecided(now: Instant): void {
    if (this.#options.lease === undefined && this.#troubledAt !== undefined && between(this.#troubledAt, now) > quiet)
      this.#answers();
  }

  #trouble(message: string): void {
    this.#troubledAt = wallClock.now;
    const text = `The API server does not answer, so nothing is started: ${message}`;
    this.#away.report(this.#troubledAt, 'away', text);
  }

  #answers(): void {
    this.#troubledAt = undefined;
    for (const entry of this.#away.resolve(wallClock.now)) this.#options.log(entry);
  }

  #remedy(code: number): string {
    const { namespace } = this.#options;
    if (code === 404)
      return `Create namespace ${namespace} (\`lull install\` does), or choose another with --namespace.`;
    if (code === 403)
      return `\`lull install\` grants the permission; --namespace chooses another namespace for the lease.`;
    return 'Lull tries again.';
  }
}

interface OngoingRefusal {
  readonly waiting: ProblemLog;
  readonly text: string;
  readonly heardAt: Instant;
}

interface RefusalOptions {
  readonly log: Log;
  readonly namespace: string;
  readonly role: () => Settings['role'];
}

/** A request that is refused and still wanted is sent at least twice in this time. After that it is no longer wanted. */
const remembered = minute;

/** A refused ledger write comes as `away` with the code in its message: retrying at once would not help. */
const isLedgerRefusal = /^4(?!01|29)\d\d: /;
/** Refused by RBAC. Other causes of 403 exist: a PDB that has lost count. */
const isForbidden = / is forbidden: User .* cannot /;
/** Refused by an admission policy (403, or 422 if it could not be evaluated), and by which one. */
const byPolicy = / is forbidden: ValidatingAdmissionPolicy '([^']*)'/;
/** Refused by an admission webhook, which chooses the code itself. */
const byWebhook = /admission webhook "([^"]*)" denied the request/;
/** The policies that `lull install` creates to restrict Lull to what it documents (N12). */
const isOwnPolicy = /^lull-restraint-/;

/** The server does not know the kind: someone has deleted its CustomResourceDefinition. */
const isUnknownKind = /^404: (404 page not found|the server could not find the requested resource)\s*$/;
const unknownKind = '404: the CustomResourceDefinition disruptionledgers.lull.dev is missing';

export class RefusedRequests {
  readonly #options: RefusalOptions;
  readonly #standing = new Map<string, OngoingRefusal>();

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** True = the request was refused. */
  hears(request: ApiRequest, answer: ApiResponse, now: Instant): boolean {
    const key = request.verb === 'commit' ? 'commit' : `${request.verb} ${request.kind}`;
    const no = lastingRefusal(request, answer);
    if (no !== undefined) this.#report(key, `${describeRefusal(request)}: ${no}. ${this.#remedy(no)}`, now);
    // No answer means nothing here.
    else if (answer.status !== 'away') this.#resolve(key, now);
    return no !== undefined;
  }

  /** What is refused at this moment, in words. */
  standing(now: Instant): string | undefined {
    for (const [key, { heardAt }] of this.#standing) if (between(heardAt, now) > remembered) this.#standing.delete(key);
    return this.#standing.values().next().value?.text;
  }

  #report(key: string, text: string, now: Instant): void {
    this.standing(now);
    const { log } = this.#options;
    const words = { kind: 'refused', over: 'granted', isUrgent: true };
    const waiting = this.#standing.get(key)?.waiting ?? new ProblemLog(log, words);
    this.#standing.set(key, { waiting, text, heardAt: now });
    waiting.report(now, key, text);
  }

  #resolve(key: string, now: Instant): void {
    const was = this.#standing.get(key);
    this.#standing.delete(key);
    for (const entry of was?.waiting.resolve(now) ?? [])
      this.#options.log({ ...entry, text: `${key} succeeds again, ${entry.text}` });
  }

  #remedy(no: string): string {
    const { role, namespace } = this.#options;
    const install = `\`lull install --namespace ${namespace} --set role=${role()}\``;
    if (no === unknownKind) return `${install} creates it again; Lull then continues by itself.`;
    if (isForbidden.test(no)) return `${install} grants the permissions of this role.`;
    const policy = byPolicy.exec(no)?.[1];
    if (policy !== undefined && isOwnPolicy.test(policy))
      return `Lull's own admission policy ${policy} exists to prevent this. If it was installed for another version or role of Lull, ${install} replaces it. Otherwise keep it: find out who changed the object or who else uses Lull's token, and report a defect if there is no such person.`;
    const other = policy ?? byWebhook.exec(no)?.[1];
    return other === undefined ? 'Lull tries again.' : `Lull tries again: ask the owner of ${other} for an exception.`;
  }
}

/** Undefined = not refused, or for a reason that passes by itself. */
function lastingRefusal({ verb }: ApiRequest, answer: ApiResponse): string | undefined {
  if (answer.status === 'away') {
    if (verb !== 'commit' || !isLedgerRefusal.test(answer.message)) return undefined;
    return isUnknownKind.test(answer.message) ? unknownKind : answer.message;
  }
  if (answer.status === 'done' || !isPermanent(answer)) return undefined;
  return `${answer.code}: ${answer.message.replace(/[.]$/, '')}`;
}

const isPermanent = ({ code, message }: Extract<ApiResponse, { status: 'refused' }>): boolean =>
  (code === 403 && isForbidden.test(message)) || byPolicy.test(message) || byWebhook.test(message);

function describeRefusal(request: ApiRequest): string {
  if (request.verb === 'commit') return 'The API server refuses to write the ledger, so nothing is started';
  const { verb, kind, namespace, name } = request;
  return `The API server refuses to ${verb} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
