// Anonymised objects: what is on the allow-list is kept, every name is masked alike wherever it is written, and the decision stays the same.
import { budgetFields, disruptionFields } from '../../kinds/addedFields.ts';
import { poolDefinitionName } from '../../kinds/poolDefinition.ts';
import type { Json } from '../../kinds/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { selector } from './labels.ts';
import { ledgerSpec } from './ledger.ts';
import { Masks } from './masks.ts';
import { metadata, metadataInNamespace, metadataWith } from './metadata.ts';
import { withNamedClaims } from './podSpec.ts';
import { podRules } from './pods.ts';
import { poolRules } from './pools.ts';
import { each, fields, keepText, masked, name, nameUnless, oneOf, type Rule } from './rules.ts';
import { apiVersion, count, cron, duration, flag, instant, timeZone } from './values.ts';
import { volumeRules } from './volumes.ts';

type Rules = Readonly<Record<string, Rule>>;

const actions = 'Expiration Consolidation EmptyConsolidation NonEmptyConsolidation Drift Rebalance Repair'.split(' ');

const window: Rules = {
  metadata: metadata('window'),
  spec: fields({
    schedules: fields({ cron, duration, timeZone }),
    actions: each(oneOf(...actions)),
    selector,
    mode: oneOf('Block', 'Allow'),
    notBefore: instant,
    notAfter: instant,
    nodes: count,
    note: masked,
  }),
};

const podSchedule: Rules = {
  metadata: metadata('schedule'),
  spec: fields({
    selector,
    namespaceSelector: selector,
    schedule: cron,
    duration,
    timeZone,
    mode: oneOf('Allow', 'Block'),
  }),
};

const event: Rules = {
  metadata: metadataInNamespace('event'),
  involvedObject: fields({ kind: oneOf('Node'), name: name('node') }),
  reason: oneOf('DisruptionBlocked', 'Unconsolidatable', 'ConsolidationRejected'),
  message: masked,
  lastTimestamp: instant,
  eventTime: instant,
  firstTimestamp: instant,
  series: fields({ lastObservedTime: instant }),
};

const isThere: Rule = () => ({});
const areThere = (names: readonly string[]): Rules => Object.fromEntries(names.map((field) => [field, isThere]));
const below = (steps: readonly string[], rule: Rule): Rule =>
  steps.reduceRight<Rule>((inside, step) => fields({ [step]: inside }), rule);

/** Whether it was added to is all that is read of the definition of NodePools (N9). */
const definition: Rules = {
  metadata: metadataWith(oneOf(poolDefinitionName)),
  spec: fields({
    versions: fields({
      name: keepText((text) => /^v\d{1,3}((alpha|beta)\d{1,3})?$/.test(text)),
      served: flag,
      schema: below(
        ['openAPIV3Schema', 'properties', 'spec', 'properties', 'disruption', 'properties'],
        fields({
          budgets: below(['items', 'properties'], fields(areThere(budgetFields))),
          ...areThere(disruptionFields),
        }),
      ),
    }),
  }),
};

const rules: Readonly<Record<string, Rules>> = {
  ...poolRules,
  ...podRules,
  ...volumeRules,
  PodDisruptionSchedule: podSchedule,
  MaintenanceWindow: window,
  Event: event,
  DisruptionLedger: { metadata: metadataWith(nameUnless('text', new Set(['lull']))), spec: ledgerSpec },
  CustomResourceDefinition: definition,
};

const kinds: ReadonlyMap<unknown, Rule> = new Map(
  Object.entries(rules).map(([kind, parts]) => [
    kind,
    // Of objects that are read the group is the right one.
    fields({ apiVersion: apiVersion((group) => group), kind: oneOf(kind), ...parts }),
  ]),
);

export interface Anonymised {
  readonly objects: readonly Json[];
  readonly masks: Masks;
}

/** Objects that Lull does not read are left out. */
export function anonymise(objects: readonly Json[]): Anonymised {
  const masks = new Masks();
  const read = objects.filter((object) => kinds.has(object.kind) && readObject(object).kind !== 'ignored');
  const mask = (object: Json): Json =>
    kinds.get(object.kind)?.(object.kind === 'Pod' ? withNamedClaims(object) : object, masks) as Json;
  for (const object of read) mask(object);
  masks.settle();
  return { objects: read.map(mask), masks };
}
