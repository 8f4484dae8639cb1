// Annotations that a person sets on a pool or a node: a roll that they ask for (Q1), an approval (Q2).
import { defined } from '../cluster/defined.ts';
import { annotation } from '../cluster/names.ts';
import { formatSigned, type SignedInstant } from '../cluster/signedInstant.ts';
import type { Cluster } from '../cluster/store.ts';
import { annotate } from '../engine/commands/action.ts';
import { findTarget } from '../engine/why/why.ts';
import type { ApiResponse, Port } from '../runtime/port.ts';
import { after, asDuration, formatInstant, hour, type Instant } from '../time/instant.ts';

interface MarkTarget {
  readonly kind: 'pool' | 'node';
  readonly name: string;
}

interface PersonMark {
  /** `web`, `pool/web`, `node/web-3`. */
  readonly target: string;
  readonly key: string;
  /** Absent = remove it. */
  readonly signed?: SignedInstant;
}

type MarkResult =
  /** `was`: the value before, if there was one. */
  | { readonly target: MarkTarget; readonly was?: string }
  /** Why there is nothing to mark. */
  | { readonly missing: string }
  | { readonly answer: Exclude<ApiResponse, { status: 'done' }> };

/** The kinds that must be known to find the target. A user who may read nodes only can name a node. */
export function kindsToFind(target: string): readonly string[] {
  if (/^(no|nodes?)\//.test(target)) return ['Node'];
  return /^(np|pools?|nodepools?)\//.test(target) ? ['NodePool'] : ['NodePool', 'Node', 'NodeClaim'];
}

/** Replaces an earlier value. Another writer's change in between makes the API server refuse it. */
async function setMark(port: Port, { target: text, key, signed }: PersonMark): Promise<MarkResult> {
  const { cluster } = port.view();
  const found = findMarkTarget(cluster, text);
  if ('missing' in found) return found;
  const { target, annotations } = found;
  const was = annotations[key];
  const value = signed && formatSigned(signed);
  if (was === value) return { target, ...(was !== undefined && { was }) };
  const patch = annotate({ [key]: was }, { [key]: value }, Object.keys(annotations).length === 0);
  const kind = target.kind === 'pool' ? 'NodePool' : 'Node';
  const answer = await port.send({ verb: 'patch', kind, name: target.name, patch });
  return answer.status === 'done' ? { target, ...(was !== undefined && { was }) } : { answer };
}

type FoundTarget =
  | { readonly target: MarkTarget; readonly annotations: Readonly<Record<string, string>> }
  | { readonly missing: string };

function findMarkTarget(cluster: Cluster, text: string): FoundTarget {
  const found = findTarget(cluster, text);
  if (!('target' in found)) {
    const like = found.like.length > 0 ? ` Similar: ${found.like.join(', ')}.` : '';
    return { missing: `${found.message}${like}` };
  }
  const { target } = found;
  if (target.kind === 'pod') return { missing: `${text} is a pod. Name a pool or a node.` };
  const { name } = target;
  const view = target.kind === 'node' ? cluster.nodes.find(({ node }) => node.name === name) : undefined;
  if (view && view.poolName === undefined)
    return { missing: `Node ${name} belongs to no NodePool, so Lull never disrupts it.` };
  const marked = view?.node ?? cluster.pools.get(name);
  return marked ? { target, annotations: marked.annotations } : { missing: `${text} does not exist.` };
}

/** What a person asks for, and who they are. */
interface PersonRequest {
  readonly target: string;
  readonly note?: string;
  readonly author?: string;
}

export interface RollRequest extends PersonRequest {
  readonly cancel?: boolean;
}

/** The answer of `lull roll`, and of the route of the same name. */
type RollResult =
  | { readonly target: MarkTarget; readonly requestedAt?: string; readonly was?: string }
  | Exclude<MarkResult, { readonly target: MarkTarget }>;

/** Asks to replace the nodes that exist now, or takes that back (Q1). */
export async function requestRoll(port: Port, request: RollRequest, now: Instant): Promise<RollResult> {
  const { target, note, author, cancel } = request;
  const signed = cancel ? undefined : defined<SignedInstant>({ at: now, author, note });
  const result = await setMark(port, { target, key: annotation.rollRequested, ...(signed && { signed }) });
  return 'target' in result && signed ? { ...result, requestedAt: formatInstant(signed.at) } : result;
}

export interface ApprovalRequest extends PersonRequest {
  /** Absent = after the usual time. */
  readonly until?: Instant;
  readonly revoke?: boolean;
}

/** How long an approval lasts unless its author says otherwise: an approval that is forgotten must not last. */
const usualApproval = asDuration(4 * hour);

type ApprovalResult =
  | { readonly target: MarkTarget; readonly approvedUntil?: string; readonly was?: string }
  | Exclude<MarkResult, { readonly target: MarkTarget }>;

/** Approves the disruption of a node, or of the nodes of a pool, or takes that back (Q2). */
export async function approve(port: Port, request: ApprovalRequest, now: Instant): Promise<ApprovalResult> {
  const { target, note, author, until = after(now, usualApproval), revoke } = request;
  const signed = revoke ? undefined : defined<SignedInstant>({ at: until, author, note });
  const result = await setMark(port, { target, key: annotation.approved, ...(signed && { signed }) });
  return 'target' in result && signed ? { ...result, approvedUntil: formatInstant(until) } : result;
}
