// Faults found by the readers, sorted by lint rule, and the edits that fix a misspelled name.
import type { Fault } from '../../cluster/fault.ts';
import { isSame, valueAt } from '../../kinds/edit/patch.ts';
import { reasonNamed } from '../../kinds/read/budget.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { perReasonBlocks } from '../../kinds/read/nodePool.ts';
import { isMap, type Json } from '../../kinds/read/reader.ts';
import { parseText } from '../../kinds/text/documents.ts';
import { joinPath, splitPath } from '../../kinds/text/path.ts';
import type { Edit, LintPolicy, RuleFinding } from '../rule.ts';
import { documentsIn, templatesIn } from './writtenObjects.ts';
import { podFacts } from './writtenPods.ts';

type FaultRule = 'fault' | 'old-spelling' | 'unknown-field' | 'per-reason-blocks' | 'note';

/** The faults that one rule reports; `say` adds to or replaces fields of the finding. */
export const findingsOfFaults = (
  policy: LintPolicy,
  rule: FaultRule,
  say?: (fault: Fault, written: Json) => Partial<RuleFinding>,
): RuleFinding[] =>
  faultsIn(policy)
    .filter((fault) => ruleOf(fault) === rule)
    .map((fault) => {
      const { object, path, message, severity } = fault;
      const document = documentsIn(policy).get(object);
      return { severity, object, path, message, ...(document && say?.(fault, document.object)) };
    });

/** All faults, including those of templates. What a pod inherits from its template is reported only for the template. */
function faultsIn(policy: LintPolicy): readonly Fault[] {
  const templates = templatesIn(policy);
  if (templates.size === 0) return policy.cluster.faults;
  const ofTemplates = [...templates.values()].flatMap(({ faults }) => faults);
  const reported = new Set(ofTemplates.map(({ object, path, message }) => `${object} ${path} ${message}`));
  const pods = new Map(podFacts(policy).pods.map((it) => [it.object, it]));
  const isRepeated = ({ object, path, message }: Fault): boolean => {
    const maker = pods.get(object)?.maker ?? '';
    return reported.has(`${maker} ${templates.get(maker)?.within}.${path} ${message}`);
  };
  return [...ofTemplates, ...policy.cluster.faults.filter((fault) => !isRepeated(fault))];
}

const blockPaths: ReadonlySet<string> = new Set(perReasonBlocks.map((key) => `spec.disruption.${key}`));

/** The rule that reports a fault; undefined for faults that rules outside this file report in more detail. */
function ruleOf({ severity, value, meant, path }: Fault): FaultRule | undefined {
  // The rule unknown-key reports annotation keys, also those of nodes and pods.
  if (meant) return isKeyPath(path) ? undefined : 'unknown-field';
  // budget-empty-list and budget-empty-reasons report empty lists.
  if (severity === 'warning' && Array.isArray(value) && value.length === 0) return undefined;
  if (blockPaths.has(path)) return 'per-reason-blocks';
  if (severity !== 'info') return 'fault';
  // Readers report older spellings as info, and one thing besides: a time zone without a schedule.
  return splitPath(path).at(-1) === 'timeZone' ? 'note' : 'old-spelling';
}

/** `metadata.annotations[key]`, and nothing inside its text. */
const isKeyPath = (path: string): boolean => {
  const keys = splitPath(path);
  return keys.length === 3 && keys[1] === 'annotations';
};

/** An unknown name: what is wrong, what to write instead, and the edit that renames it. */
export function renamedField(
  fault: Fault,
  object: Json,
): Pick<RuleFinding, 'severity' | 'message' | 'suggestion' | 'fix'> {
  const { message } = fault;
  const [wrong = '', ...rest] = message.split(/(?<=\.) /);
  const fix = renamed(fault, object);
  return {
    severity: 'error',
    message: wrong,
    ...(rest.length > 0 && { suggestion: rest.join(' ') }),
    ...(fix && { fix }),
  };
}

