// Updates old names and values in place: budgets, policies, node classes, windows, opt-outs (C2, C17, E1).
import { label } from '../../cluster/names.ts';
import { parseDuration } from '../../time/duration.ts';
import { asUpstream } from '../../time/upstreamCron.ts';
import { applyEdits } from '../edit/applyEdits.ts';
import { valueAt } from '../edit/patch.ts';
import { everyMinute, reasonNamed } from '../read/budget.ts';
import { show } from '../read/findings.ts';
import { steering } from '../read/knownKeys.ts';
import { isMap, type Json, parseNodeCount } from '../read/reader.ts';
import { parseSchedule } from '../read/scheduleFields.ts';
import { parseText } from '../text/documents.ts';
import { joinPath } from '../text/path.ts';
import { Draft, isGiven } from './draft.ts';

export function respellBudgets(draft: Draft, list: unknown, path: string): void {
  if (!Array.isArray(list)) return;
  list.forEach((budget, i) => {
    if (isMap(budget)) respellBudget(draft, budget, joinPath(path, i));
  });
}

export function respellBudget(draft: Draft, budget: Json, path: string): void {
  respellNodes(draft, budget, path);
  respellReasons(draft, budget, path);
  respellSchedule(draft, budget, path);
}

/** The key whose value counts; renames it if it is the old one. */
function keyOf(draft: Draft, budget: Json, path: string, [old, now]: readonly [old: string, now: string]): string {
  if (!Object.hasOwn(budget, old)) return now;
  const at = joinPath(path, old);
  if (!isGiven(budget[old]) || isGiven(budget[now])) {
    draft.remove(at);
    const why = isGiven(budget[old])
      ? `the old name of ${now}, which is set too and takes precedence`
      : `the old name of ${now}, and empty`;
    draft.note(at, `removed: ${old} is ${why}`);
    return now;
  }
  if (Object.hasOwn(budget, now)) draft.remove(joinPath(path, now));
  draft.rename(at, now);
  draft.note(at, `${old} is now ${now}`);
  return old;
}

function respellNodes(draft: Draft, budget: Json, path: string): void {
  const key = keyOf(draft, budget, path, ['maxUnavailable', 'nodes']);
  const value = budget[key];
  if (typeof value !== 'number' || parseNodeCount(value) === undefined) return;
  draft.set(joinPath(path, key), String(value));
  draft.note(joinPath(path, key), `the number ${value} is now the string "${value}"`);
}

function respellReasons(draft: Draft, budget: Json, path: string): void {
  const key = keyOf(draft, budget, path, ['reason', 'reasons']);
  const value = budget[key];
  const at = joinPath(path, key);
  if (typeof value === 'string') {
    const list = [reasonNamed(value) ?? value];
    draft.set(at, list);
    draft.note(at, `${value} is now a list: [${list.join()}]`);
  } else if (Array.isArray(value)) respellList(draft, value, at);
}

function respellList(draft: Draft, names: readonly unknown[], path: string): void {
  const seen = new Set<unknown>();
  names.forEach((name, i) => {
    const reason = typeof name === 'string' ? reasonNamed(name) : undefined;
    const at = joinPath(path, i);
    if (reason === undefined) return;
    if (seen.has(reason) && reason !== name) {
      draft.remove(at);
      draft.note(at, `removed: ${show(name)} is ${reason}, which is in the list already`);
    } else if (reason !== name) {
      draft.set(at, reason);
      draft.note(at, `${name} is now ${reason}`);
    }
    seen.add(reason);
  });
}

const isEveryMinute = (value: unknown): boolean => typeof value === 'string' && everyMinute.test(value);

function respellSchedule(draft: Draft, budget: Json, path: string): void {
  const [old, now] = ['crontab', 'schedule'];
  const key = isGiven(budget[now]) ? now : old;
  if (isGiven(budget.duration) || !isGiven(budget[key]) || !isEveryMinute(budget[key])) {
    keyOf(draft, budget, path, [old, now]);
    return;
  }
  for (const each of [old, now, 'timeZone']) if (Object.hasOwn(budget, each)) draft.remove(joinPath(path, each));
  draft.note(
    joinPath(path, key),
    `removed: ${show(budget[key])} without a duration means always, which needs no schedule`,
  );
}

