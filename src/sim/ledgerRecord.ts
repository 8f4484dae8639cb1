// The raw ledger as the checks and the story read it, independent of the code that writes it.
import { defined } from '../cluster/defined.ts';
import { isMap } from '../kinds/read/reader.ts';
import { asInstant, type Instant } from '../time/instant.ts';
import { instantOf, type Json, type KubeObject, type Texts, textAt } from './kubeObject.ts';

export interface RawCommand {
  readonly id: string;
  readonly reason: string;
  readonly pool: string;
  readonly hands: string;
  readonly nodes: readonly { readonly name: string; readonly claim?: string; readonly domain?: string }[];
  readonly replacements: readonly string[];
  readonly step: string;
  readonly startedAt: Instant;
  readonly stepAt: Instant;
  readonly evictedAt: Instant | undefined;
  readonly parkedAt: Instant | undefined;
  /** Why it was released. */
  readonly why: string | undefined;
}

export interface RawTurn {
  readonly pool: string;
  readonly topologyKey: string;
  readonly domain: string | undefined;
  readonly takenAt: Instant;
  readonly wellSince: Instant | undefined;
  readonly passAsked: Instant | undefined;
  /** Domains that were left behind; null: the nodes without the label. */
  readonly passedOver: readonly unknown[];
}

export interface RawRoll {
  readonly pool: string;
  readonly startedAt: Instant;
  readonly counted: number;
  readonly done: number;
  readonly wave: number;
  readonly wellSince: Instant | undefined;
  readonly passAsked: Instant | undefined;
  readonly haltedAt: Instant | undefined;
}

export interface LedgerRecord {
  readonly commands: ReadonlyMap<string, RawCommand>;
  readonly turns: readonly RawTurn[];
  readonly rolls: readonly RawRoll[];
  /** The versions its author had seen, by kind; undefined if not recorded. */
  readonly seen: Readonly<Record<string, string>> | undefined;
}

export const noLedger: LedgerRecord = { commands: new Map(), turns: [], rolls: [], seen: undefined };

const maps = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isMap) : []);
const instantAt = (json: Json, key: string): Instant => instantOf(json[key]) ?? asInstant(0);

const known = new WeakMap<KubeObject, LedgerRecord>();

/** Cached by version; empty without an object. */
export function readLedger(object: KubeObject | undefined): LedgerRecord {
  if (!object) return noLedger;
  const before = known.get(object);
  if (before) return before;
  const { spec = {} } = object;
  const commands = maps(spec.commands).map(readCommand);
  const record: LedgerRecord = {
    commands: new Map(commands.map((command) => [command.id, command])),
    turns: maps(spec.turns).map(readTurn),
    rolls: maps(spec.rolls).map(readRoll),
    seen: isMap(spec.seen) ? textsOf(spec.seen) : undefined,
  };
  known.set(object, record);
  return record;
}

const textsOf = (json: Json): Texts =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [key, String(value)]));

const readCommand = (json: Json): RawCommand => ({
  id: textAt(json, 'id') ?? '',
  reason: textAt(json, 'reason') ?? '',
  pool: textAt(json, 'pool') ?? '',
  hands: textAt(json, 'hands') ?? 'lull',
  nodes: maps(json.nodes).map((node) =>
    defined({ name: textAt(node, 'name') ?? '', claim: textAt(node, 'claim'), domain: textAt(node, 'domain') }),
  ),
  replacements: maps(json.replacements).map(({ name }) => String(name)),
  step: textAt(json, 'step') ?? '',
  startedAt: instantAt(json, 'startedAt'),
  stepAt: instantAt(json, 'stepAt'),
  evictedAt: instantOf(json.evictedAt),
  parkedAt: instantOf(json.parkedAt),
  why: textAt(json, 'why'),
});

const readRoll = (json: Json): RawRoll => ({
  pool: textAt(json, 'pool') ?? '',
  startedAt: instantAt(json, 'startedAt'),
  counted: Number(json.counted),
  done: Number(json.done),
  wave: Number(json.wave),
  haltedAt: instantOf(json.haltedAt),
  wellSince: instantOf(json.wellSince),
  passAsked: instantOf(json.passAsked),
});

const readTurn = (json: Json): RawTurn => ({
  pool: textAt(json, 'pool') ?? '',
  topologyKey: textAt(json, 'topologyKey') ?? '',
  domain: textAt(json, 'domain'),
  takenAt: instantAt(json, 'takenAt'),
  wellSince: instantOf(json.wellSince),
  passAsked: instantOf(json.passAsked),
  passedOver: Array.isArray(json.passedOver) ? json.passedOver : [],
});
