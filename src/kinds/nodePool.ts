// What does a NodePool ask for? Budgets, consolidation, lifetimes and the template, of v1 and v1beta1, with older spellings (A3, C, N7).
import type { Fault } from '../cluster/fault.ts';
import type { Budget, Conditions, Pool } from '../cluster/model.ts';
import { asDuration, type Duration, hour, second } from '../time/instant.ts';
import { steering } from './annotationName.ts';
import { defaultBudgets, noteUnknown, readBudgets } from './budget.ts';
import { readBudgetsAnnotation } from './budgetsAnnotation.ts';
import { readBudgetsSeen } from './budgetsSeen.ts';
import { beyondKarpenter, readKarpenterBudgets } from './karpenterBudget.ts';
import { longestLabel, type Metadata, readConditions, readMetadata } from './metadata.ts';
import { noteNearMisses } from './nearMiss.ts';
import { defined, type Reader } from './reader.ts';
import { readTemplate } from './template.ts';
import { faultUnknownKeys } from './unknownKey.ts';

/** A3. */
export const defaultConsolidateAfter: Duration = asDuration(15 * second);
export const defaultExpireAfter: Duration = asDuration(720 * hour);

const maxWeight = 100;
const maxInt32 = 2 ** 31 - 1;
const disruptionFields = ['budgets', 'consolidationPolicy', 'consolidateAfter', 'expireAfter', 'repairAfter'];

export function readNodePool(object: Reader): Pool {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  const written = spec.map('disruption');
  const beta = object.raw('apiVersion') === 'karpenter.sh/v1beta1';
  noteNearMisses(written, disruptionFields);
  notePerReason(written);
  const { disruption, mirror } = beta ? { disruption: written, mirror: undefined } : readBudgetsSeen(metadata, written);
  return finishPool(object, metadata, {
    ...readPoolBudgets(metadata, disruption),
    karpenterBudgets: readKarpenterBudgets(written.raw('budgets')),
    mirror,
    karpenterFault: readKarpenterFault(object, disruption),
    consolidationPolicy: readPolicy(placed(spec, disruption, 'consolidationPolicy')),
    consolidateAfter:
      placed(spec, disruption, 'consolidateAfter').durationOr('consolidateAfter', 'Never') ?? defaultConsolidateAfter,
    expireEarlyAfter: readEarlyExpiry(metadata, beta ? undefined : disruption),
    repairAfter: disruption.durationOr('repairAfter', 'Never'),
    replicas: spec.whole('replicas', 0, maxInt32),
    limits: spec.resources('limits'),
    weight: readWeight(spec),
    template: readPoolTemplate(spec.map('template'), beta ? disruption : undefined),
    provisioner: false,
  });
}

/** The by-reason document's other approach, which it decided against. */
function notePerReason(disruption: Reader): void {
  for (const key of ['defaults', 'drift', 'consolidation', 'expiration', 'emptiness']) {
    if (!disruption.has(key)) continue;
    const message = `What stands under ${key} is not read, so its budgets limit nothing. Write budgets with reasons; \`lull convert\` does it.`;
    disruption.fault(key, message, 'warning');
  }
}

type OwnFields = 'name' | 'uid' | 'labels' | 'annotations' | 'conditions' | 'deleting' | 'fault';

/** What is read alike from pools and older Provisioners. Last of all the fault: it is the first error of the whole object (C8). */
export function finishPool(
  object: Reader,
  { reader, name, uid, labels, annotations }: Metadata,
  fields: { readonly [Field in keyof Omit<Pool, OwnFields>]-?: Pool[Field] | undefined },
): Pool {
  const conditions = withoutOwn(readConditions(object.map('status')));
  const deleting = reader.has('deletionTimestamp');
  reader.instant('deletionTimestamp');
  faultUnknownKeys(reader.at('annotations'), 'pool');
  const fault = object.findings.error;
  return defined<Pool>({ ...fields, name, uid: uid || undefined, labels, annotations, conditions, deleting, fault });
}

/** K5: what Lull itself writes there is no news to it (N8). */
const withoutOwn = (conditions: Conditions): Conditions =>
  Object.fromEntries(Object.entries(conditions).filter(([type]) => !type.startsWith('Lull')));

/** N4: told only in guide, where Karpenter reads these budgets too. */
function readKarpenterFault({ findings }: Reader, disruption: Reader): Fault | undefined {
  const beyond = beyondKarpenter(disruption.raw('budgets'));
  if (!beyond) return undefined;
  const message =
    'Karpenter cannot read this, and would take the budget for another one. Write this budget in the annotation lull.dev/budgets, and in spec.disruption.budgets a limit that Karpenter can read, such as 10%.';
  return findings.aside(`spec.disruption.budgets${beyond.path}`, beyond.value, message);
}

/** C17: the annotation stands before the spec, and the spec before the default. */
export function readPoolBudgets(metadata: Metadata, disruption: Reader): Pick<Pool, 'budgets' | 'budgetsFrom'> {
  const annotated: Budget[] | undefined = readBudgetsAnnotation(metadata);
  if (annotated) return { budgets: annotated, budgetsFrom: 'annotation' };
  if (!disruption.has('budgets')) return { budgets: defaultBudgets, budgetsFrom: 'default' };
  return { budgets: readBudgets(disruption, 'budgets', noteUnknown) ?? defaultBudgets, budgetsFrom: 'spec' };
}

/** C2: where a field of `disruption` stands, which older documents put directly under `spec`. */
function placed(spec: Reader, disruption: Reader, key: string): Reader {
  if (!spec.has(key)) return disruption;
  spec.fault(
    key,
    `${key} stands directly under spec, as in older documents. Move it to spec.disruption.${key}.`,
    'info',
  );
  return disruption.has(key) ? disruption : spec;
}

const policies = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced', 'WhenUnderutilized'] as const;

function readPolicy(holder: Reader): Pool['consolidationPolicy'] {
  const policy = holder.oneOf('consolidationPolicy', policies);
  return policy === undefined || policy === 'WhenUnderutilized' ? 'WhenEmptyOrUnderutilized' : policy;
}

/** N7. The annotation first, as with budgets: no upgrade of the CRD erases it. */
function readEarlyExpiry({ reader, annotations }: Metadata, disruption: Reader | undefined): Pool['expireEarlyAfter'] {
  if (annotations[steering.expireAfter] !== undefined)
    return reader.at('annotations').durationOr(steering.expireAfter, 'Never');
  return disruption?.durationOr('expireAfter', 'Never');
}

export const readWeight = (spec: Reader): number => spec.whole('weight', 0, maxWeight) ?? 0;

/** In v1beta1 the lifetime of a node was a field of `disruption`. */
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
