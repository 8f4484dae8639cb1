// The types of a lint rule and its findings. Each rule finds one mistake that people really make in a policy.

import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Edit } from '../kinds/edit/applyEdits.ts';
import type { Severity } from '../kinds/read/findings.ts';
import type { Document } from '../kinds/text/documents.ts';
import type { Instant } from '../time/instant.ts';

export type { Edit, Severity };

/** The input of a rule: the facts as the engine reads them, and the documents as written. */
export interface LintPolicy {
  readonly cluster: Cluster;
  readonly documents: readonly Document[];
  readonly settings: Settings;
  readonly now: Instant;
}

export interface LintFinding {
  /** The rule's name, kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  /** Dotted, with `[i]`. */
  readonly path: string;
  /** What is wrong and why it matters, in one or two sentences. */
  readonly message: string;
  /** What to write instead, as text or YAML. */
  readonly suggestion?: string;
  /** What `--fix` writes; present only if the right text is certain. */
  readonly fix?: readonly Edit[];
}

/** A finding as its rule returns it. */
export type RuleFinding = Omit<LintFinding, 'rule' | 'severity'> & Partial<Pick<LintFinding, 'severity'>>;

export interface LintRule {
  readonly name: string;
  /** The severity of its findings, unless one sets its own. */
  readonly severity: Severity;
  /** What it finds, in one sentence, for the reference. An example is in docs/reference/lint. */
  readonly finds: string;
  /** Why it matters, in one or two sentences, for the reference. */
  readonly why: string;
  check(policy: LintPolicy): Iterable<RuleFinding>;
}

/** A field of an object. */
export interface FieldLocation {
  readonly object: string;
  readonly path: string;
}

/** A finding about an item, located at the item unless it names another field. */
export type PartialFinding = Omit<RuleFinding, keyof FieldLocation> & Partial<FieldLocation>;

/** The check of a rule that looks at items one by one. */
export const checkEach = <Each extends FieldLocation>(
  itemsOf: (policy: LintPolicy) => Iterable<Each>,
  judge: (each: Each, policy: LintPolicy) => PartialFinding | readonly PartialFinding[] | undefined,
): LintRule['check'] =>
  function* (policy) {
    for (const each of itemsOf(policy)) {
      for (const finding of [judge(each, policy) ?? []].flat())
        yield { object: each.object, path: each.path, ...finding };
    }
  };
