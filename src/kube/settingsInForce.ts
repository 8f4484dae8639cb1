// With which settings does the Lull of a cluster decide? Whoever leads writes them on the Lease; whoever wants to decide as it does reads them there.
import type { Settings } from '../cluster/settings.ts';
import { defaultSettings } from '../cluster/settings.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import { formatSettings, readSettings, settingKeys } from '../kinds/settings.ts';
import type { Client } from './client.ts';
import { leasePath } from './lease.ts';
import { messageOf } from './status.ts';

export const settingsAnnotation = 'lull.dev/settings';
const versionAnnotation = 'lull.dev/version';
/** The settings that were too long to be written, by name. */
const leftOutAnnotation = 'lull.dev/settings-left-out';

/** All annotations of an object together may be 256 KiB; a catalogue of prices may be more. */
const longestSettings = 128 * 1024;

export type InForce =
  | {
      readonly status: 'known';
      readonly settings: Settings;
      /** Of the Lull that wrote them. */
      readonly version?: string;
      /** Who leads; absent = nobody at this moment, and these are the last ones. */
      readonly holder?: string;
      /** Settings that stand at their defaults here, since they were too long to be written. */
      readonly leftOut: readonly string[];
    }
  /** No Lull runs there, or nothing of it can be read: why, in words. */
  | { readonly status: 'unknown'; readonly why: string };

/** What whoever leads writes: only what differs from the defaults, so that a newer Lull's defaults are its own. */
export function settingsOnLease(settings: Settings, version: string): Readonly<Record<string, string>> {
  const [values, usual] = [formatSettings(settings), formatSettings(defaultSettings)];
  const isSame = (key: keyof Settings): boolean => JSON.stringify(values[key]) === JSON.stringify(usual[key]);
  const given = settingKeys.filter((key) => !isSame(key)).map((key) => [key, values[key]] as const);
  const isLong = JSON.stringify(given).length > longestSettings;
  const kept = isLong ? given.filter(([key]) => key !== 'catalogue') : given;
  return {
    [settingsAnnotation]: JSON.stringify(Object.fromEntries(kept)),
    [versionAnnotation]: version,
    [leftOutAnnotation]: isLong ? 'catalogue' : '',
  };
}

export async function settingsInForce(client: Client, namespace: string, lease: string): Promise<InForce> {
  const where = `Lease ${namespace}/${lease}`;
  const reply = await client.request({ method: 'GET', path: leasePath(namespace, lease) });
  if (reply.kind === 'silence') return unknown(`${where} cannot be read: ${reply.message}`);
  if (reply.code === 404) return unknown(`There is no ${where}: no Lull has run there.`);
  if (reply.code !== 200 || !isMap(reply.body))
    return unknown(`${where} cannot be read: ${reply.code}: ${messageOf(reply.body)}`);
  return readInForce(reply.body, where);
}

function readInForce({ metadata, spec }: Json, where: string): InForce {
  const annotations = isMap(metadata) && isMap(metadata.annotations) ? metadata.annotations : {};
  const text = annotations[settingsAnnotation];
  if (typeof text !== 'string') return unknown(`${where} does not say with which settings its Lull runs.`);
  const given = parse(text);
  const read = readSettings(given);
  const [fault] = read.faults;
  if (given === undefined || fault)
    return unknown(`${where} has settings that cannot be read: ${fault?.message ?? 'they are not JSON.'}`);
  const version = annotations[versionAnnotation];
  const holder = isMap(spec) ? spec.holderIdentity : undefined;
  const leftOut = annotations[leftOutAnnotation];
  return {
    status: 'known',
    settings: read.settings,
    ...(typeof version === 'string' && { version }),
    ...(typeof holder === 'string' && holder !== '' && { holder }),
    leftOut: typeof leftOut === 'string' && leftOut !== '' ? leftOut.split(',') : [],
  };
}

const unknown = (why: string): InForce => ({ status: 'unknown', why });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
