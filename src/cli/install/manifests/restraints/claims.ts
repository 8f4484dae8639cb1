// What Lull may do to NodeClaims: nudge and restore in guide; set deadlines, create replacements and delete in drive (N6, H1, N12).
import { annotation, atBirth, label } from '../../../../cluster/names.ts';
import type { Duty } from '../../../../kube/permissions.ts';
import { allOf, listOf, mapAt, onUpdate, quote } from '../cel.ts';
import { annotations, nudgeBy, nudgeKeys, onlyAnnotations, parkingBy, parkingKeys } from './markRules.ts';
import { noSubresource, nothingAtAll, onlyOperations, unchangedSpec } from './nodes.ts';
import type { Restraint } from './restraint.ts';

const [is, was, changed] = ['variables.is', 'variables.was', 'variables.changed'];
const [deadline, command, pool] = [annotation.terminateAt, annotation.command, label.pool].map(quote);

/** Once a claim is being deleted, its deadline belongs to Karpenter. */
const taken = `!(${deadline} in ${is}) && !has(oldObject.metadata.deletionTimestamp)`;
/** A deadline derives from the claim's own terminationGracePeriod, which is immutable, and is written once (H1). */
const given = `!(${deadline} in ${was}) && has(object.spec.terminationGracePeriod) && ${is}[${deadline}].matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$')`;

const deadlineOf = (duty: Duty): Readonly<Record<string, string>> =>
  duty === 'drive'
    ? {
        [`${annotation.terminateAt} may be written only once, on a claim with a terminationGracePeriod, and removed only while the claim is not being deleted.`]:
          onUpdate(`!(${deadline} in ${changed}) || (${deadline} in ${is} ? (${given}) : (${taken}))`),
      }
    : {
        [`${annotation.terminateAt} may only be removed, while the claim is not being deleted.`]: onUpdate(
          `!(${deadline} in ${changed}) || (${taken})`,
        ),
      };

const owner = 'object.metadata.ownerReferences';

/** What can be checked of a replacement without its pool; the rest is checked against the pool. */
const made: Readonly<Record<string, string>> = {
  [`A claim that Lull creates must name its command in ${annotation.command} and in its own name.`]: onCreate(
    `${command} in ${is} && object.metadata.name.startsWith(string(${is}[${command}]) + '-')`,
  ),
  [`A claim that Lull creates must be owned by the NodePool in its label ${label.pool}, and by nothing else.`]:
    onCreate(
      allOf(
        `has(${owner}) && size(${owner}) == 1`,
        `${pool} in variables.labels`,
        `${owner}.all(it, it.apiVersion == 'karpenter.sh/v1' && it.kind == 'NodePool' && it.name == variables.labels[${pool}])`,
      ),
    ),
  // Keeps the comparison with the pool within CEL's cost budget; beyond it, that policy would admit the claim.
  'A claim that Lull creates may have at most 4 requirements per key, with 500 values each.': onCreate(
    'object.spec.requirements.all(one, size(object.spec.requirements.filter(other, other.key == one.key)) <= 4 && (!has(one.values) || size(one.values) <= 500))',
  ),
  'A claim that Lull creates may have no finalizers: Karpenter adds its own.': onCreate(
    '!has(object.metadata.finalizers)',
  ),
};

function onCreate(expression: string): string {
  return `request.operation != 'CREATE' || (${expression})`;
}

const steps = {
  guide: { parking: ['unparks'], nudge: ['nudges', 'unnudges'] },
  drive: { parking: [], nudge: ['unnudges'] },
  release: { parking: ['unparks'], nudge: ['unnudges'] },
} as const;

/** The release job deletes only Lull's replacements; it cannot write that annotation. */
const ofLull = {
  [`Only a claim that carries ${annotation.command} may be deleted.`]: `request.operation != 'DELETE' || ${command} in ${was}`,
};

const operations: Readonly<Record<Exclude<Duty, 'observe'>, readonly string[]>> = {
  guide: ['UPDATE'],
  drive: ['UPDATE', 'CREATE', 'DELETE'],
  release: ['UPDATE', 'DELETE'],
};

