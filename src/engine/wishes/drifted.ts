// Drifted: the node no longer matches its pool (I), and the fields in which it differs (I1, I3); or a person wants it replaced (Q1).
import type { Claim, Pool, Taint, Template } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { currentName, incompatibleKeys, labelOf, type TextMap } from '../../cluster/selector.ts';
import type { InstanceType } from '../../cluster/settings.ts';
import { describeSigner, type SignedInstant } from '../../cluster/signedInstant.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, asDuration, formatInstant, hour, type Instant } from '../../time/instant.ts';
import type { EvaluationContext } from '../situation.ts';
import { type WishFinding, wishFor } from '../wish.ts';

/** The drift reasons that Lull can compute. Any other reason comes from the cloud provider. */
const computable = ['NodePoolDrifted', 'RequirementsDrifted', 'InstanceTypeNotFound'];

/** The instance type of a new claim may not be in the catalogue yet. */
const instanceTypeGrace = hour;

export function drifted(view: NodeView, pool: Pool | undefined, moment: EvaluationContext): WishFinding {
  const request = rollRequestFor(view, pool);
  const own = ownDrift(view, pool, moment);
  if (!request) return own;
  const detail = `a roll was requested at ${formatInstant(request.at)}${describeSigner(request)}`;
  if (own && 'wish' in own) {
    const { since, detail: differences } = own.wish;
    return wishFor(view, pool, 'Drifted', { since, detail: differences ? `${differences}; ${detail}` : detail });
  }
  if (moment.now < request.at) return own && own.arisesAt < request.at ? own : { arisesAt: request.at };
  const wish = wishFor(view, pool, 'Drifted', { since: request.at, detail, isRequested: true });
  return { ...wish, ...own };
}

/** The request that concerns the node: only one that is later than its creation, so that a replacement is not replaced again. */
function rollRequestFor(view: NodeView, pool: Pool | undefined): SignedInstant | undefined {
  let first: SignedInstant | undefined;
  for (const request of [view.node.rules.rollRequested, pool?.rollRequested])
    if (request && createdAt(view) < request.at && (!first || request.at < first.at)) first = request;
  return first;
}

function ownDrift(view: NodeView, pool: Pool | undefined, { now, settings }: EvaluationContext): WishFinding {
  const { claim } = view;
  const condition = claim?.conditions.Drifted;
  const isTrue = condition?.status === 'True';
  const since = isTrue ? condition.since : undefined;
  const wish = (detail: string | undefined): WishFinding =>
    wishFor(view, pool, 'Drifted', { ...(since !== undefined && { since }), detail });
  if (settings.drift === 'claims') {
    if (!isTrue || (claim && isMadeByLull(claim, pool))) return undefined;
    return wish((claim && pool && describeDrift(claim, pool)) || condition.message || condition.reason);
  }
  if (!claim || !pool || claim.conditions.Launched?.status !== 'True') return undefined;
  // A catalogue from metrics is not complete: a type that is missing there may still be offered.
  const listed = settings.catalogue.filter(({ estimated }) => !estimated);
  const detail = computeDrift(claim, pool, listed, now);
  if (typeof detail === 'string') return wish(detail);
  if (isTrue && !computable.includes(condition.reason ?? '')) return wish(condition.message || condition.reason);
  return detail;
}

/** A nudge makes the claim look drifted (N6), although it had the pool's hash. */
const isMadeByLull = ({ annotations, conditions }: Claim, pool: Pool | undefined): boolean =>
  annotations[annotation.hashBefore] !== undefined &&
  annotations[annotation.hashBefore] === pool?.annotations[annotation.poolHash] &&
  conditions.Drifted?.reason === 'NodePoolDrifted';

/** The fields that differ, with old and new value (I3); undefined if none does. */
const describeDrift = (claim: Claim, pool: Pool): string | undefined => {
  const differences = [...fieldsThatDiffer(claim.spec, pool.template), ...requirementsBroken(claim, pool)];
  return differences.length > 0 ? differences.join('; ') : undefined;
};

