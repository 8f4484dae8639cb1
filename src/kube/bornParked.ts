// The admission policy `lull-born-parked`: which version of its kind the server serves, and whether it is in force (N2).
import { isMap, type Json } from '../kinds/reader.ts';
import { type ApiKind, objectPath } from './apiKind.ts';
import type { Client } from './client.ts';

/** Of the policy and of its binding. */
export const bornParkedName = 'lull-born-parked';

const group = 'admissionregistration.k8s.io';
const policies = 'mutatingadmissionpolicies';
const bindings = 'mutatingadmissionpolicybindings';

/** v1 from Kubernetes 1.36 on; v1beta1 before, where the cluster enables it. The newest first. */
const versions = ['v1', 'v1beta1'] as const;
export type PolicyVersion = (typeof versions)[number];

const kindOf = (kind: string, plural: string, version: PolicyVersion): ApiKind => ({
  kind,
  apiVersion: `${group}/${version}`,
  plural,
  isNamespaced: false,
});

/** The binding first: what removes them in this order never leaves a policy that is bound to nothing else. */
export const bornParkedKinds = (version: PolicyVersion): readonly ApiKind[] => [
  kindOf('MutatingAdmissionPolicyBinding', bindings, version),
  kindOf('MutatingAdmissionPolicy', policies, version),
];

/** 'none' = the server serves neither. Undefined = it does not say. */
export async function servedPolicyVersion(client: Client): Promise<PolicyVersion | 'none' | undefined> {
  for (const version of versions) {
    const reply = await client.request({ method: 'GET', path: `/apis/${group}/${version}` });
    if (reply.kind === 'silence' || (reply.code !== 200 && reply.code !== 404)) return undefined;
    if (reply.code === 200 && resourcesIn(reply.body).includes(policies)) return version;
  }
  return 'none';
}

const resourcesIn = (body: unknown): readonly unknown[] => {
  const list = isMap(body) && Array.isArray(body.resources) ? body.resources : [];
  return list.filter(isMap).map(({ name }) => name);
};

export type BornParked =
  /** Nodes that are born while no Lull runs are parked all the same. */
  | 'in force'
  /** The server serves the kind, and the policy or its binding is not there. */
  | 'missing'
  | 'not served'
  /** It may not be read. */
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
  if (reply.kind === 'silence' || reply.code >= 500 || reply.code === 429) return undefined;
  if (reply.code === 404) return false;
  if (reply.code !== 200) return 'unreadable';
  return !isLeaving(reply.body);
}

const isLeaving = (body: unknown): boolean => {
  const metadata: Json = isMap(body) && isMap(body.metadata) ? body.metadata : {};
  return metadata.deletionTimestamp !== undefined;
};
