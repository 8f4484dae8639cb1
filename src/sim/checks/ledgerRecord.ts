// What does the ledger say? Its raw object, read without the code that wrote it.
import { asInstant, type Instant } from '../../time/instant.ts';
import type { Json, KubeObject } from '../kubeObject.ts';
import { instantOf, textAt } from './raw.ts';

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
}

export interface RawTurn {
  readonly pool: string;
  readonly topologyKey: string;
  readonly domain: string | undefined;
  readonly takenAt: Instant;
  readonly wellSince: Instant | undefined;
  readonly passAsked: Instant | undefined;
}

export interface LedgerRecord {
  readonly commands: ReadonlyMap<string, RawCommand>;
  readonly turns: readonly RawTurn[];
  /** By kind; undefined where its author does not say. */
  readonly seen: Readonly<Record<string, string>> | undefined;
}

export const noLedger: LedgerRecord = { commands: new Map(), turns: [], seen: undefined };

const maps = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const instantAt = (json: Json, key: string): Instant => instantOf(json[key]) ?? asInstant(0);

export function readLedger(object: KubeObject | undefined): LedgerRecord {
  if (!object) return noLedger;
  const { spec = {} } = object;
  const commands = maps(spec.commands).map(readCommand);
  return {
    commands: new Map(commands.map((command) => [command.id, command])),
    turns: maps(spec.turns).map(readTurn),
    seen: spec.seen as LedgerRecord['seen'],
  };
}

const readCommand = (json: Json): RawCommand => ({
  id: textAt(json, 'id') ?? '',
  reason: textAt(json, 'reason') ?? '',
  pool: textAt(json, 'pool') ?? '',
  hands: textAt(json, 'hands') ?? 'lull',
  nodes: maps(json.nodes) as unknown as RawCommand['nodes'],
  replacements: maps(json.replacements).map(({ name }) => String(name)),
  step: textAt(json, 'step') ?? '',
  startedAt: instantAt(json, 'startedAt'),
  stepAt: instantAt(json, 'stepAt'),
  evictedAt: instantOf(json.evictedAt),
  parkedAt: instantOf(json.parkedAt),
});

const readTurn = (json: Json): RawTurn => ({
  pool: textAt(json, 'pool') ?? '',
  topologyKey: textAt(json, 'topologyKey') ?? '',
  domain: textAt(json, 'domain'),
  takenAt: instantAt(json, 'takenAt'),
  wellSince: instantOf(json.wellSince),
  passAsked: instantOf(json.passAsked),
});
