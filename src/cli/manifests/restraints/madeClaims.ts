// What a NodeClaim may look like that Lull creates: its pool's template, made definite (N6, N12).
// Judged against every NodePool, of which only the one that the claim names has anything to say. A claim that names no existing pool passes:
// its owner is missing, so Kubernetes' garbage collector deletes it.
import { annotation, atBirth, label } from '../../../cluster/names.ts';
import { allOf, listOf, mapAt, quote } from '../cel.ts';
import type { Restraint } from './restraint.ts';

const ofItsPool = (expression: string): string => `!variables.isMeant || (${expression})`;

/** What a replacement may ask for more narrowly than its template: see engine/commands/replacementClaim.ts. */
const definite = [label.instanceType, label.zone, label.capacityType, label.arch, label.os];

/** Older names under which a template may ask for the same (cluster/compatible.ts). */
const older: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': label.arch,
  'beta.kubernetes.io/os': label.os,
  'beta.kubernetes.io/instance-type': label.instanceType,
  'failure-domain.beta.kubernetes.io/zone': label.zone,
};

const olderNames = Object.entries(older).map(([key, name]) => `${quote(key)}: ${quote(name)}`);

/** Of a template's requirement: `wish`. */
const wishedKey = '(wish.key in variables.older ? variables.older[wish.key] : wish.key)';
const valuesOf = (it: string): string => `(has(${it}.values) ? ${it}.values : [])`;

const isSame = [
  'got.key == wish.key && got.operator == wish.operator',
  `size(${valuesOf('got')}) == size(${valuesOf('wish')})`,
  `${valuesOf('got')}.all(v, v in ${valuesOf('wish')})`,
].join(' && ');

/** A definite requirement in the place of the template's, within what the template allows. */
const isWithin = [
  `got.key == ${wishedKey} && got.operator == 'In'`,
  `(wish.operator != 'In' || ${valuesOf('got')}.all(v, v in ${valuesOf('wish')}))`,
  `(wish.operator != 'NotIn' || !${valuesOf('got')}.exists(v, v in ${valuesOf('wish')}))`,
  "wish.operator != 'DoesNotExist'",
].join(' && ');

const [is, wanted, hashes] = ['variables.is', 'variables.wanted', 'variables.poolAnnotations'];
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

/** Two spellings of one duration are the same: 720h and 43200m. */
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

/** What the policy `lull-born-parked` adds, where it is still there. */
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
    'Its owner is another pool of that name.': ofItsPool(
      'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.all(it, it.uid == params.metadata.uid)',
    ),
    'Its nodeClassRef is not that of its pool.': ofItsPool(`dyn(object.spec.nodeClassRef) == ${template}.nodeClassRef`),
    [`Its spec has other fields than ${specFields.join(', ')}.`]: ofItsPool(
      `dyn(object.spec).all(k, k in ${listOf(specFields)})`,
    ),
    [`It has a requirement that its pool does not have, other than on ${definite.join(', ')}.`]: ofItsPool(
      `object.spec.requirements.all(got, (got.key in ${listOf(definite)} && got.operator == 'In') || variables.wishes.exists(wish, ${isSame}))`,
    ),
    'It does not keep to a requirement of its pool.': ofItsPool(
      `variables.wishes.all(wish, object.spec.requirements.exists(got, (${isSame}) || (${isWithin})))`,
    ),
    'Its taints are not those of its pool.': ofItsPool(allOf(sameTaints('taints'), sameTaints('startupTaints'))),
    'Its expireAfter or terminationGracePeriod is not that of its pool.': ofItsPool(
      allOf(sameTime('expireAfter'), sameTime('terminationGracePeriod')),
    ),
    'It has a label that neither its pool nor a requirement gives it.': ofItsPool(
      `${labels}.all(k, k == ${quote(label.pool)} || (k in ${poolLabels} && ${poolLabels}[k] == ${labels}[k]) || object.spec.requirements.exists(got, got.key == k && got.operator == 'In' && ${valuesOf('got')} == [${labels}[k]]))`,
    ),
    'It has an annotation that its pool does not give it.': ofItsPool(
      `${is}.all(k, k == ${quote(annotation.command)} || (k in ${wanted} && ${wanted}[k] == ${is}[k]) || (k in ${listOf([annotation.poolHash, annotation.poolHashVersion])} && k in ${hashes} && ${hashes}[k] == ${is}[k]) || (${isFromBirth}))`,
    ),
  },
  params: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', selector: {} },
};
