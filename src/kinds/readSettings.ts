// Settings read from a file and from key=value pairs, and formatted for `lull settings` (M).
import type { Fault } from '../cluster/fault.ts';
import { defaultSettings, type SettingForms, type Settings, settingKeys, settingTable } from '../cluster/settings.ts';
import { formatDuration } from '../time/duration.ts';
import { formatCatalogue, readCatalogue } from './catalogue.ts';
import { brief, Findings, nowhere, type Where } from './read/findings.ts';
import { nearest } from './read/nearMiss.ts';
import { formatNodeCount, isMap, type Json, Reader } from './read/reader.ts';
import { formatSelector, labelOperators, parseSelector, readSelectorParts, useSelector } from './read/selectors.ts';

interface SettingFormat<Value> {
  read(reader: Reader, key: string): Value | undefined;
  write(value: Value): unknown;
}

/** How each type of setting is read from a file or a pair, and written to a file. */
const formats: { readonly [Name in keyof SettingForms]: SettingFormat<SettingForms[Name]> } = {
  duration: { read: (reader, key) => reader.duration(key), write: formatDuration },
  durationOrAuto: {
    read: (reader, key) => reader.durationOr(key, 'auto'),
    write: (value) => (value === 'auto' ? value : formatDuration(value)),
  },
  nodeCount: { read: (reader, key) => reader.nodeCount(key), write: formatNodeCount },
  selector: { read: readPools, write: (value) => (value ? formatSelector(value) : 'all') },
  percent: { read: readShare, write: (value) => `${value}%` },
  price: { read: readPrice, write: (value) => value },
  boolean: { read: readSwitch, write: (value) => value },
  catalogue: { read: readCatalogue, write: formatCatalogue },
  metricsSource: { read: readMetricsPlace, write: (value) => value },
  // Empty = absent.
  text: { read: (reader, key) => reader.text(key) || undefined, write: (value) => value ?? '' },
};

function formatOf(key: keyof Settings): SettingFormat<unknown> {
  const setting = settingTable[key];
  if (setting.form !== 'choice') return formats[setting.form];
  return { read: (reader, at) => reader.oneOf<string>(at, setting.values), write: (value) => value };
}

/** Pairs such as `role=guide` override the file, and the file overrides the defaults. An invalid value is a fault and keeps the default. */
export function readSettings(
  file: unknown,
  pairs: readonly string[] = [],
  where: Where = nowhere,
): { settings: Settings; faults: Fault[] } {
  const fromFile = new Findings(() => 'Settings', 'error', where);
  const fromPairs = new Findings(() => 'Settings', 'error', nowhere);
  if (file !== undefined && file !== null && !isMap(file))
    fromFile.add('', file, 'Settings must be a map. Write one `key: value` per line.');
  const settings = {
    ...defaultSettings,
    ...readValues(new Reader(isMap(file) ? file : {}, fromFile)),
    ...readValues(new Reader(splitPairs(pairs, fromPairs), fromPairs)),
  };
  return { settings, faults: [...fromFile.faults, ...fromPairs.faults] };
}

function splitPairs(pairs: readonly string[], findings: Findings): Json {
  const values: [string, string][] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals > 0) values.push([pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]);
    else findings.add('', pair, `"${brief(pair)}" is not a setting. Write key=value, such as role=guide.`);
  }
  return Object.fromEntries(values);
}

function readValues(reader: Reader): Partial<Settings> {
  const found: [string, unknown][] = [];
  for (const key of Object.keys(reader.values)) {
    const name = settingKeys.find((known) => known === key);
    const value = name ? formatOf(name).read(reader, name) : unknownKey(reader, key);
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}

function unknownKey(reader: Reader, key: string): undefined {
  const meant = nearest(key, settingKeys);
  const remedy = meant ? `Did you mean ${meant}?` : `Known settings: ${settingKeys.join(', ')}.`;
  reader.fault(key, `Unknown setting ${brief(key)}. ${remedy}`);
}

function readPools(reader: Reader, key: string): Settings['pools'] {
  const value = reader.raw(key);
  if (value === 'all' || value === '') return undefined;
  if (typeof value === 'string') return parseSelector(value) ?? reader.wrong(key, 'selector', useSelector);
  const { requirements, sound } = readSelectorParts(reader, key, labelOperators);
  return sound && requirements.length > 0 ? { requirements } : undefined;
}

/** A percentage, with or without the percent sign. */
function readShare(reader: Reader, key: string): number | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const percent = asNumber(typeof value === 'string' ? value.replace(/%$/, '') : value);
  return percent !== undefined && percent <= 100
    ? percent
    : reader.wrong(key, 'percentage', 'Use one from 0% to 100%, such as 5%.');
}

function readPrice(reader: Reader, key: string): number | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  return asNumber(value) ?? reader.wrong(key, 'price', 'Use a number of at least 0, such as 0.002.');
}

function readMetricsPlace(reader: Reader, key: string): string | undefined {
  const raw = reader.raw(key);
  // YAML reads `off` without quotes as false.
  if (typeof raw === 'boolean') return raw ? 'auto' : 'off';
  const value = reader.text(key);
  const { username = '', password = '' } = (value !== undefined && URL.parse(value)) || {};
  if (username !== '' || password !== '') {
    // Leave the value out of the fault: settings are logged and recorded.
    reader.findings.add(
      reader.path(key),
      undefined,
      'The URL contains a user or password, which Lull does not send. Remove them.',
    );
    return undefined;
  }
  if (value === undefined || value === 'auto' || value === 'off' || /^https?:\/\/[^/\s]+/.test(value)) return value;
  return reader.wrong(
    key,
    'metrics address',
    'Use auto, off, or a URL such as http://karpenter.kube-system.svc:8080/metrics.',
  );
}

/** In pairs, booleans are text. */
function readSwitch(reader: Reader, key: string): boolean | undefined {
  const value = reader.raw(key);
  return value === 'true' || value === 'false' ? value === 'true' : reader.boolean(key);
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number < Infinity ? number : undefined;
}

/** As in a settings file. */
export const formatSettings = (settings: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(settingKeys.map((key) => [key, formatOf(key).write(settings[key])]));

/** Settings that differ from the defaults, so that a newer Lull applies its own defaults to the rest. */
export function settingsGiven(settings: Settings): [key: keyof Settings, value: unknown][] {
  const [values, usual] = [formatSettings(settings), formatSettings(defaultSettings)];
  const given = settingKeys.filter((key) => JSON.stringify(values[key]) !== JSON.stringify(usual[key]));
  return given.map((key) => [key, values[key]]);
}