/** Rewrites the crons of the budgets that Karpenter reads, where it could not read them; says so where it cannot (B2, R1). */
export function respellCrons(draft: Draft, list: unknown, path: string): void {
  if (!Array.isArray(list)) return;
  list.forEach((budget, i) => {
    if (!isMap(budget)) return;
    const key = isGiven(budget.schedule) ? 'schedule' : 'crontab';
    const text = budget[key];
    const parsed = typeof text === 'string' ? parseSchedule(text) : undefined;
    if (typeof text !== 'string' || !parsed || !('cron' in parsed) || parsed.cron.superset === undefined) return;
    const at = joinPath(joinPath(path, i), key);
    const written = parsed.cron.prefix === undefined ? asUpstream(text) : undefined;
    if (written === undefined) {
      draft.note(at, `unchanged: Karpenter cannot read it (${parsed.cron.superset}). Move it to ${steering.budgets}`);
      return;
    }
    draft.set(at, written);
    draft.note(at, `${show(text)} is now ${show(written)}, which Karpenter reads too`, { facts: ['budgets'] });
  });
}

export function respellAnnotation(draft: Draft, object: Json): void {
  const text = valueAt(object, ['metadata', 'annotations', steering.budgets]);
  if (typeof text !== 'string') return;
  const { values, errors } = parseText(text);
  if (errors.length > 0 || values.length !== 1) return;
  const inner = new Draft();
  respellBudgets(inner, values[0]?.value, 'list');
  if (inner.edits.length === 0) return;
  const path = joinPath('metadata.annotations', steering.budgets);
  const after = edited(text, inner);
  if (after === undefined) {
    draft.note(path, 'unchanged: the old spellings in this text cannot be edited in place. Rewrite it by hand');
    return;
  }
  draft.set(path, after);
  for (const note of inner.notes) draft.notes.push({ ...note, path: path + note.path.slice('list'.length) });
}

/** Edits the list as the only field of an object, since only objects can be edited. */
function edited(text: string, { edits }: Draft): string | undefined {
  const [before, after] = isJson(text) ? ['{"kind":"Budgets","list":', '}'] : ['kind: Budgets\nlist:\n', ''];
  const isYaml = after === '';
  const whole = before + (isYaml ? text.replace(/^(?=.)/gm, ' ') : text) + after;
  const { text: changed, errors } = applyEdits(whole, [{ index: 0, edits }]);
  if (errors.length > 0) return undefined;
  const bare = changed.slice(before.length, changed.length - after.length);
  return isYaml ? bare.replace(/^ /gm, '') : bare;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function respellPolicy(draft: Draft, holder: unknown, path: string): void {
  if (!isMap(holder) || holder.consolidationPolicy !== 'WhenUnderutilized') return;
  const at = `${path}.consolidationPolicy`;
  draft.set(at, 'WhenEmptyOrUnderutilized');
  draft.note(at, 'WhenUnderutilized is now WhenEmptyOrUnderutilized');
}

/** `apiVersion: karpenter.k8s.aws/v1beta1` becomes `group: karpenter.k8s.aws`. */
export function respellNodeClass(draft: Draft, reference: unknown, path: string): void {
  if (!isMap(reference) || !Object.hasOwn(reference, 'apiVersion')) return;
  const at = `${path}.apiVersion`;
  const { apiVersion, group } = reference;
  if (isGiven(group) || !isGiven(apiVersion)) {
    draft.remove(at);
    draft.note(at, 'removed: v1 has only the group');
  } else if (typeof apiVersion === 'string' && apiVersion.includes('/')) {
    if (Object.hasOwn(reference, 'group')) draft.remove(`${path}.group`);
    draft.rename(at, 'group');
    draft.set(at, apiVersion.slice(0, apiVersion.indexOf('/')));
    draft.note(at, `apiVersion ${apiVersion} is now group ${apiVersion.slice(0, apiVersion.indexOf('/'))}`);
  } else draft.note(at, 'unchanged: it has no group. Write group instead, such as karpenter.k8s.aws');
}

const awsTemplate = 'AWSNodeTemplate';
const awsClass = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' };

/** The providerRef of a Provisioner. Only AWS had one; without a kind it refers to an AWSNodeTemplate. */
export function respellProviderRef(draft: Draft, reference: unknown, path: string): void {
  if (!isMap(reference)) return;
  if (isGiven(reference.kind) && reference.kind !== awsTemplate) {
    respellNodeClass(draft, reference, path);
    return;
  }
  for (const [key, value] of Object.entries(awsClass)) draft.set(`${path}.${key}`, value);
  if (Object.hasOwn(reference, 'apiVersion')) draft.remove(`${path}.apiVersion`);
  draft.note(path, `${awsTemplate} is now ${awsClass.kind} in ${awsClass.group}`, {
    behaviour: `Lull cannot convert the ${awsTemplate} itself: create an ${awsClass.kind} with that name. With the setting drift: computed, nodes created from the ${awsTemplate} count as drifted`,
    facts: ['template'],
  });
}

export const kubeletStays =
  'Karpenter v1 has kubelet settings in the node class (spec.kubelet of an EC2NodeClass) and rejects them in a NodePool: move them by hand';

const today = 'karpenter.sh/v1alpha1';

/** The pods design document uses karpenter.sh/v1, which has no such kind. */
export function respellVersion(draft: Draft, { apiVersion, kind }: Json): void {
  if (apiVersion === today || typeof apiVersion !== 'string') return;
  draft.set('apiVersion', today);
  draft.note('apiVersion', `${apiVersion} has no ${kind}: the apiVersion is now ${today}`);
}

/** Nodes of a NodePool do not have the label that Provisioners set. */
export function respellSelector(draft: Draft, object: Json): void {
  const path = 'spec.selector.matchExpressions';
  const expressions = valueAt(object, path.split('.'));
  if (!Array.isArray(expressions)) return;
  expressions.forEach((expression, i) => {
    if (!isMap(expression) || expression.key !== label.provisioner) return;
    const at = `${joinPath(path, i)}.key`;
    draft.set(at, label.pool);
    draft.note(at, `${label.provisioner} is now ${label.pool}`, {
      behaviour: `It selects nodes of NodePools. Nodes with only ${label.provisioner} are no longer selected`,
      facts: ['selector'],
    });
  });
}

const template = 'spec.template';

/** The path of the pod template in each kind that creates pods. */
const podsIn: ReadonlyMap<unknown, string> = new Map([
  ['Pod', ''],
  ['PodTemplate', 'template'],
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job'].map(
    (kind) => [kind, template] as const,
  ),
  ['CronJob', `spec.jobTemplate.${template}`],
]);

