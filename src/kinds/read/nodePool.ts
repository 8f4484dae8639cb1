// NodePools of v1 and v1beta1: budgets, consolidation, expiry and template, with older spellings (A3, C, I1, N7).

import { defined } from '../../cluster/defined.ts';
import type { Fault } from '../../cluster/fault.ts';
import type { Budget, Conditions, NodeClassRef, Pool, Taint, Template } from '../../cluster/model.ts';
import type { Requirement, TextMap } from '../../cluster/selector.ts';
import { asDuration, type Duration, hour, second } from '../../time/instant.ts';
import { disruptionFields, readMirroredDisruption } from './addedFields.ts';
import {
  beyondKarpenter,
  byKind,
  defaultBudgets,
  noteUnknown,
  readBudgets,
  readBudgetsAnnotation,
  readKarpenterBudgets,
} from './budget.ts';
import { faultUnknownKeys, steering } from './knownKeys.ts';
import { longestLabel, type Metadata, readConditions, readMetadata } from './metadata.ts';
import { noteNearMisses } from './nearMiss.ts';
import { maxInt32, type Reader } from './reader.ts';
import { allOperators, readRequirement } from './selectors.ts';

/** The defaults of Karpenter's pools (A3). */
export const defaultConsolidateAfter: Duration = asDuration(15 * second);
export const defaultExpireAfter: Duration = asDuration(720 * hour);

const maxWeight = 100;
const knownFields = ['budgets', 'consolidationPolicy', 'consolidateAfter', ...disruptionFields];

export function readNodePool(object: Reader): Pool {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  const written = spec.map('disruption');
  const beta = object.raw('apiVersion') === 'karpenter.sh/v1beta1';
  noteNearMisses(written, knownFields);
  notePerReason(written);
  const { disruption, mirror } = beta
    ? { disruption: written, mirror: undefined }
    : readMirroredDisruption(metadata, written);
  return finishPool(object, metadata, {
    ...readPoolBudgets(metadata, disruption),
    karpenterBudgets: readKarpenterBudgets(written.raw('budgets')),
    mirror,
    karpenterFault: readKarpenterFault(object, disruption),
    consolidationPolicy: readPolicy(holderOf(spec, disruption, 'consolidationPolicy')),
    consolidateAfter:
      holderOf(spec, disruption, 'consolidateAfter').durationOr('consolidateAfter', 'Never') ?? defaultConsolidateAfter,
    expireEarlyAfter: readEarlyExpiry(metadata, beta ? undefined : disruption),
    repairAfter: disruption.durationOr('repairAfter', 'Never'),
    replicas: spec.whole('replicas', 0, maxInt32),
    limits: spec.resources('limits'),
    weight: readWeight(spec),
    template: readPoolTemplate(spec.map('template'), beta ? disruption : undefined),
    provisioner: false,
  });
}

/** Budgets in one block per reason: the alternative that the by-reason document rejects. */
export const perReasonBlocks = ['defaults', 'drift', 'consolidation', 'expiration', 'emptiness'] as const;

function notePerReason(disruption: Reader): void {
  for (const key of perReasonBlocks) {
    if (!disruption.has(key)) continue;
    const message = `spec.disruption.${key} is ignored, so its budgets limit nothing. Write budgets with reasons instead: \`lull convert\` rewrites them.`;
    disruption.fault(key, message, 'warning');
  }
}

type OwnFields =
  | ('name' | 'uid' | 'labels' | 'annotations' | 'conditions' | 'deleting' | 'fault')
  | ('driftAfter' | 'rollRequested' | 'needsApproval' | 'approved');

/** Adds what pools and Provisioners share. Reads the fault last: it is the first error of the whole object (C8). */
export function finishPool(
  object: Reader,
  { reader, name, uid, labels, annotations }: Metadata,
  fields: { readonly [Field in keyof Omit<Pool, OwnFields>]-?: Pool[Field] | undefined },
): Pool {
  const conditions = withoutOwn(readConditions(object.map('status')));
  const deleting = reader.has('deletionTimestamp');
  reader.instant('deletionTimestamp');
  faultUnknownKeys(reader.at('annotations'), 'pool');
  const at = reader.at('annotations');
  const driftAfter = at.duration(steering.driftAfter);
  const rollRequested = at.signed(steering.rollRequested);
  const approved = at.signed(steering.approved);
  // Any other value is a fault, which holds the pool too (C8).
  const needsApproval = at.oneOf(steering.approval, ['required']) !== undefined || undefined;
  const asked = { driftAfter, rollRequested, needsApproval, approved };
  const fault = object.findings.error;
  const own = { name, uid: uid || undefined, labels, annotations, conditions, ...asked, deleting, fault };
  return defined<Pool>({ ...fields, ...own });
}

/** Without Lull's own conditions, which must not influence a decision (K5, N8). */
const withoutOwn = (conditions: Conditions): Conditions =>
  Object.fromEntries(Object.entries(conditions).filter(([type]) => !type.startsWith('Lull')));

