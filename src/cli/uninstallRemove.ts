// What of Lull's installation is there, and how is it taken away? In the reverse order of its making; what others made under its names stays.
import { isMap, type Json } from '../kinds/reader.ts';
import { collectionPath, ledgerKind, objectPath } from '../kube/apiKind.ts';
import { removeObject } from '../kube/apply.ts';
import { bornParkedName } from '../kube/bornParked.ts';
import type { Client } from '../kube/client.ts';
import { messageOf } from '../kube/status.ts';
import { pauseWindow } from '../server/pause.ts';
import { asDuration } from '../time/instant.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';
import { apiKindFor, isInstallsOwn, type Manifest, titleOf } from './manifests/manifest.ts';

export interface Found {
  readonly manifest: Manifest;
  /** Why it stays; absent = it goes. */
  readonly keptFor?: string;
}

export interface Left {
  readonly object: string;
  readonly outcome: 'removed' | 'kept' | 'failed';
  readonly message?: string;
}

export const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
export const isBornParked = ({ metadata }: Manifest): boolean => metadata.name === bornParkedName;
export const isWorkload = ({ kind }: Manifest): boolean => kind === 'Deployment' || kind === 'CronJob';

/** Those that are there. Definitions carry no mark: their names are Lull's alone. */
export async function findInstalled(client: Client, manifests: readonly Manifest[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const manifest of manifests) {
    const object = await read(client, manifest);
    if (!object) continue;
    const isOurs = isInstallsOwn(object) || (isDefinition(manifest) && !isHelms(object));
    found.push({ manifest, ...(!isOurs && { keptFor: '`lull install` did not make it.' }) });
  }
  return found;
}

/** The chart's definitions are Helm's to remove. */
function isHelms({ metadata }: Json): boolean {
  const labels = isMap(metadata) && isMap(metadata.labels) ? metadata.labels : {};
  return labels['app.kubernetes.io/managed-by'] === 'Helm';
}

async function read(client: Client, manifest: Manifest): Promise<Json | undefined> {
  const { name, namespace } = manifest.metadata;
  const reply = await client.request({ method: 'GET', path: objectPath(apiKindFor(manifest), name, namespace) });
  if (reply.kind === 'silence') throw new Failure([{ message: `The cluster does not answer: ${reply.message}` }]);
  if (reply.code === 404) return undefined;
  if (reply.code === 200 && isMap(reply.body)) return reply.body;
  throw new Failure([{ object: titleOf(manifest), message: `It cannot be read: ${messageOf(reply.body)}` }]);
}

/** A minute: as long as a pod may take to end, and again. */
const tries = 120;
const between = asDuration(500);

/** Returns when it is gone, with all that hung on it. */
export async function removeOne({ manifest, keptFor }: Found, client: Client, io: Io): Promise<Left> {
  const object = titleOf(manifest);
  if (keptFor !== undefined) return { object, outcome: 'kept', message: keptFor };
  io.progress?.(`removing ${object}`);
  const removed = await removeObject(client, { kind: apiKindFor(manifest), object: manifest });
  if (removed.outcome === 'failed') return { object, outcome: 'failed', message: removed.message };
  for (let attempt = 0; await read(client, manifest); attempt++) {
    if (attempt === tries)
      return { object, outcome: 'failed', message: 'It is being removed, and not gone after a minute.' };
    await io.wait?.(between);
  }
  return { object, outcome: 'removed' };
}

/** A definition takes every object of its kind with it. What release removes itself holds none. */
export async function definitionToKeep(client: Client, manifest: Manifest): Promise<string | undefined> {
  const { spec } = manifest as Manifest & {
    spec: { group: string; names: { kind: string; plural: string }; versions: readonly { name: string }[] };
  };
  const { kind, plural } = spec.names;
  const apiVersion = `${spec.group}/${spec.versions[0]?.name}`;
  const path = collectionPath({ kind, apiVersion, plural, isNamespaced: false });
  const reply = await client.request({ method: 'GET', path, query: { limit: '500' } });
  if (reply.kind === 'silence') return `its objects cannot be listed: ${reply.message}`;
  if (reply.code === 404) return undefined;
  const items = isMap(reply.body) && Array.isArray(reply.body.items) ? reply.body.items : undefined;
  if (!items) return `its objects cannot be listed: ${messageOf(reply.body)}`;
  const names = items.filter(isMap).map(({ metadata }) => (isMap(metadata) ? String(metadata.name) : ''));
  const [first, ...rest] = names.filter((name) => kind !== ledgerKind && name !== pauseWindow({}).metadata.name);
  if (first === undefined) return undefined;
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return `${kind} ${first}${more} would go with it: --with-crds takes them too.`;
}
