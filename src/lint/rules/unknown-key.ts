// Annotations and labels that nothing reads: unknown keys under lull.dev/, and typos of Karpenter's keys (K4).
import type { KeyPlace } from '../../cluster/names.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { joinPath } from '../../kinds/path.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import { type UnknownKey, unknownAnnotation, unknownLabel } from '../../kinds/unknownKey.ts';
import { podFacts } from '../facts/pods.ts';
import { parted, renamed } from '../facts/renamed.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

const name = 'unknown-key';

export const unknownKey: Rule = {
  name,
  finds:
    'An annotation under lull.dev/ that is not known where it is written, or an annotation or label close to one of karpenter.sh/.',
  why: 'An unknown key is ignored without a word: the budgets, the hold or the schedule that it was to give do not exist.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations:
    lull.dev/budget: '[{nodes: "1"}]'
`,
  *check(policy) {
    for (const written of writtenOn(policy)) {
      yield* keysIn(written, 'annotations', unknownAnnotation);
      yield* keysIn(written, 'labels', unknownLabel);
    }
  },
};

/** The metadata of an object, or of a template in it. */
interface Written {
  readonly object: string;
  readonly document: Json;
  /** Where in the object it is; empty for the object's own. */
  readonly within: string;
  readonly place: KeyPlace;
}

const places: ReadonlyMap<unknown, KeyPlace> = new Map<unknown, KeyPlace>([
  ['NodePool', 'pool'],
  ['Provisioner', 'pool'],
  ['NodeClaim', 'node'],
  ['Node', 'node'],
]);

function* writtenOn(policy: Policy): Generator<Written> {
  for (const { object: document } of policy.documents) {
    const place = places.get(document.kind);
    if (place === undefined) continue;
    const object = nameOfObject(document);
    yield { object, document, within: '', place };
    if (place === 'pool') yield { object, document, within: 'spec.template', place: 'node' };
  }
  // Pods of one workload carry the same typo: it is told once.
  const told = new Set<string>();
  for (const { object, within, maker } of podFacts(policy).pods) {
    if (told.has(maker)) continue;
    told.add(maker);
    const document = writtenAs(policy, object)?.object;
    if (document) yield { object, document, within, place: 'pod' };
  }
}

function* keysIn(
  { object, document, within, place }: Written,
  field: 'annotations' | 'labels',
  judge: (key: string, place: KeyPlace) => UnknownKey | undefined,
): Generator<Finding> {
  const path = [...within.split('.'), 'metadata', field].filter(Boolean);
  const map = valueAt(document, ...path);
  for (const key in isMap(map) ? map : {}) {
    const unknown = judge(key, place);
    if (!unknown) continue;
    const at = joinPath(path.join('.'), key);
    const fix = renamed({ ...unknown, object, path: at, value: undefined, severity: 'error' }, document);
    yield { rule: name, severity: 'error', object, path: at, ...parted(unknown.message), ...(fix && { fix }) };
  }
}
