// The admission policy `lull-born-parked`: which version of its kind the server serves, and whether it is in force (N2).
import { listIn, mapIn } from '../kinds/read/reader.ts';
import { type ApiKind, objectPath } from './apiKind.ts';
import { bodyOf, isAway, isDone, isNotFound } from './apiReply.ts';
import type { Client } from './client.ts';

/** The name of the policy and of its binding. */
export const bornParkedName = 'lull-born-parked';

const group = 'admissionregistration.k8s.io';
const policies = 'mutatingadmissionpolicies';
const bindings = 'mutatingadmissionpolicybindings';

/** v1 from Kubernetes 1.36 on; v1beta1 before, if the cluster enables it. The newest first. */
const versions = ['v1', 'v1beta1'] as const;
export type PolicyVersion = (typeof versions)[number];

const kindOf = (kind: string, plural: string, version: PolicyVersion): ApiKind => ({
  kind,
  apiVersion: `${group}/${version}`,
  plural,
  isNamespaced: false,
});

/** The binding first: deleting in this order never leaves a binding without its policy. */
export const bornParkedKinds = (version: PolicyVersion): readonly ApiKind[] => [
  kindOf('MutatingAdmissionPolicyBinding', bindings, version),
  kindOf('MutatingAdmissionPolicy', policies, version),
];

/** 'none' = the server serves neither. Undefined = it does not answer. */
export async function servedPolicyVersion(client: Client): Promise<PolicyVersion | 'none' | undefined> {
  for (const version of versions) {
    const reply = await client.request({ method: 'GET', path: `/apis/${group}/${version}` });
    if (reply.kind === 'silence' || (reply.code !== 200 && reply.code !== 404)) return undefined;
    if (listIn(bodyOf(reply), 'resources').some(({ name }) => name === policies)) return version;
  }
  return 'none';
}

export type BornParked =
  /** Nodes that are created while Lull is not running are parked too. */
  | 'in force'
  /** The server serves the kind, but the policy or its binding is missing. */
  | 'missing'
  | 'not served'
  /** Lull may not read it. */
  | 'unreadable';

/** Undefined = the server does not answer. */
export async function lookForBornParked(client: Client): Promise<BornParked | undefined> {
  const version = await servedPolicyVersion(client);
  if (version === undefined) return undefined;
  if (version === 'none') return 'not served';
  const found = await Promise.all(bornParkedKinds(version).map((kind) => isThere(client, kind)));
  if (found.includes(undefined)) return undefined;
  if (found.includes('unreadable')) return 'unreadable';
  return found.every((it) => it === true) ? 'in force' : 'missing';
}

async function isThere(client: Client, kind: ApiKind): Promise<boolean | 'unreadable' | undefined> {
  const reply = await client.request({ method: 'GET', path: objectPath(kind, bornParkedName) });
  if (isAway(reply)) return undefined;
  if (isNotFound(reply)) return false;
  if (!isDone(reply)) return 'unreadable';
  const isLeaving = mapIn(bodyOf(reply)?.metadata).deletionTimestamp !== undefined;
  return !isLeaving;
}
