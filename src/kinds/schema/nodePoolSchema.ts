// The NodePool CRD for clusters without Karpenter: the fields Lull reads, and Lull's own (A3, A7, C1, J2, N7).

import { budgetReasons } from '../../cluster/reason.ts';
import { defaultSettings } from '../../cluster/settings.ts';
import { formatDuration } from '../../time/duration.ts';
import { addedDisruptionFields } from '../read/addedFields.ts';
import { budgets } from '../read/budget.ts';
import { defaultConsolidateAfter, defaultExpireAfter, policies } from '../read/nodePool.ts';
import { maxInt32 } from '../read/reader.ts';
import { allOperators } from '../read/selectors.ts';
import {
  age,
  choice,
  column,
  conditions,
  type Definition,
  elapsed,
  elapsedOrNever,
  type Fields,
  instant,
  karpenterDuration,
  labelName,
  labels,
  list,
  mapOf,
  operatorField,
  operatorRules,
  readyPath,
  record,
  type Schema,
  text,
  type ValidationRule,
  valuesField,
  whole,
  wide,
  withDefault,
  withRules,
} from './schema.ts';

const maxRequirements = 100;
const maxTaints = 100;

/** Labels that Karpenter sets itself. */
const reserved = (key: string): string =>
  `${key} == 'karpenter.sh/capacity-type' || (${key} != 'kubernetes.io/hostname' && !${key}.matches('^[^/]*karpenter[.]sh(/|$)'))`;
const reservedMessage =
  'kubernetes.io/hostname and karpenter.sh labels other than karpenter.sh/capacity-type are reserved for Karpenter';

const requirement: Schema = withRules(
  record(
    'One condition on a node label.',
    {
      key: withRules(labelName('The label.'), { rule: reserved('self'), message: reservedMessage }),
      operator: operatorField(allOperators),
      values: valuesField,
      minValues: whole('How many different values must remain available.', { minimum: 1, maximum: 50 }),
    },
    { required: ['key', 'operator'] },
  ),
  ...operatorRules,
  {
    rule: "self.operator != 'In' || !has(self.minValues) || (has(self.values) && size(self.values) >= self.minValues)",
    message: "'values' must have at least 'minValues' entries",
  },
);

const taints = (description: string): Schema =>
  list(
    description,
    record(
      'One taint.',
      {
        key: labelName('The key of the taint.'),
        value: text('The value of the taint.'),
        effect: choice('The effect on pods that do not tolerate the taint.', [
          'NoSchedule',
          'PreferNoSchedule',
          'NoExecute',
        ]),
        timeAdded: instant('When the taint was added.'),
      },
      { required: ['key', 'effect'] },
    ),
    { maxItems: maxTaints },
  );

const immutable = (field: string): ValidationRule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `'${field}' is immutable`,
});

const nodeClassRef: Schema = withRules(
  record(
    'The node class, which defines how nodes are created.',
    {
      group: text('The API group of the node class.', { minLength: 1, maxLength: 253, pattern: '^[^/]*$' }),
      kind: text('The kind of the node class.', { minLength: 1, maxLength: 63 }),
      name: text('The name of the node class.', { minLength: 1, maxLength: 253 }),
    },
    { required: ['group', 'kind', 'name'] },
  ),
  immutable('group'),
  immutable('kind'),
);

