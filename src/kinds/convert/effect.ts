// Does a conversion change what Lull decides? Whatever the notes say: the object is read before and after, and compared.
import type { PodRules, Pool } from '../../cluster/model.ts';
import { steering } from '../annotationName.ts';
import type { Json } from '../reader.ts';
import { type ReadResult, readObject } from '../readObject.ts';
import type { Remark, Said } from './draft.ts';

/** What has to be said besides the remarks; nothing where they account for it. */
export function effectOf(before: Json, after: Json, remarks: readonly Remark[]): Said[] {
  const [old, now] = [readObject(before), readObject(after)];
  if (old.kind === 'ignored' || now.kind === 'ignored') return [];
  const known = new Set(remarks.flatMap(({ facts = [] }) => facts));
  const fields = differing(factsOf(old), factsOf(now)).filter((field) => !known.has(field));
  const notes: Said[] = [];
  if (fields.length > 0) {
    const behaviour = `Lull reads ${fields.join(', ')} otherwise than before: something that had no effect has one now, or the other way round`;
    notes.push({ path: '', change: 'converted', behaviour });
  }
  if (old.kind === 'NodePool' && now.kind === 'NodePool' && !old.record.provisioner) {
    if (asKarpenter(old.record) !== asKarpenter(now.record))
      notes.push({ path: 'spec.disruption.budgets', change: 'respelled', karpenter: admitted });
  }
  return notes;
}

const admitted = 'Karpenter does not know the older spellings; from now on it keeps these budgets itself as well';

const asKarpenter = ({ karpenterBudgets, karpenterFault }: Pool): string =>
  written([karpenterBudgets, karpenterFault !== undefined]);

type Read = Exclude<ReadResult, { kind: 'ignored' }>;

/** What a decision is made of. How a text was written is not part of it. */
function factsOf({ kind, record }: Read): Json {
  // What stands on a pod to the letter is there for patches alone; what it means is in its rules.
  if (kind === 'Pod') return { ...record, marks: undefined, rules: meaningOf(record.rules) } as unknown as Json;
  if (kind !== 'NodePool') return record as unknown as Json;
  const { fault, annotations, ...rest }: Pool = record;
  const others = { ...annotations, [steering.budgets]: undefined };
  // What Karpenter makes of it, and that nodes without claims are no longer managed, is said apart.
  const apart = { provisioner: undefined, karpenterBudgets: undefined, karpenterFault: undefined, mirror: undefined };
  return { ...rest, ...apart, annotations: others, fault: fault !== undefined };
}

/** By which name a pod opts out is a matter of Karpenter's. */
const meaningOf = (rules: PodRules | undefined): PodRules | undefined => {
  if (!rules?.optOut) return rules;
  const { unread: _, ...optOut } = rules.optOut;
  return { ...rules, optOut };
};

const differing = (a: Json, b: Json): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => written(a[key]) !== written(b[key]));

/** Windows by their text: the rest of them are functions. */
function written(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? '';
}

function sorted(value: unknown): unknown {
  if (value instanceof Set) return [...value].sort();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