export function respellOptOuts(draft: Draft, object: Json): void {
  const pod = podsIn.get(object.kind);
  if (pod === undefined) return;
  const path = `${pod === '' ? '' : `${pod}.`}metadata.annotations`;
  const annotations = valueAt(object, path.split('.'));
  if (!isMap(annotations)) return;
  respellDoNotEvict(draft, annotations, path);
  respellOptOutReasons(draft, annotations, path);
}

function respellDoNotEvict(draft: Draft, annotations: Json, path: string): void {
  const { doNotEvict, doNotDisrupt, parked } = steering;
  const value = annotations[doNotEvict];
  if (!Object.hasOwn(annotations, doNotEvict)) return;
  const at = joinPath(path, doNotEvict);
  const existing = annotations[doNotDisrupt] ?? undefined;
  if (value !== 'true' && value !== true) {
    draft.remove(at);
    draft.note(at, `removed: ${show(value)} protects nothing; only "true" does`);
  } else if (isGiven(annotations[parked])) {
    draft.note(at, `unchanged: next to ${parked}, ${doNotDisrupt} would count as Lull's own annotation`);
  } else if (protects(existing)) {
    draft.remove(at);
    draft.note(at, `removed: ${doNotDisrupt} is set too and takes precedence`);
  } else {
    if (Object.hasOwn(annotations, doNotDisrupt)) draft.remove(joinPath(path, doNotDisrupt));
    draft.rename(at, doNotDisrupt);
    if (value !== 'true') draft.set(at, 'true');
    draft.note(at, `${doNotEvict} is now ${doNotDisrupt}`, { karpenter: known });
  }
}

const known =
  'Karpenter ignores the old name; from now on it also does not disrupt nodes with this pod, for any reason';

/** Whether a do-not-disrupt value has an effect: `true` or a duration (E1). */
const protects = (value: unknown): boolean =>
  value === true || value === 'true' || (typeof value === 'string' && (parseDuration(value) ?? 0) > 0);

/** Updates the names of reasons, separated by commas (E3). */
function respellOptOutReasons(draft: Draft, annotations: Json, path: string): void {
  const names = annotations[steering.doNotDisruptReasons];
  if (typeof names !== 'string') return;
  const today = names.replace(/[^,\s]+/g, (name) => reasonNamed(name) ?? name);
  if (today === names) return;
  const at = joinPath(path, steering.doNotDisruptReasons);
  draft.set(at, today);
  draft.note(at, `${show(names)} is now ${show(today)}`);
}
