// What does a rule say of a text? Reads YAML as the command line does, for the tests of rules.
import { defaultSettings, type Settings } from '../../cluster/settings.ts';
import { type Change, ClusterStore } from '../../cluster/store.ts';
import { readDocuments } from '../../kinds/documents.ts';
import { readObject } from '../../kinds/readObject.ts';
import { asInstant, parseInstant } from '../../time/instant.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

export interface Circumstances {
  readonly at?: string;
  readonly settings?: Partial<Settings>;
}

/** A Tuesday: the instant at which examples are looked at, unless told otherwise. */
const tuesday = '2026-11-17T10:20:00Z';

export function policyOf(text: string, { at = tuesday, settings = {} }: Circumstances = {}): Policy {
  const { documents, errors } = readDocuments(text, 'policy.yaml');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const cluster = new ClusterStore();
  for (const { object, position } of documents) {
    const read = readObject(object, position);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') continue;
    cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }
  const now = parseInstant(at) ?? asInstant(0);
  return { cluster, documents, settings: { ...defaultSettings, ...settings }, now };
}

/** What a rule finds in a text: in its own example where none is given. */
export const found = (rule: Rule, text: string = rule.example, circumstances: Circumstances = {}): Finding[] => [
  ...rule.check(policyOf(text, circumstances)),
];

/** The same, one line each: `warning NodePool/default spec.disruption.budgets`. */
export const places = (rule: Rule, text: string, circumstances: Circumstances = {}): string[] =>
  found(rule, text, circumstances).map(({ severity, object, path }) => `${severity} ${object} ${path}`);
