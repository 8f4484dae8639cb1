// What is to be installed? What was asked for; and where nothing was said, what stands there already: an upgrade must not turn a guide into an observer.
import { isMap } from '../kinds/reader.ts';
import { objectPath } from '../kube/apiKind.ts';
import type { Client } from '../kube/client.ts';
import { messageOf } from '../kube/status.ts';
import { Failure } from './failure.ts';
import { apiKindFor, appName, type Manifest, type Wanted } from './manifests/manifest.ts';
import { readSettingsText, writeSettings } from './manifests/settingsText.ts';
import { settingsFile, settingsMap } from './manifests/workload.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';

export interface PlanFlags extends SettingsFlags {
  readonly namespace: string;
  readonly image?: string;
}

/** As far as install keeps it. */
interface Installed {
  readonly settings?: string;
  readonly image?: string;
}

export interface Plan {
  readonly wanted: Wanted;
  /** What was not asked for, but stays as it is: in words. */
  readonly kept: readonly string[];
}

/** Nobody is asked: what the flags say, and nothing else. */
export function planFromFlags({ namespace, image, ...flags }: PlanFlags, version: string): Wanted {
  const settings = settingsFrom(flags);
  return { role: settings.role, namespace, settings: writeSettings(settings), version, ...(image && { image }) };
}

export async function planFor(client: Client, flags: PlanFlags, version: string): Promise<Plan> {
  const installed = await readInstalled(client, flags.namespace);
  const kept: string[] = [];
  const image = flags.image ?? installed.image;
  if (flags.image === undefined && image !== undefined) kept.push(`image ${image}`);
  const fromFlags = { ...flags, ...(image !== undefined && { image }) };
  // A file says all of them; pairs are said over what is there.
  if (flags.settings !== undefined || installed.settings === undefined)
    return { wanted: planFromFlags(fromFlags, version), kept };
  // What is wrong with a pair is told by the usual reader, with its remedy.
  settingsFrom({ set: flags.set ?? [] });
  const settings = readSettingsText(installed.settings, flags.set ?? []);
  if (!settings) throw unreadable(flags.namespace);
  if (flags.set === undefined) kept.push('the settings');
  const wanted = { ...planFromFlags({ ...fromFlags, set: [] }, version), settings: writeSettings(settings) };
  return { wanted: { ...wanted, role: settings.role }, kept };
}

const unreadable = (namespace: string): Failure =>
  new Failure([
    {
      object: `ConfigMap/${namespace}/${settingsMap}`,
      path: `data.${settingsFile}`,
      message: 'These settings cannot be read. Give all of them anew with --settings FILE, or delete the ConfigMap.',
    },
  ]);

async function readInstalled(client: Client, namespace: string): Promise<Installed> {
  const map = await read(client, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: settingsMap, namespace } });
  const metadata = { name: appName, namespace };
  const deployment = await read(client, { apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  const settings = at(map, ['data', settingsFile]);
  const image = at(deployment, ['spec', 'template', 'spec', 'containers', '0', 'image']);
  return {
    ...(typeof settings === 'string' && { settings }),
    ...(typeof image === 'string' && { image }),
  };
}

async function read(client: Client, manifest: Manifest): Promise<unknown> {
  const { name, namespace } = manifest.metadata;
  const reply = await client.request({ method: 'GET', path: objectPath(apiKindFor(manifest), name, namespace) });
  if (reply.kind === 'silence') throw new Failure([{ message: `The cluster does not answer: ${reply.message}` }]);
  if (reply.code === 200) return reply.body;
  if (reply.code === 404) return undefined;
  throw new Failure([{ message: `${manifest.kind} ${namespace}/${name} cannot be read: ${messageOf(reply.body)}` }]);
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, step) => {
    if (Array.isArray(inside)) return inside[Number(step)] as unknown;
    return isMap(inside) ? inside[step] : undefined;
  }, value);
