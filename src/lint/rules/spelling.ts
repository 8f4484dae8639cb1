// Lint rules about invalid, unknown and outdated objects, fields and values (C8, K4, L5).
import { defined } from '../../cluster/defined.ts';
import type { Cluster } from '../../cluster/facts.ts';
import type { Fault } from '../../cluster/fault.ts';
import { memo } from '../../cluster/memo.ts';
import type { KeyPlace } from '../../cluster/names.ts';
import { valueAt } from '../../kinds/edit/patch.ts';
import { show } from '../../kinds/read/findings.ts';
import { healthGate } from '../../kinds/read/healthGate.ts';
import { type UnknownKey, unknownAnnotation, unknownLabel } from '../../kinds/read/knownKeys.ts';
import { maintenanceWindow } from '../../kinds/read/maintenanceWindow.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import { podDisruptionSchedule } from '../../kinds/read/podDisruptionSchedule.ts';
import { isMap, type Json, orList } from '../../kinds/read/reader.ts';
import { unknownKind as judge, readObject } from '../../kinds/readObject.ts';
import type { Schema } from '../../kinds/schema/schema.ts';
import { mustBeString, violationsOf } from '../../kinds/schema/violations.ts';
import { joinPath } from '../../kinds/text/path.ts';
import { someOf } from '../../time/lists.ts';
import { findingsOfFaults, renamedField, respelled } from '../facts/readFaults.ts';
import { documentsIn } from '../facts/writtenObjects.ts';
import { countPods, podFacts, scheduleOf } from '../facts/writtenPods.ts';
import { checkEach, type LintPolicy, type LintRule, type RuleFinding } from '../rule.ts';

export const spellingRules: readonly LintRule[] = [
  {
    name: 'fault', // C8, D7, E6, E7
    severity: 'warning',
    finds: 'A value that cannot be read.',
    why: 'An invalid value makes a rule fail closed: a pool with such a budget disrupts nothing, a MaintenanceWindow blocks, a PodDisruptionSchedule holds its pods. An invalid value on a pod or node is ignored.',
    check: (policy) => [...findingsOfFaults(policy, 'fault'), ...uncheckedSchedules(policy)],
  },
  {
    name: 'given-twice',
    severity: 'info',
    finds: 'An object that is defined more than once.',
    why: 'Only the last one is used: changes to the others have no effect.',
    *check({ documents }) {
      const alike = Map.groupBy(documents, ({ object }) => nameOfObject(object));
      for (const [object, its] of alike) {
        const earlier = its.slice(0, -1);
        if (earlier.length === 0 || its.every((document) => readObject(document.object).kind === 'ignored')) continue;
        const places = earlier.map((document) => document.position('')).map(({ file, line }) => `${file}:${line}`);
        yield {
          object,
          path: 'metadata.name',
          message: `This object is also defined at ${someOf(places)}. Only the last definition is used.`,
        };
      }
    },
  },
  {
    name: 'note',
    severity: 'warning',
    finds: 'A field that has no effect as written, such as a time zone without a schedule.',
    why: 'The field was written to have an effect and has none.',
    check: (policy) => findingsOfFaults(policy, 'note'),
  },
  {
    name: 'old-kind', // A7
    severity: 'info',
    finds: 'A Provisioner, or a NodePool or NodeClaim of v1beta1.',
    why: 'Lull reads them as the current kinds, with the defaults of their own version. Current Karpenter serves only karpenter.sh/v1.',
    check: checkEach(typedDocuments, ({ apiVersion, kind }) => {
      const isOldPool = kind === 'Provisioner' && apiVersion.startsWith('karpenter.sh/');
      const isBeta = (kind === 'NodePool' || kind === 'NodeClaim') && apiVersion === 'karpenter.sh/v1beta1';
      if (!isOldPool && !isBeta) return undefined;
      const now = kind === 'NodeClaim' ? 'NodeClaim' : 'NodePool';
      return {
        path: 'apiVersion',
        message: `Current Karpenter no longer serves ${kind} ${apiVersion}, only ${now} karpenter.sh/v1. Lull reads this object as one.`,
        suggestion: '`lull convert` rewrites it in the current form and reports what changes.',
      };
    }),
  },
  {
    name: 'old-spelling', // C2
    severity: 'warning',
    finds: 'Fields and values in the spelling of older documents.',
    why: 'Lull reads them, but current Karpenter and its CRD do not.',
    check: (policy) =>
      findingsOfFaults(policy, 'old-spelling', (fault, object) => defined({ fix: respelled(fault, object) })),
  },
  {
    name: 'per-reason-blocks',
    severity: 'warning',
    finds: 'Budgets in blocks by reason (disruption.drift.budgets, disruption.defaults) instead of one list.',
    why: 'The design document on budgets by reason lists such blocks as a rejected alternative. Neither Lull nor Karpenter reads them: the list in disruption.budgets applies, or 10% if there is none.',
    check: (policy) => findingsOfFaults(policy, 'per-reason-blocks'),
  },
  {
    name: 'rejected-by-api', // L5
    severity: 'error',
    finds: 'A value that the CRD of a MaintenanceWindow or PodDisruptionSchedule rejects.',
    why: 'The API server refuses the object, so the window or schedule would not exist in the cluster.',
    check: checkEach(typedDocuments, ({ object, apiVersion, kind, document }, { cluster }) => {
      const schema = apiVersion.startsWith('karpenter.sh/') ? schemas.get(kind) : undefined;
      return (schema ? [...violationsOf(schema, document.spec, 'spec')] : [])
        .filter(({ path }) => !errorsIn(cluster).has(`${object} ${path}`))
        .map(({ path, value, must }) => {
          const isNumber = typeof value === 'number' && must === mustBeString;
          return {
            path,
            message: `The API server rejects ${show(value)} here: it ${must}.`,
            ...(isNumber && { suggestion: `Write "${value}" in quotes.`, fix: [{ path, set: String(value) }] }),
          };
        });
    }),
  },
  {
    name: 'unknown-field', // K4
    severity: 'error',
    finds:
      'An unknown field in a MaintenanceWindow, a PodDisruptionSchedule or the annotation lull.dev/budgets, or a field in a pool that resembles a known one.',
    why: 'The API server rejects or drops unknown fields, and a typo in lull.dev/budgets stops its pool: nothing but interrupted nodes is disrupted until it is fixed.',
    check: (policy) => findingsOfFaults(policy, 'unknown-field', renamedField),
  },
  {
    name: 'unknown-key', // K4
    severity: 'error',
    finds:
      'A lull.dev/ annotation that its object does not support, or an annotation or label that resembles one of karpenter.sh/.',
    why: 'An unknown key is silently ignored: the budgets, hold or schedule it was meant to define do not exist.',
    *check(policy) {
      for (const written of writtenOn(policy)) {
        yield* keysIn(written, 'annotations', unknownAnnotation);
        yield* keysIn(written, 'labels', unknownLabel);
      }
    },
  },
  {
    name: 'unknown-kind', // K4
    severity: 'error',
    finds: 'A kind that resembles one that Lull reads, or a known kind with the wrong apiVersion.',
    why: 'The API server rejects the object. Lull ignores unknown kinds, so a policy in such an object has no effect.',
    check: checkEach(typedDocuments, ({ apiVersion, kind }) => {
      const unknown = judge(kind, apiVersion);
      if (!unknown) return undefined;
      const { field, meant } = unknown;
      return {
        path: field,
        message:
          field === 'kind' ? `Unknown kind ${kind} in ${apiVersion}.` : `apiVersion ${apiVersion} has no kind ${kind}.`,
        suggestion: `${field}: ${orList(meant)}`,
        ...(meant.length === 1 && { fix: [{ path: field, set: meant[0] }] }),
      };
    }),
  },
];

