// For how long is this protected? The value of do-not-disrupt on pods (E1) and nodes (E2).
import type { OptOut } from '../cluster/model.ts';
import type { TextMap } from '../cluster/selector.ts';
import { parseDuration } from '../time/duration.ts';
import { after, type Instant } from '../time/instant.ts';
import { steering } from './annotationName.ts';
import type { Reader } from './reader.ts';

/** What people wrote as do-not-disrupt. N2, N5: with the marker beside it, "true" is Lull's own, and theirs stands where Lull kept it. */
export function wordOfUsers(annotations: TextMap): string | undefined {
  const text = annotations[steering.doNotDisrupt];
  return text === 'true' && annotations[steering.parked] !== undefined ? annotations[steering.keptBefore] : text;
}

/** `true`, or a duration counted from a start; without a start it protects for ever. Anything else protects nothing. */
export function readOptOut(annotations: Reader, text: string, start: Instant | undefined): OptOut | undefined {
  if (text === 'true') return {};
  const duration = parseDuration(text);
  if (duration !== undefined && duration > 0) return start === undefined ? {} : { until: after(start, duration) };
  return annotations.wrong(
    steering.doNotDisrupt,
    'protection, and is ignored',
    'Use "true", or a Go duration such as 8h.',
  );
}
