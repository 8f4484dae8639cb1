// What to install: the flags, and otherwise what is installed already. An upgrade must not turn role guide into observe.
import { type Json, listIn, mapIn } from '../../kinds/read/reader.ts';
import { bodyOf, isDone, isNotFound, messageOf } from '../../kube/apiReply.ts';
import type { Client } from '../../kube/client.ts';
import { Failure } from '../failure.ts';
import type { SettingsFlags } from '../flags.ts';
import { settingsFrom } from '../settingsInput.ts';
import {
  appName,
  type InstallSpec,
  type Manifest,
  pathOf,
  readSettingsText,
  writeSettings,
} from './manifests/manifest.ts';
import { settingsFile, settingsMap } from './manifests/workloadManifests.ts';

export interface PlanFlags extends SettingsFlags {
  readonly namespace: string;
  readonly image?: string;
}

/** The part of an existing installation that install keeps. */
interface InstalledState {
  readonly settings?: string;
  readonly image?: string;
}

interface InstallPlan {
  readonly wanted: InstallSpec;
  /** What the flags did not name and stays as it is, in words. */
  readonly kept: readonly string[];
}

/** From the flags alone, without asking the cluster. */
export function planFromFlags({ namespace, image, ...flags }: PlanFlags, version: string): InstallSpec {
  const settings = settingsFrom(flags);
  return { role: settings.role, namespace, settings: writeSettings(settings), version, ...(image && { image }) };
}

export async function planFor(client: Client, flags: PlanFlags, version: string): Promise<InstallPlan> {
  const installed = await readInstalled(client, flags.namespace);
  const kept: string[] = [];
  const image = flags.image ?? installed.image;
  if (flags.image === undefined && image !== undefined) kept.push(`image ${image}`);
  const fromFlags = { ...flags, ...(image !== undefined && { image }) };
  // --settings replaces all settings; --set changes those that are installed.
  if (flags.settings !== undefined || installed.settings === undefined)
    return { wanted: planFromFlags(fromFlags, version), kept };
  // Faults in a --set pair are reported by the usual reader, with its remedy.
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
      message: 'These settings cannot be read. Pass all of them again with --settings FILE, or delete the ConfigMap.',
    },
  ]);

async function readInstalled(client: Client, namespace: string): Promise<InstalledState> {
  const map = await read(client, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: settingsMap, namespace } });
  const metadata = { name: appName, namespace };
  const deployment = await read(client, { apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  const settings = mapIn(map?.data)[settingsFile];
  const [container] = listIn(mapIn(mapIn(mapIn(deployment?.spec).template).spec), 'containers');
  const image = container?.image;
  return {
    ...(typeof settings === 'string' && { settings }),
    ...(typeof image === 'string' && { image }),
  };
}

async function read(client: Client, manifest: Manifest): Promise<Json | undefined> {
  const { name, namespace } = manifest.metadata;
  const reply = await client.request({ method: 'GET', path: pathOf(manifest) });
  if (reply.kind === 'silence') throw new Failure([{ message: `The cluster does not answer: ${reply.message}` }]);
  if (isDone(reply) || isNotFound(reply)) return bodyOf(reply);
  throw new Failure([{ message: `${manifest.kind} ${namespace}/${name} cannot be read: ${messageOf(reply.body)}` }]);
}
