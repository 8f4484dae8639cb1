// The form of a lint rule: one file, one misreading of a policy that people really make, and what to write instead.

import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Document } from '../kinds/documents.ts';
import type { Edit } from '../kinds/edit.ts';
import type { Instant } from '../time/instant.ts';

export type { Edit };
export type Severity = 'error' | 'warning' | 'info';

/** What a rule looks at: the facts as the engine reads them, and the documents as people wrote them. */
export interface Policy {
  readonly cluster: Cluster;
  readonly documents: readonly Document[];
  readonly settings: Settings;
  readonly now: Instant;
}

export interface Finding {
  /** The rule's name, kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  /** Dotted, with `[i]`. */
  readonly path: string;
  /** What is so, and why it matters: one or two sentences. */
  readonly message: string;
  /** What to write instead, as text or YAML. */
  readonly suggestion?: string;
  /** Where the right text is certain: what `--fix` writes. */
  readonly fix?: readonly Edit[];
}

export interface Rule {
  readonly name: string;
  /** One sentence for the reference: what it finds. */
  readonly finds: string;
  /** One or two sentences for the reference: why it matters. */
  readonly why: string;
  /** YAML that it finds something in, for the reference; the rule's test runs it. */
  readonly example: string;
  check(policy: Policy): Iterable<Finding>;
}
