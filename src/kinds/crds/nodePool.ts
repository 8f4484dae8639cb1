// Which fields has the NodePool of the embedded cluster? Karpenter's, as far as Lull reads them, with its own beside them (A3, A7, C1, N7).
import { defaultSettings } from '../../cluster/settings.ts';
import { formatDuration } from '../../time/duration.ts';
import { defaultConsolidateAfter } from '../nodePool.ts';
import { budgets } from './budget.ts';
import { age, type Definition } from './definition.ts';
import { nodeTemplate } from './nodeTemplate.ts';
import { addedStatusFields } from './poolStatus.ts';
import { choice, type Fields, mapOf, record, type Schema, whole, withDefault, withRules } from './schema.ts';
import { conditions } from './status.ts';
import { elapsedOrNever } from './texts.ts';

const maxInt32 = 2 ** 31 - 1;

const repairAfter = elapsedOrNever('How long a node is left not Ready before it is replaced, or Never.');

/** A7, N7: what Karpenter does not know. There they have no defaults: its own stand. */
export const addedDisruptionFields: Fields = {
  repairAfter,
  expireAfter: elapsedOrNever(
    'At which age a node goes gracefully, ahead of the expireAfter of the template, or Never.',
  ),
};

/** A3: persisted, since this CRD is Lull's. */
const disruption: Schema = record(
  'When and how nodes are taken away.',
  {
    budgets,
    consolidationPolicy: choice(
      'Which nodes are consolidated; WhenUnderutilized is the older name of WhenEmptyOrUnderutilized.',
      ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced', 'WhenUnderutilized'],
      { default: 'WhenEmptyOrUnderutilized' },
    ),
    consolidateAfter: withDefault(
      elapsedOrNever('How long a node must have been unchanged before it is consolidated, or Never.'),
      formatDuration(defaultConsolidateAfter),
    ),
    ...addedDisruptionFields,
    repairAfter: withDefault(repairAfter, formatDuration(defaultSettings.repairAfter)),
  },
  { default: {} },
);

const amounts = (description: string): Schema =>
  mapOf(description, {
    description: 'A quantity such as 500m, 4 or 16Gi.',
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$',
    'x-kubernetes-int-or-string': true,
  });

const spec: Schema = withRules(
  record('What the pool asks for.', {
    disruption,
    template: nodeTemplate,
    limits: amounts('How much of each resource the nodes of the pool may have together.'),
    weight: whole('Pools of greater weight are asked first for new nodes.', { minimum: 1, maximum: 100 }),
    replicas: whole('How many nodes the pool always has, which makes it a static one.', {
      minimum: 0,
      maximum: maxInt32,
    }),
  }),
  {
    rule: 'has(self.replicas) == has(oldSelf.replicas)',
    message: "'replicas' can be neither added nor removed: make another pool",
  },
  {
    rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == ('nodes' in self.limits ? 1 : 0)",
    message: "a pool with 'replicas' has no limits but 'nodes'",
  },
  { rule: '!has(self.replicas) || !has(self.weight)', message: "a pool with 'replicas' has no 'weight'" },
);

export const nodePool: Definition = {
  kind: 'NodePool',
  plural: 'nodepools',
  group: 'karpenter.sh',
  version: 'v1',
  shortNames: [],
  categories: ['karpenter', 'lull'],
  description: 'A NodePool says what nodes are made like and how many of them may go at once.',
  columns: [
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes', description: 'How many nodes it has.' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it can make nodes.',
    },
    {
      name: 'Consolidation',
      type: 'string',
      jsonPath: '.spec.disruption.consolidationPolicy',
      description: 'Which nodes are consolidated.',
    },
    { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', description: 'Its rank among pools.', priority: 1 },
    age,
  ],
  spec,
  status: record('How the pool is; written by controllers alone.', {
    nodes: whole('How many nodes it has.', { minimum: 0 }),
    resources: amounts('How much of each resource its nodes have together.'),
    conditions,
    ...addedStatusFields,
  }),
};