/** nodeClassRef and requirements are optional: the embedded cluster creates nodes of any shape. */
const nodeTemplate: Schema = record(
  'The template for nodes of the pool. A node that differs from it has drifted.',
  {
    metadata: record('Metadata of the nodes.', {
      labels: withRules(labels('Labels of the nodes.'), {
        rule: `self.all(key, ${reserved('key')})`,
        message: reservedMessage,
      }),
      annotations: mapOf('Annotations of the nodes.', text('The value of the annotation.')),
    }),
    spec: record(
      'The specification of the nodes.',
      {
        taints: taints('Taints of the nodes.'),
        startupTaints: taints('Taints that another controller removes once a node is set up.'),
        requirements: list('Conditions on the labels of the nodes.', requirement, { maxItems: maxRequirements }),
        nodeClassRef,
        expireAfter: withDefault(
          elapsedOrNever('The age at which a node expires, or Never.'),
          formatDuration(defaultExpireAfter),
        ),
        terminationGracePeriod: elapsed(
          'How long draining a node may take before it is removed with its remaining pods.',
          karpenterDuration,
        ),
        kubelet: {
          description: 'Kubelet settings, in the form the node class accepts.',
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
      { default: {} },
    ),
  },
  { default: {} },
);

/** More domains than a user rolls by. */
const maxDomains = 1000;
/** The status lists only the first; `lull why` shows all. */
const maxNames = 10;

const allowances: Schema = list(
  'How many nodes may be disrupted for each reason, as of the last round.',
  record(
    'The allowance for one reason.',
    {
      reason: choice('The disruption reason.', budgetReasons),
      limit: whole('How many nodes may be disrupted at a time; absent if there is no limit.', { minimum: 0 }),
      consumed: whole('How many nodes count against the limit: being disrupted, or not Ready.', { minimum: 0 }),
      left: whole('How many more nodes may be disrupted now; absent if there is no limit.', { minimum: 0 }),
      budget: whole('The index of the budget that sets the limit.', { minimum: 0 }),
      nextChange: instant('When a schedule next changes the limit.'),
    },
    { required: ['reason', 'consumed'] },
  ),
  { maxItems: budgetReasons.length, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['reason'] },
);

const domain: Schema = text('A domain; null for the nodes without the label.', { nullable: true });
const domains = (description: string): Schema => list(description, domain, { maxItems: maxDomains });
const names = (description: string, each: string): Schema => list(description, text(each), { maxItems: maxNames });

const turn: Schema = record(
  'The turn: which domain is being rolled, if domains are rolled one after another.',
  {
    topologyKey: text('The node label whose values are the domains.'),
    state: choice('The state of the roll.', ['Waiting', 'Rolling', 'Settling', 'SettleStuck', 'Rolled']),
    domain,
    since: instant('Since when the domain has the turn.'),
    inFlight: names('The first of its nodes that are being disrupted.', 'The name of a node.'),
    drifted: whole('How many of its drifted nodes are still to be replaced.', { minimum: 0 }),
    unwell: names('Why the domain is not healthy yet.', 'One reason, as a sentence.'),
    settlesAt: instant('When the domain will have been healthy for the settle time.'),
    waiting: domains('The domains that have not had the turn yet.'),
    done: domains('The domains without drifted nodes.'),
    leftBehind: list(
      'The domains whose turn passed with drifted nodes left.',
      record('One domain.', { domain, nodes: names('The first of its drifted nodes.', 'The name of a node.') }),
      { maxItems: maxDomains },
    ),
  },
  { required: ['topologyKey', 'state'] },
);

const slowClaims: Schema = list(
  'The first of its NodeClaims that are not ready in time. Lull starts nothing more in the pool until they are ready or gone.',
  record('One NodeClaim.', {
    claim: text('Its name.'),
    node: text('The name of its node, if one has registered.'),
    message: text("What is missing, according to Karpenter's conditions."),
  }),
  { maxItems: maxNames },
);

export const addedStatusFields: Fields = {
  lull: record('The state of the pool as Lull sees it. Only Lull writes it.', {
    role: choice('The role of Lull in this cluster.', ['observe', 'guide', 'drive']),
    allowances,
    fault: record('The error in the pool because of which only interrupted nodes of it are disrupted.', {
      path: text('The path of the invalid field.'),
      message: text('What is wrong and what to write instead.'),
    }),
    slowClaims,
    backoffUntil: instant('When the pool may try again after its replacements kept failing.'),
    turn,
  }),
};

/** With defaults that the API server stores, since this CRD is Lull's own (A3). */
const disruption: Schema = record(
  'When and how nodes are disrupted.',
  {
    budgets,
    consolidationPolicy: choice(
      'Which nodes are consolidated. WhenUnderutilized is the old name of WhenEmptyOrUnderutilized.',
      policies,
      { default: 'WhenEmptyOrUnderutilized' },
    ),
    consolidateAfter: withDefault(
      elapsedOrNever('How long after the last pod event on a node it may be consolidated, or Never.'),
      formatDuration(defaultConsolidateAfter),
    ),
    ...addedDisruptionFields,
    repairAfter: withDefault(addedDisruptionFields.repairAfter, formatDuration(defaultSettings.repairAfter)),
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
  record('The desired state of the pool.', {
    disruption,
    template: nodeTemplate,
    limits: amounts('The maximum of each resource for all nodes of the pool together.'),
    weight: whole('New nodes come from pools with a higher weight first.', { minimum: 1, maximum: 100 }),
    replicas: whole('The fixed number of nodes of a static pool.', {
      minimum: 0,
      maximum: maxInt32,
    }),
  }),
  {
    rule: 'has(self.replicas) == has(oldSelf.replicas)',
    message: "'replicas' cannot be added or removed: create another pool",
  },
  {
    rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == ('nodes' in self.limits ? 1 : 0)",
    message: "a pool with 'replicas' may limit only 'nodes'",
  },
  { rule: '!has(self.replicas) || !has(self.weight)', message: "a pool with 'replicas' must not have 'weight'" },
);

export const nodePool: Definition = {
  kind: 'NodePool',
  plural: 'nodepools',
  group: 'karpenter.sh',
  version: 'v1',
  shortNames: [],
  categories: ['karpenter', 'lull'],
  description: 'A NodePool defines how nodes are created and how many of them may be disrupted at a time.',
  columns: [
    column('Nodes', 'integer', '.status.nodes', 'How many nodes the pool has.'),
    column('Ready', 'string', readyPath, 'Whether the pool can create nodes.'),
    column('Consolidation', 'string', '.spec.disruption.consolidationPolicy', 'Which nodes are consolidated.'),
    wide(column('Weight', 'integer', '.spec.weight', 'Pools with a higher weight come first.')),
    age,
  ],
  spec,
  status: record('The observed state of the pool. Only controllers write it.', {
    nodes: whole('How many nodes the pool has.', { minimum: 0 }),
    resources: amounts('The total of each resource of its nodes.'),
    conditions,
    ...addedStatusFields,
  }),
};