function computeDrift(
  claim: Claim,
  pool: Pool,
  catalogue: readonly InstanceType[],
  now: Instant,
): string | { arisesAt: Instant } | undefined {
  const hashes = compareHashes(claim, pool);
  if (hashes === 'differ') return describeDrift(claim, pool) ?? 'the template has changed';
  const fields = hashes === 'absent' ? fieldsThatDiffer(claim.spec, pool.template) : [];
  const broken = [...fields, ...requirementsBroken(claim, pool)];
  if (broken.length > 0) return broken.join('; ');
  if (catalogue.length === 0 || isOffered(claim, catalogue)) return undefined;
  const arisesAt = after(claim.createdAt, instanceTypeGrace);
  if (now <= arisesAt) return { arisesAt: after(arisesAt, asDuration(1)) };
  return `instance type ${claim.labels[label.instanceType] ?? '(none)'} is no longer offered`;
}

/** Karpenter stamps pool and claim with a hash of the template. If either lacks it, they cannot be compared. */
function compareHashes(claim: Claim, pool: Pool): 'same' | 'differ' | 'absent' {
  const ours = pool.annotations[annotation.poolHash];
  // A nudge changes the claim's hash, and keeps the one it had (N6).
  const theirs = claim.annotations[annotation.hashBefore] ?? claim.annotations[annotation.poolHash];
  const [ourVersion, theirVersion] = [pool.annotations, claim.annotations].map((it) => it[annotation.poolHashVersion]);
  if (ours === undefined && theirs === undefined) return 'absent';
  if (!ours || !theirs || !ourVersion || !theirVersion || ourVersion !== theirVersion) return 'same';
  return ours === theirs ? 'same' : 'differ';
}

function requirementsBroken(claim: Claim, pool: Pool): string[] {
  return incompatibleKeys(pool.template.requirements, claim.labels).map((key) => {
    const asked = pool.template.requirements
      .filter((requirement) => currentName(requirement.key) === key)
      .map(({ operator, values }) => `${operator}${values.length > 0 ? ` ${values.join(', ')}` : ''}`);
    return `requirement ${clip(key)}: is ${clip(labelOf(claim.labels, key) ?? 'absent')}, required: ${clip(asked.join(' and '))}`;
  });
}

function isOffered(claim: Claim, catalogue: readonly InstanceType[]): boolean {
  const type = catalogue.find(({ name }) => name === claim.labels[label.instanceType]);
  const { [label.zone]: zone, [label.capacityType]: capacityType } = claim.labels;
  return (
    type?.offerings.some(
      (offering) =>
        (offering.zone === zone || zone === undefined) &&
        (capacityType === undefined ||
          offering.capacityType === capacityType ||
          (capacityType === 'reserved' && offering.capacityType === 'on-demand')),
    ) ?? false
  );
}

/** The maximum length of a value in a message, which may be repeated for every node of a pool. */
const longestShown = 120;
/** How much of a value is shown before the first difference. */
const shownBefore = 40;
/** Further labels or annotations are only counted. */
const mostNamed = 10;

/** Sentences such as `label tier: was web, now db`. Requirements are compared separately (I2). */
function fieldsThatDiffer(made: Template, asked: Template): string[] {
  return [
    ...mapDifferences('label', made.labels, asked.labels, requiredKeys(asked)),
    ...mapDifferences('annotation', made.annotations, asked.annotations, requiredKeys(asked)),
    ...differs('taints', taintText(made.taints), taintText(asked.taints)),
    ...differs('startupTaints', taintText(made.startupTaints), taintText(asked.startupTaints)),
    ...differs('nodeClassRef', refText(made), refText(asked)),
    // A claim without expireAfter has the default of its CRD, which is not drift.
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

/** The part of a long text around the first difference. */
function clip(text: string, from = 0): string {
  if (text.length <= longestShown) return text;
  const start = Math.max(0, Math.min(from - shownBefore, text.length - longestShown));
  const end = start + longestShown;
  // Do not cut a surrogate pair.
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

/** Shows an empty value as `""`, to distinguish it from a missing one. */
const quote = (value: string | undefined): string => (value === '' ? '""' : (value ?? ''));

/** Whether the key on a claim comes from a template: not one that systems write, nor one of the pool's requirements. */
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

/** The same text for the same value, regardless of the order of its keys. */
function canonical(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${key}: ${canonical(entry)}`).join(', ')}}`;
}
