// Converts Provisioners to NodePools (A7), with the defaults of v1alpha5 written out.
import { formatDuration } from '../../time/duration.ts';
import { asDuration, second } from '../../time/instant.ts';
import { valueAt } from '../edit/patch.ts';
import { isMap, type Json } from '../read/reader.ts';
import { readObject } from '../readObject.ts';
import { joinPath } from '../text/path.ts';
import { type Draft, isGiven } from './draft.ts';
import { kubeletStays, respellAnnotation, respellBudgets, respellProviderRef } from './respell.ts';

/** First step: names and values, without moving fields. */
export function respellProvisioner(draft: Draft, object: Json): void {
  respellAnnotation(draft, object);
  respellBudgets(draft, valueAt(object, ['spec', 'disruption', 'budgets']), 'spec.disruption.budgets');
  if (faultOf(object) !== undefined) return;
  const { path, fields } = templateSpecOf(object);
  respellProviderRef(draft, fields.providerRef, joinPath(path, 'providerRef'));
}

/** Second step: moves fields to their current paths. */
export function moveProvisioner(draft: Draft, object: Json): void {
  const fault = faultOf(object);
  if (fault !== undefined) {
    draft.note('kind', `unchanged: ${fault}`);
    return;
  }
  draft.set('apiVersion', 'karpenter.sh/v1');
  draft.set('kind', 'NodePool');
  draft.note('kind', 'Provisioner is now NodePool in karpenter.sh/v1', {
    behaviour: noClaims,
    karpenter: ownBudgets,
  });
  moveTemplate(draft, object);
  moveTtls(draft, object);
  moveLimits(draft, object);
  noteUnread(draft, object);
  if (isGiven(valueAt(object, ['spec', 'provider'])))
    draft.note(
      'spec.provider',
      'unchanged: v1 has no such field. Create an EC2NodeClass and reference it in nodeClassRef',
    );
}

const noClaims =
  'Nodes created by a Provisioner have no NodeClaim, and in a NodePool Lull does not touch nodes without one. Windows and pods that select karpenter.sh/provisioner-name must select karpenter.sh/nodepool';
const ownBudgets = "Karpenter itself applies a NodePool's budgets, or 10% if it has none";

/** An invalid Provisioner cannot be converted. Faults in its budgets do not matter: they are kept as written. */
function faultOf(object: Json): string | undefined {
  const read = readObject(object);
  const faults = read.kind === 'ignored' ? [] : read.faults;
  const fault = faults.find(
    ({ path, severity }) =>
      severity === 'error' && /^(metadata\.name|spec)\b/.test(path) && !path.startsWith('spec.disruption'),
  );
  return fault && `${fault.path}: ${fault.message}`;
}

/** Paths that a NodePool has and a Provisioner has not. */
const unread: readonly (readonly [path: string, fact: string])[] = [
  ['spec.disruption.consolidationPolicy', 'consolidationPolicy'],
  ['spec.disruption.consolidateAfter', 'consolidateAfter'],
  ['spec.disruption.expireAfter', 'expireEarlyAfter'],
  ['spec.disruption.repairAfter', 'repairAfter'],
  ['spec.consolidationPolicy', 'consolidationPolicy'],
  ['spec.consolidateAfter', 'consolidateAfter'],
];

function noteUnread(draft: Draft, object: Json): void {
  const written = new Set(draft.edits.map((edit) => ('move' in edit ? edit.move : edit.path)));
  const behaviour = 'A Provisioner has no such field, so Lull ignored it. Now it takes effect';
  for (const [path, fact] of unread) {
    if (isGiven(valueAt(object, path.split('.'))) && !written.has(path))
      draft.note(path, 'unchanged', { behaviour, facts: [fact, 'fault'] });
  }
  const limits = valueAt(object, ['spec', 'limits']);
  const resources = isMap(limits) && isMap(limits.resources) ? limits.resources : {};
  if (isMap(limits) && Object.keys(limits).some((key) => key !== 'resources' && !Object.hasOwn(resources, key)))
    draft.note('spec.limits', 'unchanged', { behaviour, facts: ['limits', 'fault'] });
}

