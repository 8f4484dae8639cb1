// What does the ledger in the cluster say, as raw JSON? Only what the story needs; it is read after every commit, so it is not decoded.
import { isMap } from '../../kinds/reader.ts';

export interface RawCommand {
  readonly id: string;
  readonly reason: string;
  readonly pool: string;
  readonly hands?: string;
  readonly step: string;
  readonly nodes: readonly { readonly name: string; readonly claim?: string; readonly domain?: string }[];
  readonly replacements?: readonly { readonly name: string }[];
  readonly evictedAt?: string;
  readonly why?: string;
}

export interface RawTurn {
  readonly pool: string;
  readonly topologyKey: string;
  readonly domain?: string;
  readonly takenAt: string;
  readonly passAsked?: string;
  readonly passedOver?: readonly (string | null)[];
}

export interface RawLedger {
  readonly commands: readonly RawCommand[];
  readonly turns: readonly RawTurn[];
}

const nothing: RawLedger = { commands: [], turns: [] };

/** Of a DisruptionLedger, or of none. */
export function ledgerIn(object: { readonly spec?: unknown } | undefined): RawLedger {
  const spec = object?.spec;
  return isMap(spec) ? { ...nothing, ...(spec as Partial<RawLedger>) } : nothing;
}
