// The Lease of a running Lull as other processes read it: its namespace, its holder, and the settings in force.
import type { Settings } from '../cluster/settings.ts';
import { type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import { readSettings, settingsGiven } from '../kinds/readSettings.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { bodyOf, isNotFound, sayReply } from './apiReply.ts';
import type { Client } from './client.ts';
import { leasePath } from './lease.ts';

export interface FoundLease {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Absent = it was released. */
  readonly holder?: string;
  readonly renewedAt?: Instant;
  /** As returned by the server. */
  readonly object: Json;
}

const leases = '/apis/coordination.k8s.io/v1/leases';

/** Searches these namespaces in order; otherwise takes the most recently renewed one of the whole cluster. */
export async function findLease(
  client: Client,
  name: string,
  namespaces: readonly string[],
): Promise<FoundLease | undefined> {
  for (const namespace of new Set(namespaces)) {
    const reply = await client.request({ method: 'GET', path: leasePath(namespace, name) });
    if (reply.kind === 'silence') throw new Error(`Lease ${namespace}/${name} cannot be read: ${reply.message}`);
    // One that may not be read here is searched for elsewhere.
    const object = bodyOf(reply);
    if (object) return readLease(object);
  }
  const query = { fieldSelector: `metadata.name=${name}` };
  const reply = await client.request({ method: 'GET', path: leases, query });
  if (reply.kind === 'silence') throw new Error(`Leases cannot be listed: ${reply.message}`);
  return listIn(bodyOf(reply), 'items')
    .map(readLease)
    .filter((lease) => annotationsOf(lease)[settingsAnnotation] !== undefined)
    .sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0))[0];
}

/** Undefined = it no longer exists. */
export async function readLeaseAt(client: Client, namespace: string, name: string): Promise<FoundLease | undefined> {
  const reply = await client.request({ method: 'GET', path: leasePath(namespace, name) });
  if (isNotFound(reply)) return undefined;
  const object = bodyOf(reply);
  if (object) return readLease(object);
  throw new Error(`Lease ${namespace}/${name} cannot be read: ${sayReply(reply)}`);
}

function readLease(object: Json): FoundLease {
  const { namespace, name, uid, resourceVersion } = mapIn(object.metadata);
  const { holderIdentity: holder, renewTime } = mapIn(object.spec);
  const renewedAt = typeof renewTime === 'string' ? parseInstant(renewTime) : undefined;
  return {
    namespace: String(namespace),
    name: String(name),
    uid: String(uid),
    version: String(resourceVersion),
    ...(typeof holder === 'string' && holder !== '' && { holder }),
    ...(renewedAt !== undefined && { renewedAt }),
    object,
  };
}

/** The settings with which Lull runs, on its own lease; others may have a lease of that name. */
const settingsAnnotation = 'lull.dev/settings';
const versionAnnotation = 'lull.dev/version';
/** The names of settings that were too long to be written. */
const leftOutAnnotation = 'lull.dev/settings-left-out';

/** All annotations of an object together may have 256 KiB; a price catalogue may be larger. */
const longestSettings = 128 * 1024;

const annotationsOf = ({ object }: FoundLease): Json => mapIn(mapIn(object.metadata).annotations);

type InForce =
  /** `leftOut`: settings shown with their defaults, since they were too long to be written. */
  | { readonly settings: Settings; readonly leftOut: readonly string[] }
  /** As a sentence. */
  | { readonly why: string };

/** The leader's annotations: only what differs from the defaults, so that a newer Lull uses its own defaults. */
export function settingsOnLease(settings: Settings, version: string): Readonly<Record<string, string>> {
  const given = settingsGiven(settings);
  const isLong = JSON.stringify(given).length > longestSettings;
  const kept = isLong ? given.filter(([key]) => key !== 'catalogue') : given;
  return {
    [settingsAnnotation]: JSON.stringify(Object.fromEntries(kept)),
    [versionAnnotation]: version,
    [leftOutAnnotation]: isLong ? 'catalogue' : '',
  };
}

/** The settings of the current or last leader. */
export function settingsInForce(lease: FoundLease): InForce {
  const where = `Lease ${lease.namespace}/${lease.name}`;
  const { [settingsAnnotation]: text, [leftOutAnnotation]: leftOut } = annotationsOf(lease);
  if (typeof text !== 'string') return { why: `${where} does not contain the settings of its Lull.` };
  const given = parse(text);
  const { settings, faults } = readSettings(given);
  const [fault] = faults;
  if (given === undefined || fault)
    return { why: `${where} has settings that cannot be read: ${fault?.message ?? 'they are not JSON.'}` };
  return { settings, leftOut: typeof leftOut === 'string' && leftOut !== '' ? leftOut.split(',') : [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