/** `limits.resources.cpu` becomes `limits.cpu`. */
function moveLimits(draft: Draft, object: Json): void {
  const limits = valueAt(object, ['spec', 'limits']);
  const resources = isMap(limits) ? limits.resources : undefined;
  if (!isMap(limits) || !isMap(resources)) return;
  for (const [name, amount] of Object.entries(resources)) {
    const to = joinPath('spec.limits', name);
    if (Object.hasOwn(limits, name)) draft.set(to, amount);
    else draft.move(joinPath('spec.limits.resources', name), to);
  }
  draft.remove('spec.limits.resources');
  draft.note('spec.limits.resources', 'moved to spec.limits');
}

interface FieldsAtPath {
  readonly path: string;
  readonly fields: Json;
}

/** v1alpha5 has the template fields in `spec`; the deprovisioning design document has them under `template`. */
function templateOf(object: Json): FieldsAtPath {
  return isGiven(valueAt(object, ['spec', 'template'])) ? fieldsAt(object, 'spec.template') : fieldsAt(object, 'spec');
}

function templateSpecOf(object: Json): FieldsAtPath {
  const { path, fields } = templateOf(object);
  return isGiven(fields.spec) ? fieldsAt(object, `${path}.spec`) : { path, fields };
}

function fieldsAt(object: Json, path: string): FieldsAtPath {
  const fields = valueAt(object, path.split('.'));
  return { path, fields: isMap(fields) ? fields : {} };
}

/** The NodePool name of each template field of a Provisioner. If two old names are set, the later one in this list counts. */
const specFields: readonly (readonly [old: string, now: string])[] = [
  ['requirements', 'requirements'],
  ['taints', 'taints'],
  ['startupTaints', 'startupTaints'],
  ['terminationGracePeriod', 'terminationGracePeriod'],
  ['providerRef', 'nodeClassRef'],
  ['nodeClassRef', 'nodeClassRef'],
  ['kubeletConfiguration', 'kubelet'],
  ['kubelet', 'kubelet'],
];

function moveTemplate(draft: Draft, object: Json): void {
  const template = templateOf(object);
  if (template.path !== 'spec') noteUnreadFields(draft, fieldsAt(object, 'spec').fields);
  const metadata = isGiven(template.fields.metadata) ? fieldsAt(object, `${template.path}.metadata`) : template;
  for (const key of ['labels', 'annotations'])
    moveField(draft, [joinPath(metadata.path, key), `spec.template.metadata.${key}`], metadata.fields[key]);
  const spec = templateSpecOf(object);
  for (const [old, now] of specFields) {
    const at = joinPath(spec.path, old);
    if (old !== now && isGiven(spec.fields[old]) && isGiven(spec.fields[now])) {
      draft.remove(at);
      draft.note(at, `removed: ${now} is set too and takes precedence`);
    } else moveField(draft, [at, `spec.template.spec.${now}`], spec.fields[old]);
    if (now === 'kubelet' && isGiven(spec.fields[old])) draft.note(at, kubeletStays);
  }
}

function noteUnreadFields(draft: Draft, spec: Json): void {
  for (const key of ['labels', 'annotations', ...specFields.map(([old]) => old)])
    if (isGiven(spec[key])) draft.note(`spec.${key}`, 'unchanged: it has no effect next to spec.template. Remove it');
}

function moveField(draft: Draft, [from, to]: readonly [from: string, to: string], value: unknown): void {
  if (!isGiven(value) || from === to) return;
  draft.move(from, to);
  draft.note(from, `moved to ${to}`);
}

function moveTtls(draft: Draft, object: Json): void {
  const spec = valueAt(object, ['spec']);
  const fields = isMap(spec) ? spec : {};
  const alpha = object.apiVersion === 'karpenter.sh/v1alpha5';
  moveExpiry(draft, fields, alpha);
  moveConsolidation(draft, fields, alpha);
  moveRepair(draft, fields, alpha);
}