export function nodeClaims(duty: Duty): Restraint {
  const [apiGroup, resource] = ['karpenter.sh', 'nodeclaims'];
  if (duty === 'observe') return { apiGroup, resource, rules: nothingAtAll };
  const [parking, nudge] = [parkingBy(...steps[duty].parking), nudgeBy(...steps[duty].nudge)];
  const free = [...nudgeKeys, ...(steps[duty].parking.length > 0 ? parkingKeys : []), annotation.terminateAt];
  return {
    apiGroup,
    resource,
    variables: {
      ...annotations,
      ...parking.variables,
      ...nudge.variables,
      ...(duty === 'drive' && { labels: mapAt('object', 'metadata.labels') }),
    },
    rules: {
      ...noSubresource,
      ...onlyOperations(...operations[duty]),
      ...onlyAnnotations(free, duty === 'release' ? [annotation.command] : []),
      // Only an admission policy parks a claim, at creation.
      ...(steps[duty].parking.length > 0 && parking.rules),
      ...nudge.rules,
      ...deadlineOf(duty),
      ...unchangedSpec,
      ...(duty === 'drive' && made),
      ...(duty === 'release' && ofLull),
    },
  };
}

/**
 * A claim that Lull creates is checked against every NodePool; only the one that the claim names matters. A claim that names no
 * existing pool passes: its owner is missing, so Kubernetes' garbage collector deletes it.
 */
const ofItsPool = (expression: string): string => `!variables.isMeant || (${expression})`;

/** Keys on which a replacement may be narrower than its template: see engine/commands/replacementClaim.ts. */
const definite = [label.instanceType, label.zone, label.capacityType, label.arch, label.os];

/** Older names of the same labels that a template may use (cluster/compatible.ts). */
const older: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': label.arch,
  'beta.kubernetes.io/os': label.os,
  'beta.kubernetes.io/instance-type': label.instanceType,
  'failure-domain.beta.kubernetes.io/zone': label.zone,
};

const olderNames = Object.entries(older).map(([key, name]) => `${quote(key)}: ${quote(name)}`);

/** The key of a template's requirement, `wish`. */
const wishedKey = '(wish.key in variables.older ? variables.older[wish.key] : wish.key)';
const valuesOf = (it: string): string => `(has(${it}.values) ? ${it}.values : [])`;

const isSame = [
  'got.key == wish.key && got.operator == wish.operator',
  `size(${valuesOf('got')}) == size(${valuesOf('wish')})`,
  `${valuesOf('got')}.all(v, v in ${valuesOf('wish')})`,
].join(' && ');

/** A definite requirement instead of the template's, within what the template allows. */
const isWithin = [
  `got.key == ${wishedKey} && got.operator == 'In'`,
  `(wish.operator != 'In' || ${valuesOf('got')}.all(v, v in ${valuesOf('wish')}))`,
  `(wish.operator != 'NotIn' || !${valuesOf('got')}.exists(v, v in ${valuesOf('wish')}))`,
  "wish.operator != 'DoesNotExist'",
].join(' && ');

const [wanted, hashes] = ['variables.wanted', 'variables.poolAnnotations'];
const { template, poolLabels, labels } = {
  template: 'variables.template',
  poolLabels: 'variables.templateLabels',
  labels: 'variables.labels',
};

/** Each taint of one list is in the other. */
const sameTaints = (field: string): string => {
  const lists = [
    `(has(object.spec.${field}) ? object.spec.${field} : [])`,
    `(has(${template}.${field}) ? ${template}.${field} : [])`,
  ];
  const textIn = (it: string): string => `(has(${it}.value) ? ${it}.value : '')`;
  const isIn = (list = ''): string =>
    `${list}.exists(b, a.key == b.key && a.effect == b.effect && ${textIn('a')} == ${textIn('b')})`;
  return allOf(`${lists[0]}.all(a, ${isIn(lists[1])})`, `${lists[1]}.all(a, ${isIn(lists[0])})`);
};

