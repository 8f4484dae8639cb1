// Which drifting fields of a claim differ from its pool's template (I1), and how (I3)?
import type { Taint, Template } from '../../cluster/model.ts';
import { labelOf, type TextMap } from '../../cluster/selector.ts';
import { formatDuration } from '../../time/duration.ts';

/** So much of a value is shown: it stands in a sentence, which may be told for every node of a pool. */
const longestShown = 120;
/** And so much of it before the place where old and new part. */
const shownBefore = 40;
/** More labels or annotations than these are only counted. */
const mostNamed = 10;

/** Sentences such as `label tier: was web, now db`. Requirements are judged apart (I2). */
export function fieldsThatDiffer(made: Template, asked: Template): string[] {
  return [
    ...mapDifferences('label', made.labels, asked.labels, requiredKeys(asked)),
    ...mapDifferences('annotation', made.annotations, asked.annotations, requiredKeys(asked)),
    ...differs('taints', taintText(made.taints), taintText(asked.taints)),
    ...differs('startupTaints', taintText(made.startupTaints), taintText(asked.startupTaints)),
    ...differs('nodeClassRef', refText(made), refText(asked)),
    // A claim that does not say has what its CRD gives it, which is no difference anyone made.
    ...(made.expireAfter === undefined
      ? []
      : differs('expireAfter', durationText(made.expireAfter), durationText(asked.expireAfter))),
    ...differs('terminationGracePeriod', graceText(made), graceText(asked)),
    ...differs('kubelet', canonical(made.kubelet), canonical(asked.kubelet)),
  ];
}

function differs(field: string, was: string, now: string): string[] {
  if (was === now) return [];
  const parting = firstDifference(was, now);
  return [`${field}: was ${clip(was, parting) || 'absent'}, now ${clip(now, parting) || 'absent'}`];
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The part of a text that matters, if it is too long to be shown as a whole. */
export function clip(text: string, from = 0): string {
  if (text.length <= longestShown) return text;
  const start = Math.max(0, Math.min(from - shownBefore, text.length - longestShown));
  const end = start + longestShown;
  // Not within a sign that takes two places.
  const part = text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`;
}

function mapDifferences(what: string, made: TextMap, asked: TextMap, required: ReadonlySet<string>): string[] {
  const keys = [
    ...new Set([...Object.keys(asked), ...Object.keys(made).filter((key) => isUsers(key, required))]),
  ].sort();
  const found = keys.filter((key) => labelOf(made, key) !== labelOf(asked, key));
  const named = found.slice(0, mostNamed).flatMap((key) => {
    return differs(`${what} ${clip(key)}`, quote(labelOf(made, key)), quote(labelOf(asked, key)));
  });
  return found.length > mostNamed ? [...named, `${found.length - mostNamed} more ${what}s differ`] : named;
}

/** An empty value is a value. */
const quote = (value: string | undefined): string => (value === '' ? '""' : (value ?? ''));

/** Keys on a claim that only a template can have put there: not those that systems write, nor the pool's requirements. */
const isUsers = (key: string, required: ReadonlySet<string>): boolean =>
  !required.has(key) &&
  !/(^|[./])(kubernetes\.io|k8s\.io|karpenter|k8s\.aws|eks|azure|gke|google|lull\.dev|kwok)/.test(key);

const requiredKeys = ({ requirements }: Template): ReadonlySet<string> => new Set(requirements.map(({ key }) => key));

const taintText = (taints: readonly Taint[]): string =>
  taints
    .map(
      ({ key, value, effect, timeAdded }) =>
        `${key}${value ? `=${value}` : ''}:${effect}${timeAdded ? ` ${timeAdded}` : ''}`,
    )
    .sort()
    .join(', ');

const refText = ({ nodeClassRef: ref }: Template): string => (ref ? `${ref.group}/${ref.kind}/${ref.name}` : '');

const durationText = (value: Template['expireAfter']): string =>
  value === undefined || value === 'Never' ? (value ?? '') : formatDuration(value);

const graceText = ({ terminationGracePeriod: grace }: Template): string =>
  grace === undefined ? '' : formatDuration(grace);

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${key}: ${canonical(entry)}`).join(', ')}}`;
}
