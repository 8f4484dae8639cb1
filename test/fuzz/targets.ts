// What is fuzzed: for each target a function that takes any text and throws if a property is violated.
import { isDeepStrictEqual } from 'node:util';
import { parseResources } from '../../src/cluster/quantity.ts';
import { writeLedger } from '../../src/kinds/read/disruptionLedger.ts';
import { isMap, type Json } from '../../src/kinds/read/reader.ts';
import { formatSelector, parseSelector } from '../../src/kinds/read/selectors.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { formatSettings, readSettings } from '../../src/kinds/readSettings.ts';
import { parseText, readDocuments } from '../../src/kinds/text/documents.ts';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import { parseCron } from '../../src/time/cron.ts';
import { formatDuration, parseDuration } from '../../src/time/duration.ts';
import { asDuration, asInstant } from '../../src/time/instant.ts';
import { cronHits } from './cronReference.ts';
import { quantityCeiling } from './quantityReference.ts';

export type Target = (text: string) => void;

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Violated: ${what}`);
}

/** Readers report faults and never throw; a printed value is read as the same. */
function documents(text: string): void {
  const { documents: found, errors } = readDocuments(text, 'a.yaml');
  for (const { message, line } of errors) must(message !== '' && line >= 1, 'an error has a sentence and a line');
  for (const { object } of found) {
    readObject(object);
    for (const written of [writeYaml(object), JSON.stringify(object)]) {
      const again = readDocuments(written, 'b.yaml');
      // A list is read as its entries, and limits count what is read.
      if (again.documents.length === 1 && again.errors.length === 0)
        must(
          isDeepStrictEqual(plain(again.documents[0]?.object), plain(object)),
          'a printed value is read as the same',
        );
      else must(again.errors.length > 0 || isList(object), 'what is written is one document');
    }
  }
}

const isList = ({ kind, items }: Json): boolean => Array.isArray(items) || /List$/.test(String(kind));
/** Numbers that JSON cannot represent are null in it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const noon = Date.UTC(2026, 2, 29, 12);
const moments = [0, 12_345_678, noon, noon + 1, Date.UTC(2028, 1, 29)];

function cron(text: string): void {
  const parsed = parseCron(text);
  if ('fault' in parsed) {
    must(parsed.fault !== '', 'a fault has a sentence');
    return;
  }
  const { cron: schedule } = parsed;
  let last: number | undefined;
  for (const moment of moments.toSorted((a, b) => a - b)) {
    const at = asInstant(moment);
    const [next, previous] = [schedule.next(at), schedule.previous(at)];
    must((next === undefined && previous === undefined) || schedule.fires, 'only what fires has hits');
    if (next === undefined) continue;
    must(next > at, 'the next hit is later');
    must(previous === undefined || previous <= at, 'the previous hit is not later');
    must(schedule.previous(next) === next, 'a hit is its own previous one');
    must(schedule.next(asInstant(next - 1)) === next, 'nothing is hit before the next hit');
    must(last === undefined || next >= last, 'hits grow with the time asked for');
    last = next;
  }
  const expected = cronHits(text, noon);
  if (!expected) return;
  const hits: number[] = [];
  const end = noon + 2 * 86_400_000;
  for (let at = schedule.next(asInstant(noon - 1)); at !== undefined && at < end; at = schedule.next(at)) hits.push(at);
  must(isDeepStrictEqual(hits, expected), 'hits are those of the reference');
}

function duration(text: string): void {
  const length = parseDuration(text);
  if (length === undefined) return;
  must(Number.isFinite(length), 'a duration is finite');
  const shown = formatDuration(length);
  const again = parseDuration(shown);
  must(again !== undefined, `${shown} is a duration`);
  // From a second on, printed to the millisecond.
  must(Math.abs(again - length) < 1, `${shown} is ${length} ms`);
  if (Number.isInteger(length)) must(again === length, `${shown} is ${length} ms to the millisecond`);
  const negated = text.startsWith('-') ? text.slice(1) : /^\+/.test(text) ? `-${text.slice(1)}` : `-${text}`;
  const opposite = parseDuration(negated);
  if (opposite !== undefined) must(opposite === -length || length === asDuration(0), 'a sign turns it round');
}

function quantity(text: string): void {
  const { cpu, memory } = parseResources({ cpu: text, memory: text });
  const [milli, whole] = [quantityCeiling(text, 1000n), quantityCeiling(text, 1n)];
  must((cpu === undefined) === (milli === undefined), 'it is a quantity to both or to neither');
  if (cpu === undefined || memory === undefined || milli === undefined || whole === undefined) return;
  must(Number.isFinite(cpu) && Number.isFinite(memory), 'an amount is a finite number');
  // A number has 53 bits; differences below a millionth are rounding.
  const near = (amount: number, exact: bigint): boolean =>
    Math.abs(amount - Number(exact)) <= Math.max(1, Math.abs(Number(exact)) * 1e-9);
  must(near(cpu, milli) && near(memory, whole), `${cpu} is ${milli}, ${memory} is ${whole}`);
}

function selector(text: string): void {
  const parsed = parseSelector(text);
  if (!parsed) return;
  const shown = formatSelector(parsed);
  must(isDeepStrictEqual(parseSelector(shown), parsed), `${JSON.stringify(shown)} is read as it was`);
}

function settings(text: string): void {
  for (const { value } of parseText(text).values) {
    const { settings: read } = readSettings(value);
    const { settings: again, faults } = readSettings(formatSettings(read));
    must(isDeepStrictEqual(again, read) && faults.length === 0, 'settings are read as they are written');
  }
}

/** An object of one kind, with anything as its fields. JSON only: YAML has its own target. */
function objectIn(text: string, kind: string, apiVersion: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? { ...value, kind, apiVersion } : undefined;
  } catch {
    return undefined;
  }
}

const kinds = {
  Pod: 'v1',
  Node: 'v1',
  Namespace: 'v1',
  PersistentVolumeClaim: 'v1',
  PersistentVolume: 'v1',
  StorageClass: 'storage.k8s.io/v1',
  CSINode: 'storage.k8s.io/v1',
  DaemonSet: 'apps/v1',
  NodeClaim: 'karpenter.sh/v1',
  NodePool: 'karpenter.sh/v1',
  Provisioner: 'karpenter.sh/v1alpha5',
  PodDisruptionBudget: 'policy/v1',
  MaintenanceWindow: 'karpenter.sh/v1alpha1',
  PodDisruptionSchedule: 'karpenter.sh/v1alpha1',
  Event: 'v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
} as const;

/** Reading reports faults, changes nothing, and is deterministic. */
const admission =
  (kind: string, apiVersion: string): Target =>
  (text) => {
    const object = objectIn(text, kind, apiVersion);
    if (!object) return;
    const before = JSON.stringify(object);
    const [first, second] = [readObject(object), readObject(object)];
    must(JSON.stringify(object) === before, 'what is read is not changed');
    must(JSON.stringify(first) === JSON.stringify(second), 'it is read the same twice');
    if (first.kind === 'ignored') return;
    for (const { message, path } of first.faults)
      must(message !== '' && typeof path === 'string', 'a fault has a sentence and a path');
  };

function ledger(text: string): void {
  const object = objectIn(text, 'DisruptionLedger', 'lull.dev/v1alpha1');
  const read = object && readObject(object);
  if (read?.kind !== 'DisruptionLedger' || read.faults.some(({ severity }) => severity === 'error')) return;
  const written = writeLedger(read.record);
  const again = readObject(written);
  must(again.kind === 'DisruptionLedger' && again.faults.length === 0, 'what is written is read');
  must(isDeepStrictEqual(again.record, read.record), 'a ledger is read as it was written');
  must(isDeepStrictEqual(writeLedger(again.record), written), 'and written as it was');
}

export const targets: Readonly<Record<string, Target>> = {
  documents,
  cron,
  duration,
  quantity,
  selector,
  settings,
  ledger,
  ...Object.fromEntries(Object.entries(kinds).map(([kind, version]) => [kind, admission(kind, version)])),
};