/** One finding for all pod schedules that are not checked because of their cost. */
function uncheckedSchedules(policy: LintPolicy): RuleFinding[] {
  const { unexamined } = podFacts(policy);
  const [first] = unexamined;
  if (!first) return [];
  return [
    {
      ...scheduleOf(first),
      message: `There are too many different pod schedules to check all of them: those of ${countPods(unexamined)} are not checked, this one first.`,
      suggestion: 'Use the same schedule for similar pods, or check fewer objects at a time.',
    },
  ];
}

/** Documents with a kind and an apiVersion. */
function typedDocuments({ documents }: LintPolicy) {
  return documents.flatMap(({ object: document }) => {
    const { apiVersion, kind } = document;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
    return { object: nameOfObject(document), path: '', apiVersion, kind, document };
  });
}

/** Values that readers already report as errors, in more detail. */
const errorsIn = memo((cluster: Cluster) => {
  const errors = cluster.faults.filter(({ severity }) => severity === 'error');
  return new Set(errors.map(({ object, path }) => `${object} ${path}`));
});

const schemas: ReadonlyMap<unknown, Schema> = new Map(
  [maintenanceWindow, podDisruptionSchedule, healthGate].map(({ kind, spec }) => [kind, spec]),
);

/** The metadata of an object, or of a template in it. */
interface WrittenMetadata {
  readonly object: string;
  readonly document: Json;
  /** The path within the object; empty for the object itself. */
  readonly within: string;
  readonly place: KeyPlace;
}

const places: ReadonlyMap<unknown, KeyPlace> = new Map<unknown, KeyPlace>([
  ['NodePool', 'pool'],
  ['Provisioner', 'pool'],
  ['NodeClaim', 'node'],
  ['Node', 'node'],
]);

function* writtenOn(policy: LintPolicy): Generator<WrittenMetadata> {
  for (const { object: document } of policy.documents) {
    const place = places.get(document.kind);
    if (place === undefined) continue;
    const object = nameOfObject(document);
    yield { object, document, within: '', place };
    if (place === 'pool') yield { object, document, within: 'spec.template', place: 'node' };
  }
  // Pods of one workload have the same typo: report it once.
  const reported = new Set<string>();
  for (const { object, within, maker } of podFacts(policy).pods) {
    if (reported.has(maker)) continue;
    reported.add(maker);
    const document = documentsIn(policy).get(object)?.object;
    if (document) yield { object, document, within, place: 'pod' };
  }
}

function* keysIn(
  { object, document, within, place }: WrittenMetadata,
  field: 'annotations' | 'labels',
  judge: (key: string, place: KeyPlace) => UnknownKey | undefined,
): Generator<RuleFinding> {
  const path = [...within.split('.'), 'metadata', field].filter(Boolean);
  const map = valueAt(document, path);
  for (const key in isMap(map) ? map : {}) {
    const unknown = judge(key, place);
    if (!unknown) continue;
    const at = joinPath(path.join('.'), key);
    const fault: Fault = { ...unknown, object, path: at, value: undefined, severity: 'error' };
    yield { object, path: at, ...renamedField(fault, document) };
  }
}