/** Reported only in role guide, where Karpenter reads these budgets too (N4). */
function readKarpenterFault({ findings }: Reader, disruption: Reader): Fault | undefined {
  const beyond = beyondKarpenter(disruption.raw('budgets'));
  if (!beyond) return undefined;
  const message =
    'Karpenter does not support this field and would apply a different budget. Move this budget to the annotation lull.dev/budgets, and write a limit that Karpenter supports, such as 10%, in spec.disruption.budgets.';
  return findings.aside(`spec.disruption.budgets${beyond.path}`, beyond.value, message);
}

/** The annotation takes precedence over the spec, and the spec over the default (C17). */
export function readPoolBudgets(
  metadata: Metadata,
  disruption: Reader,
): Pick<Pool, 'budgets' | 'rates' | 'budgetsFrom'> {
  const annotated: Budget[] | undefined = readBudgetsAnnotation(metadata);
  if (annotated) return { ...byKind(annotated), budgetsFrom: 'annotation' };
  if (!disruption.has('budgets')) return { ...byKind(defaultBudgets), budgetsFrom: 'default' };
  return { ...byKind(readBudgets(disruption, 'budgets', noteUnknown) ?? defaultBudgets), budgetsFrom: 'spec' };
}

/** The map that has a field of `disruption`: older documents put the field directly under `spec` (C2). */
function holderOf(spec: Reader, disruption: Reader, key: string): Reader {
  if (!spec.has(key)) return disruption;
  spec.fault(key, `spec.${key} is an old spelling. Move it to spec.disruption.${key}.`, 'info');
  return disruption.has(key) ? disruption : spec;
}

export const policies = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced', 'WhenUnderutilized'] as const;

function readPolicy(holder: Reader): Pool['consolidationPolicy'] {
  const policy = holder.oneOf('consolidationPolicy', policies);
  return policy === undefined || policy === 'WhenUnderutilized' ? 'WhenEmptyOrUnderutilized' : policy;
}

/** The age for graceful expiry (N7). The annotation takes precedence, as for budgets: a CRD upgrade cannot erase it. */
function readEarlyExpiry({ reader, annotations }: Metadata, disruption: Reader | undefined): Pool['expireEarlyAfter'] {
  if (annotations[steering.expireAfter] !== undefined)
    return reader.at('annotations').durationOr(steering.expireAfter, 'Never');
  return disruption?.durationOr('expireAfter', 'Never');
}

export const readWeight = (spec: Reader): number => spec.whole('weight', 0, maxWeight) ?? 0;

/** In v1beta1 expireAfter is a field of `disruption`. */
function readPoolTemplate(template: Reader, beta: Reader | undefined): Pool['template'] {
  const metadata = template.map('metadata');
  const spec = template.map('spec');
  return readTemplate({
    spec,
    labels: metadata.textMap('labels', longestLabel),
    annotations: metadata.textMap('annotations'),
    expireAfter: (beta ?? spec).durationOr('expireAfter', 'Never') ?? defaultExpireAfter,
  });
}

/** The parts of a template that have other names, or another location, in older versions. */
export interface TemplateParts {
  /** The map with taints, requirements and so on. */
  readonly spec: Reader;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly expireAfter: Duration | 'Never' | undefined;
}

export function readTemplate({ spec, labels, annotations, expireAfter }: TemplateParts): Template {
  return defined<Template>({
    labels,
    annotations,
    taints: readTaints(spec, 'taints'),
    startupTaints: readTaints(spec, 'startupTaints'),
    requirements: readRequirements(spec),
    nodeClassRef: readNodeClass(spec),
    expireAfter,
    terminationGracePeriod: spec.duration('terminationGracePeriod'),
    kubelet: readKubelet(spec),
  });
}

/** Compared as a whole for drift, so its fields are not checked. */
function readKubelet(spec: Reader): unknown {
  const key = spec.has('kubelet') ? 'kubelet' : 'kubeletConfiguration';
  return spec.has(key) ? spec.map(key).values : undefined;
}

export function readTaints(spec: Reader, key: string): Taint[] {
  return spec.maps(key).map((taint) => {
    return defined({
      key: taint.text('key') ?? '',
      value: taint.text('value'),
      effect: taint.text('effect') ?? '',
      timeAdded: taint.text('timeAdded'),
    });
  });
}

function readRequirements(spec: Reader): Requirement[] {
  return spec.maps('requirements').flatMap((expression) => {
    const requirement = readRequirement(expression, allOperators);
    const minValues = expression.whole('minValues', 1, mostMinValues);
    return requirement ? [{ ...requirement, ...(minValues !== undefined && { minValues }) }] : [];
  });
}

/** The maximum of Karpenter's CRD. */
const mostMinValues = 50;

/** v1 has a group; v1beta1 has an apiVersion instead; a Provisioner calls the reference providerRef. */
function readNodeClass(spec: Reader): NodeClassRef | undefined {
  const key = spec.has('nodeClassRef') ? 'nodeClassRef' : 'providerRef';
  if (!spec.has(key)) return undefined;
  const reference = spec.map(key);
  const apiVersion = reference.text('apiVersion') ?? '';
  return {
    group: reference.text('group') ?? apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)),
    kind: reference.text('kind') ?? '',
    name: reference.text('name') ?? '',
  };
}