const seconds = (count: unknown): string => formatDuration(asDuration(Number(count) * second));

const wasOff = 'in v1alpha5 this is off by default, and in v1 it is on';

const expiryPath = 'spec.template.spec.expireAfter';

function moveExpiry(draft: Draft, spec: Json, alpha: boolean): void {
  const { ttlAfterCreated, ttlSecondsUntilExpired } = spec;
  if (isGiven(ttlAfterCreated)) {
    // The deprovisioning document uses days, such as 1d, which Go durations do not have.
    const text = String(ttlAfterCreated).replace(/(\d+(?:\.\d+)?)d/g, (_, days: string) => `${Number(days) * 24}h`);
    draft.moveAs('spec.ttlAfterCreated', expiryPath, text);
    draft.note('spec.ttlAfterCreated', `now ${expiryPath}: ${text}`);
    if (!isGiven(ttlSecondsUntilExpired)) return;
    draft.remove('spec.ttlSecondsUntilExpired');
    draft.note('spec.ttlSecondsUntilExpired', 'removed: ttlAfterCreated is set too and takes precedence');
  } else if (isGiven(ttlSecondsUntilExpired)) {
    draft.moveAs('spec.ttlSecondsUntilExpired', expiryPath, seconds(ttlSecondsUntilExpired));
    draft.note('spec.ttlSecondsUntilExpired', `now ${expiryPath}: ${seconds(ttlSecondsUntilExpired)}`);
  } else if (alpha) {
    draft.set(expiryPath, 'Never');
    draft.note(expiryPath, `set to Never: ${wasOff}`);
  }
}

const policyPath = 'spec.disruption.consolidationPolicy';
const afterPath = 'spec.disruption.consolidateAfter';

function moveConsolidation(draft: Draft, spec: Json, alpha: boolean): void {
  const { ttlSecondsAfterEmpty, consolidation } = spec;
  const enabled = isMap(consolidation) ? consolidation.enabled : undefined;
  if (enabled === true) {
    draft.moveAs('spec.consolidation.enabled', policyPath, 'WhenEmptyOrUnderutilized');
    draft.set(afterPath, '15s');
    draft.note(
      'spec.consolidation.enabled',
      `now ${policyPath}: WhenEmptyOrUnderutilized, after 15s, which was the fixed value`,
    );
  } else if (isGiven(ttlSecondsAfterEmpty)) {
    draft.set(policyPath, 'WhenEmpty');
    draft.moveAs('spec.ttlSecondsAfterEmpty', afterPath, seconds(ttlSecondsAfterEmpty));
    if (enabled === false) draft.remove('spec.consolidation.enabled');
    draft.note(
      'spec.ttlSecondsAfterEmpty',
      `now ${afterPath}: ${seconds(ttlSecondsAfterEmpty)}, for empty nodes only (WhenEmpty)`,
    );
  } else if (enabled === false) {
    draft.moveAs('spec.consolidation.enabled', afterPath, 'Never');
    draft.note('spec.consolidation.enabled', `now ${afterPath}: Never`);
  } else if (alpha) {
    draft.set(afterPath, 'Never');
    draft.note(afterPath, `set to Never: ${wasOff}`);
  }
  if (isMap(consolidation) && Object.keys(consolidation).every((key) => key === 'enabled'))
    draft.remove('spec.consolidation');
}

const repairPath = 'spec.disruption.repairAfter';
const patchedOnly =
  "Karpenter's own CRD has no repairAfter: the API server stores it only if Lull installed or patched the CRD (lull install --patch-nodepool-crd)";

function moveRepair(draft: Draft, spec: Json, alpha: boolean): void {
  if (isGiven(spec.ttlAfterNotReady)) {
    draft.move('spec.ttlAfterNotReady', repairPath);
    draft.note('spec.ttlAfterNotReady', `moved to ${repairPath}`, { karpenter: patchedOnly });
  } else if (alpha) {
    draft.set(repairPath, 'Never');
    draft.note(repairPath, `set to Never: ${wasOff}`, { karpenter: patchedOnly });
  }
}
