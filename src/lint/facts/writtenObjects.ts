// Documents and pod templates as written, by object name; the engine keeps only their meaning.
import { memo } from '../../cluster/memo.ts';
import { valueAt } from '../../kinds/edit/patch.ts';
import { readPodTemplates } from '../../kinds/podTemplate.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import type { LintPolicy } from '../rule.ts';

/** By `Kind/name` or `Kind/namespace/name`; the last one if there are several, as on the command line. */
export const documentsIn = memo(
  ({ documents }: LintPolicy) => new Map(documents.map((document) => [nameOfObject(document.object), document])),
);

/** The value at a path of an object; undefined if there is none. */
export const writtenAt = (policy: LintPolicy, object: string, ...keys: readonly string[]): unknown =>
  valueAt(documentsIn(policy).get(object)?.object, keys) ?? undefined;

/** By object; the last one if there are several. */
export const templatesIn = memo(
  ({ documents }: LintPolicy) =>
    new Map(documents.flatMap(readPodTemplates).map((template) => [template.object, template])),
);
