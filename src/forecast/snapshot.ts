// From what is a forecast made? The cluster as it is, what Lull remembers of it, and how it decides.
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
