// What does lint find in some texts? The texts, the documents they hold and the findings, together.
import type { Settings } from '../cluster/settings.ts';
import { type Document, readDocuments } from '../kinds/documents.ts';
import { lint, type PlacedFinding } from '../lint/lint.ts';
import type { Instant } from '../time/instant.ts';
import { Failure } from './failure.ts';
import { gatherDocuments } from './input.ts';
import type { Source } from './sources.ts';

export interface Report {
  readonly sources: readonly Source[];
  readonly settings: Settings;
  readonly now: Instant;
  /** By source, in the same order. */
  readonly documents: readonly (readonly Document[])[];
  readonly findings: readonly PlacedFinding[];
}

/** All or nothing (K1): where one text cannot be read, none is looked at. */
export function reportOn(sources: readonly Source[], settings: Settings, now: Instant): Report {
  const read = sources.map(({ file, text }) => readDocuments(text, file));
  const errors = read.flatMap((it) => it.errors);
  if (errors.length > 0) throw new Failure(errors);
  const documents = read.map((it) => it.documents);
  const all = documents.flat();
  const { cluster } = gatherDocuments(all);
  return { sources, settings, now, documents, findings: lint({ cluster, documents: all, settings, now }) };
}