/** Undefined if several names are close, or if the right one is present too. */
function renamed({ path, meant = [] }: Fault, object: Json): Edit[] | undefined {
  const [name, ...others] = meant;
  if (name === undefined || others.length > 0) return undefined;
  const keys = splitPath(path);
  const at = keys.indexOf(steering.budgets);
  if (at >= 0 && at < keys.length - 1) return renamedInText(object, keys.slice(0, at + 1), keys.slice(at + 1), name);
  const holder = valueAt(object, keys.slice(0, -1));
  return isMap(holder) && holder[name] === undefined ? [{ path, rename: name }] : undefined;
}

/** The same within the text of lull.dev/budgets; undefined if the edited text does not parse to the intended list. */
function renamedInText(object: Json, holder: string[], within: string[], name: string): Edit[] | undefined {
  const text = valueAt(object, holder);
  const [index = '', key = ''] = within;
  if (typeof text !== 'string' || within.length !== 2) return undefined;
  const list = listIn(text);
  const entry = list?.[Number(index)];
  if (!list || !isMap(entry) || entry[name] !== undefined) return undefined;
  const intended = list.map((each) => (each === entry ? withName(entry, key, name) : each));
  const places = [...text.matchAll(new RegExp(`(?<![\\w.-])${escaped(key)}(?=["']?\\s*:)`, 'g'))];
  const texts = places.map(({ index: start }) => `${text.slice(0, start)}${name}${text.slice(start + key.length)}`);
  const set = texts.find((each) => isSame(listIn(each), intended));
  return set === undefined ? undefined : [{ path: holder.reduce((path, each) => joinPath(path, each), ''), set }];
}

function listIn(text: string): readonly unknown[] | undefined {
  const { values, errors } = parseText(text);
  const value = values[0]?.value;
  return errors.length === 0 && Array.isArray(value) ? value : undefined;
}

const withName = (entry: Json, key: string, name: string): Json =>
  Object.fromEntries(Object.entries(entry).map(([each, value]) => [each === key ? name : each, value]));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const newNames: ReadonlyMap<string, string> = new Map([
  ['maxUnavailable', 'nodes'],
  ['crontab', 'schedule'],
  ['reason', 'reasons'],
]);

/** The edits that write an older spelling in the current form. Undefined within the text of an annotation, which edits cannot reach. */
export function respelled({ path, value }: Fault, object: Json): Edit[] | undefined {
  const keys = splitPath(path);
  const [first, second] = keys;
  const key = keys.at(-1) ?? '';
  if (first !== 'spec' || keys.includes('annotations')) return undefined;
  if (keys.length === 2 && second !== undefined) return moved(second, value, object);
  const entry = valueAt(object, keys.slice(0, -1));
  if (Array.isArray(entry)) return [{ path, set: reasonNamed(String(value)) ?? value }];
  if (!isMap(entry)) return undefined;
  const name = newNames.get(key);
  if (name !== undefined && entry[name] !== undefined) return [{ path, remove: true }];
  const set = currentValue(name ?? key, value);
  if (set === undefined) return removed(path, entry);
  return [...(name === undefined ? [] : [{ path, rename: name }]), ...(set === value ? [] : [{ path, set }])];
}

/** Undefined for a schedule of every minute without a duration: it has no effect. */
function currentValue(name: string, value: unknown): unknown {
  if (name === 'reasons' && typeof value === 'string') return [reasonNamed(value) ?? value];
  if (name === 'nodes' && typeof value === 'number') return String(value);
  return name === 'schedule' && typeof value === 'string' && /^\s*\*(\s+\*){4}\s*$/.test(value) ? undefined : value;
}

/** A time zone without a schedule goes with it. */
function removed(path: string, { timeZone, duration }: Json): Edit[] {
  const zone = path.replace(/[^.]+$/, 'timeZone');
  if (duration !== undefined) return [{ path, rename: 'schedule' }];
  return [{ path, remove: true }, ...(timeZone === undefined ? [] : [{ path: zone, remove: true as const }])];
}

/** From `spec` to `spec.disruption`. */
function moved(key: string, value: unknown, object: Json): Edit[] {
  const place = joinPath('spec.disruption', key);
  const known = valueAt(object, ['spec', 'disruption', key]);
  return [{ path: joinPath('spec', key), remove: true }, ...(known === undefined ? [{ path: place, set: value }] : [])];
}