/** Two spellings of one duration are equal: 720h and 43200m. */
const sameTime = (field: string): string => {
  const [one, other] = [`object.spec.${field}`, `${template}.${field}`];
  return `has(${one}) == has(${other}) && (!has(${one}) || ${one} == ${other} || (${one} != 'Never' && ${other} != 'Never' && duration(${one}) == duration(${other})))`;
};

const specFields = [
  'nodeClassRef',
  'requirements',
  'taints',
  'startupTaints',
  'expireAfter',
  'terminationGracePeriod',
  'resources',
];

/** The annotations that the policy `lull-born-parked` adds, if they are still there. */
const isFromBirth = `k in ${listOf([annotation.doNotDisrupt, annotation.parked, annotation.keptBefore])} && ${quote(annotation.parked)} in ${is} && ${is}[${quote(annotation.parked)}] == ${quote(atBirth)}`;

export const madeClaims: Restraint = {
  apiGroup: 'karpenter.sh',
  resource: 'nodeclaims',
  name: 'nodeclaims-made',
  operations: ['CREATE'],
  variables: {
    is: mapAt('object', 'metadata.annotations'),
    labels: mapAt('object', 'metadata.labels'),
    isMeant: `${quote(label.pool)} in ${labels} && ${labels}[${quote(label.pool)}] == params.metadata.name`,
    template: 'dyn(params.spec.template.spec)',
    templateLabels:
      'has(params.spec.template.metadata) && has(params.spec.template.metadata.labels) ? dyn(params.spec.template.metadata.labels) : dyn({})',
    wanted:
      'has(params.spec.template.metadata) && has(params.spec.template.metadata.annotations) ? dyn(params.spec.template.metadata.annotations) : dyn({})',
    poolAnnotations: 'has(params.metadata.annotations) ? dyn(params.metadata.annotations) : dyn({})',
    wishes: `has(${template}.requirements) ? ${template}.requirements : dyn([])`,
    older: `{${olderNames.join(', ')}}`,
  },
  rules: {
    'Its owner is not the current pool of that name.': ofItsPool(
      'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.all(it, it.uid == params.metadata.uid)',
    ),
    'Its nodeClassRef differs from that of its pool.': ofItsPool(
      `dyn(object.spec.nodeClassRef) == ${template}.nodeClassRef`,
    ),
    [`Its spec has fields other than ${specFields.join(', ')}.`]: ofItsPool(
      `dyn(object.spec).all(k, k in ${listOf(specFields)})`,
    ),
    [`It has a requirement that its pool does not have, on a key other than ${definite.join(', ')}.`]: ofItsPool(
      `object.spec.requirements.all(got, (got.key in ${listOf(definite)} && got.operator == 'In') || variables.wishes.exists(wish, ${isSame}))`,
    ),
    'It does not meet a requirement of its pool.': ofItsPool(
      `variables.wishes.all(wish, object.spec.requirements.exists(got, (${isSame}) || (${isWithin})))`,
    ),
    'Its taints differ from those of its pool.': ofItsPool(allOf(sameTaints('taints'), sameTaints('startupTaints'))),
    'Its expireAfter or terminationGracePeriod differs from that of its pool.': ofItsPool(
      allOf(sameTime('expireAfter'), sameTime('terminationGracePeriod')),
    ),
    'It has a label that comes neither from its pool nor from a requirement.': ofItsPool(
      `${labels}.all(k, k == ${quote(label.pool)} || (k in ${poolLabels} && ${poolLabels}[k] == ${labels}[k]) || object.spec.requirements.exists(got, got.key == k && got.operator == 'In' && ${valuesOf('got')} == [${labels}[k]]))`,
    ),
    'It has an annotation that does not come from its pool.': ofItsPool(
      `${is}.all(k, k == ${quote(annotation.command)} || (k in ${wanted} && ${wanted}[k] == ${is}[k]) || (k in ${listOf([annotation.poolHash, annotation.poolHashVersion])} && k in ${hashes} && ${hashes}[k] == ${is}[k]) || (${isFromBirth}))`,
    ),
  },
  params: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', selector: {} },
};
