// How was this Lull told to behave (M)? Settings from a file and from key=value pairs, and back for `lull settings`.
import type { Fault } from '../cluster/fault.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { formatDuration } from '../time/duration.ts';
import type { Duration } from '../time/instant.ts';
import { formatCatalogue, readCatalogue } from './catalogue.ts';
import { brief, Findings, nowhere, type Where } from './findings.ts';
import { nearest } from './nearMiss.ts';
import { formatNodeCount, parseNodeCount, useNodeCount } from './nodeCount.ts';
import { isMap, type Json, Reader } from './reader.ts';
import { labelOperators, readSelectorParts } from './requirement.ts';
import { formatSelector, parseSelector, useSelector } from './selectorText.ts';

type Read<Value> = (reader: Reader, key: string) => Value | undefined;

const oneOf =
  <Word extends string>(...words: Word[]): Read<Word> =>
  (reader, key) =>
    reader.oneOf(key, words);

const duration: Read<Duration> = (reader, key) => reader.duration(key);

/** One reader for each setting: a setting without one does not compile. */
const readers: { readonly [Key in keyof Settings]-?: Read<Settings[Key]> } = {
  role: oneOf('observe', 'guide', 'drive'),
  pools: readPools,
  defaultBudgets: oneOf('fallback', 'ceiling'),
  expiration: oneOf('graceful', 'forceful'),
  expireLead: (reader, key) => reader.durationOr(key, 'auto'),
  drift: oneOf('claims', 'computed'),
  repairAfter: duration,
  repairBreaker: readBreaker,
  windowMargin: duration,
  consolidationPause: duration,
  replacementTimeout: duration,
  replacementSlow: duration,
  drainTimeout: duration,
  offerTimeout: duration,
  offerTimeoutUnderutilized: duration,
  minimumSavings: readShare,
  podMoveCost: readPrice,
  spotToSpot: readSwitch,
  catalogue: readCatalogue,
  withhold: readWithhold,
  karpenterMetrics: readMetricsPlace,
};

export const settingKeys = Object.keys(readers) as (keyof Settings)[];

/** Pairs such as `role=guide` stand before the file, and the file before the defaults. What is wrong keeps its default and is a fault. */
export function readSettings(
  file: unknown,
  pairs: readonly string[] = [],
  where: Where = nowhere,
): { settings: Settings; faults: Fault[] } {
  const fromFile = new Findings(() => 'Settings', 'error', where);
  const fromPairs = new Findings(() => 'Settings', 'error', nowhere);
  if (file !== undefined && file !== null && !isMap(file))
    fromFile.add('', file, 'Settings are a map. Write one `key: value` a line.');
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
    else findings.add('', pair, `${brief(pair)} sets nothing. Write key=value, such as role=guide.`);
  }
  return Object.fromEntries(values);
}

function readValues(reader: Reader): Partial<Settings> {
  const found: [string, unknown][] = [];
  for (const key of Object.keys(reader.values)) {
    const name = settingKeys.find((known) => known === key);
    const value = name ? readers[name](reader, name) : unknownKey(reader, key);
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}

function unknownKey(reader: Reader, key: string): undefined {
  const meant = nearest(key, settingKeys);
  const remedy = meant ? `Did you mean ${meant}?` : `The settings are ${settingKeys.join(', ')}.`;
  reader.fault(key, `${brief(key)} is no setting. ${remedy}`);
}

function readPools(reader: Reader, key: string): Settings['pools'] {
  const value = reader.raw(key);
  if (value === 'all' || value === '') return undefined;
  if (typeof value === 'string') return parseSelector(value) ?? reader.wrong(key, 'selector', useSelector);
  const { requirements, sound } = readSelectorParts(reader, key, labelOperators);
  return sound && requirements.length > 0 ? { requirements } : undefined;
}

/** Empty = nothing is withheld. */
function readWithhold(reader: Reader, key: string): string | undefined {
  return reader.text(key) || undefined;
}

function readBreaker(reader: Reader, key: string): Settings['repairBreaker'] | undefined {
  if (!reader.has(key)) return undefined;
  return parseNodeCount(reader.raw(key)) ?? reader.wrong(key, 'number of nodes', useNodeCount);
}

/** A share of a price in percent, with its sign or without. */
function readShare(reader: Reader, key: string): number | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const percent = asNumber(typeof value === 'string' ? value.replace(/%$/, '') : value);
  return percent !== undefined && percent <= 100
    ? percent
    : reader.wrong(key, 'share', 'Use a percentage such as 5%, from 0% to 100%.');
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
    // Without the value: settings are logged and recorded.
    reader.findings.add(
      reader.path(key),
      undefined,
      'The URL has a user or password, which are not sent. Remove them.',
    );
    return undefined;
  }
  if (value === undefined || value === 'auto' || value === 'off' || /^https?:\/\/[^/\s]+/.test(value)) return value;
  return reader.wrong(
    key,
    'place of metrics',
    'Use auto, off, or a URL such as http://karpenter.kube-system.svc:8080/metrics.',
  );
}

/** Pairs are texts. */
function readSwitch(reader: Reader, key: string): boolean | undefined {
  const value = reader.raw(key);
  return value === 'true' || value === 'false' ? value === 'true' : reader.boolean(key);
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number < Infinity ? number : undefined;
}

/** As a settings file would say them. */
export function formatSettings(settings: Settings): Record<keyof Settings, unknown> {
  const { pools, expireLead, repairBreaker, catalogue, ...rest } = settings;
  return {
    role: rest.role,
    pools: pools ? formatSelector(pools) : 'all',
    defaultBudgets: rest.defaultBudgets,
    expiration: rest.expiration,
    expireLead: expireLead === 'auto' ? expireLead : formatDuration(expireLead),
    drift: rest.drift,
    repairAfter: formatDuration(rest.repairAfter),
    repairBreaker: formatNodeCount(repairBreaker),
    windowMargin: formatDuration(rest.windowMargin),
    consolidationPause: formatDuration(rest.consolidationPause),
    replacementTimeout: formatDuration(rest.replacementTimeout),
    replacementSlow: formatDuration(rest.replacementSlow),
    drainTimeout: formatDuration(rest.drainTimeout),
    offerTimeout: formatDuration(rest.offerTimeout),
    offerTimeoutUnderutilized: formatDuration(rest.offerTimeoutUnderutilized),
    minimumSavings: `${rest.minimumSavings}%`,
    podMoveCost: rest.podMoveCost,
    spotToSpot: rest.spotToSpot,
    catalogue: formatCatalogue(catalogue),
    withhold: rest.withhold ?? '',
    karpenterMetrics: rest.karpenterMetrics,
  };
}
