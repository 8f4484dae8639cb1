// What a forecast starts from: the cluster as it is, what Lull remembers of it, and its settings.
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';

export interface Snapshot {
  readonly at: Instant;
  /** Raw, as Kubernetes keeps them: nodes, claims, pools, pods, PDBs, windows, namespaces. */
  readonly objects: readonly Json[];
  readonly ledger: Ledger;
  readonly settings: Settings;
}

/** Observe mode moves nothing: its forecast is what would happen in guide mode (C5/N4). */
export const actingSettings = (settings: Settings): Settings =>
  settings.role === 'observe' ? { ...settings, role: 'guide' } : settings;
