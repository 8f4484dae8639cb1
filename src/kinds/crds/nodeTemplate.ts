// Which fields has the template of a NodePool, as far as Lull reads it (I1)?
import { formatDuration } from '../../time/duration.ts';
import { defaultExpireAfter } from '../nodePool.ts';
import { allOperators } from '../requirement.ts';
import { choice, list, mapOf, type Rule, record, type Schema, text, whole, withDefault, withRules } from './schema.ts';
import { operatorField, operatorRules, valuesField } from './selector.ts';
import { elapsed, elapsedOrNever, instant, karpenterDuration, labelName, labels } from './texts.ts';

const maxRequirements = 100;
const maxTaints = 100;

/** Karpenter sets these itself. */
const reserved = (key: string): string =>
  `${key} == 'karpenter.sh/capacity-type' || (${key} != 'kubernetes.io/hostname' && !${key}.matches('^[^/]*karpenter[.]sh(/|$)'))`;
const reservedMessage = "kubernetes.io/hostname and the labels of karpenter.sh but capacity-type are Karpenter's own";

const requirement: Schema = withRules(
  record(
    'What is asked of one label of the nodes.',
    {
      key: withRules(labelName('The label.'), { rule: reserved('self'), message: reservedMessage }),
      operator: operatorField(allOperators),
      values: valuesField,
      minValues: whole('How many different values must remain to choose from.', { minimum: 1, maximum: 50 }),
    },
    { required: ['key', 'operator'] },
  ),
  ...operatorRules,
  {
    rule: "self.operator != 'In' || !has(self.minValues) || (has(self.values) && size(self.values) >= self.minValues)",
    message: "'minValues' needs at least that many values",
  },
);

const taints = (description: string): Schema =>
  list(
    description,
    record(
      'One taint.',
      {
        key: labelName('What it is about.'),
        value: text('A further word on it.'),
        effect: choice('What it does to pods that do not tolerate it.', [
          'NoSchedule',
          'PreferNoSchedule',
          'NoExecute',
        ]),
        timeAdded: instant('When it was added.'),
      },
      { required: ['key', 'effect'] },
    ),
    { maxItems: maxTaints },
  );

const unchanging = (field: string): Rule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `'${field}' cannot be changed`,
});

const nodeClassRef: Schema = withRules(
  record(
    'The node class, which says how nodes are made.',
    {
      group: text('The API group of the node class.', { minLength: 1, maxLength: 253, pattern: '^[^/]*$' }),
      kind: text('The kind of the node class.', { minLength: 1, maxLength: 63 }),
      name: text('The name of the node class.', { minLength: 1, maxLength: 253 }),
    },
    { required: ['group', 'kind', 'name'] },
  ),
  unchanging('group'),
  unchanging('kind'),
);

/** Without nodeClassRef and requirements too: the embedded cluster makes nodes of any shape. */
export const nodeTemplate: Schema = record(
  'What the nodes of the pool are made like; what differs from it has drifted.',
  {
    metadata: record('What the nodes carry.', {
      labels: withRules(labels('Labels of the nodes.'), {
        rule: `self.all(key, ${reserved('key')})`,
        message: reservedMessage,
      }),
      annotations: mapOf('Annotations of the nodes.', text('The text of the annotation.')),
    }),
    spec: record(
      'What the nodes are.',
      {
        taints: taints('Taints of the nodes.'),
        startupTaints: taints('Taints that something else takes off again once a node is set up.'),
        requirements: list('What is asked of the labels of the nodes.', requirement, { maxItems: maxRequirements }),
        nodeClassRef,
        expireAfter: withDefault(
          elapsedOrNever('How old a node may become, or Never.'),
          formatDuration(defaultExpireAfter),
        ),
        terminationGracePeriod: elapsed(
          'How long a node may take to be drained before it is removed with the pods that are left.',
          karpenterDuration,
        ),
        kubelet: {
          description: 'Settings of the kubelet, in whatever form the node class takes them.',
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
      { default: {} },
    ),
  },
  { default: {} },
);
