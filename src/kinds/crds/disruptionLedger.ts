// Which fields has the DisruptionLedger, Lull's memory (G2)? The form that src/kinds/disruptionLedger.ts writes and reads again.
import { emptyLedger, maxCommands, steps } from '../../cluster/ledger.ts';
import { reasons } from '../../cluster/reason.ts';
import { age, type Definition } from './definition.ts';
import { amount, choice, flag, list, mapOf, record, type Schema, text, whole } from './schema.ts';
import { elapsed, instant } from './texts.ts';

/** One turn and one back-off a pool: more pools than any cluster has. */
const maxPools = 10_000;

/** As many as are remembered. */
const maxDeclined = maxCommands;

/** Lull watches a dozen. */
const maxKinds = 50;

/** Those a pod asks for. */
const maxResources = 50;

const names = (description: string, each: string): Schema => list(description, text(each), { default: [] });

const command: Schema = record(
  'One or more claims that are being taken away together.',
  {
    id: text('Its name, derived from what it takes, so that the same decision made twice is one command.'),
    reason: choice('Why the nodes go.', reasons),
    pool: text('The pool the nodes belong to.'),
    hands: choice('Who carries it out.', ['lull', 'karpenter']),
    nodes: list(
      'The nodes that go.',
      record(
        'One node.',
        {
          name: text('The name of the node.'),
          claim: text('The claim behind it, where there is one.'),
          domain: text('The topology domain it was taken from, where a sequential budget held then.'),
        },
        { required: ['name'] },
      ),
    ),
    replacements: list(
      'The claims that replace them.',
      record(
        'One claim.',
        {
          name: text('The name of the claim, derived from the command.'),
          pool: text('The pool it is made for.'),
          instanceType: text('The instance type that was planned with.'),
          launch: record(
            'What it is asked for as, where consolidation planned it.',
            {
              instanceTypes: names('Any of these, the cheapest first.', 'An instance type.'),
              capacityTypes: names('Any of these.', 'A capacity type.'),
              zones: names('Any of these.', 'A zone.'),
              requests: mapOf(
                'What the pods that are to go there request, in its smallest unit.',
                amount('An amount.'),
                {
                  maxProperties: maxResources,
                },
              ),
            },
            { required: ['requests'] },
          ),
          assumed: flag('Whether no known shape fits, so that one that does is assumed.'),
          state: choice('Whether it has been seen, or is to go again.', ['made', 'failed']),
        },
        { required: ['name', 'pool'] },
      ),
      { default: [] },
    ),
    promisedTo: names('The nodes that its pods were promised to.', 'The name of a node.'),
    step: choice('How far it is.', steps),
    startedAt: instant('When it was chosen.'),
    stepAt: instant('When it entered its step.'),
    evictedAt: instant('When its first pod was evicted.'),
    drain: record(
      'How far its drain is.',
      {
        left: whole('How many pods were still to go.'),
        progressAt: instant('When that number last fell.'),
      },
      { required: ['left', 'progressAt'] },
    ),
    savings: amount('What the cluster costs less once it is over, an hour.'),
    podsMoved: whole('How many pods it moves.'),
    trial: flag('Whether it is offered so that Karpenter can judge it: Lull does not know all instance types.'),
    why: text('Why it was released or withdrawn.'),
    parkedAt: instant('Since when a withdrawn node has been seen parked again.'),
  },
  { required: ['id', 'reason', 'pool', 'hands', 'nodes', 'step', 'startedAt', 'stepAt'] },
);

const turn: Schema = record(
  'Whose domain it is, for one pool.',
  {
    pool: text('The pool that is being rolled.'),
    topologyKey: text('The node label whose values are the domains.'),
    domain: text('The domain; absent for the nodes without the label.'),
    takenAt: instant('When the turn was taken.'),
    progressAt: instant('When a node of the domain was last started or finished.'),
    inFlight: names('Nodes of the domain that were on their way out when this was written.', 'The name of a node.'),
    unreadyAtStart: names('Nodes of the domain that were not Ready when the turn was taken.', 'The name of a node.'),
    replacements: names('Claims that replace nodes of the domain, until they are Initialized.', 'The name of a claim.'),
    expected: list(
      'The pods that must run again before the turn passes.',
      record(
        'The pods of one owner.',
        {
          owner: text('The workload: namespace, kind and name.'),
          name: text('What people call the owner.'),
          running: whole('How many of its pods ran before the first of them was evicted.'),
          pdb: text('The PodDisruptionBudget over them, namespace and name.'),
        },
        { required: ['owner', 'name', 'running'] },
      ),
      { default: [] },
    ),
    wellSince: instant('Since when the domain has been well with nothing in flight; absent where it is not.'),
    passAsked: instant('When a person asked for the turn to be passed, well or not.'),
    passedOver: list(
      'Domains of this roll that were passed with drifted nodes left behind.',
      text('A domain; null for the nodes without the label.', { nullable: true }),
      { default: [] },
    ),
  },
  { required: ['pool', 'topologyKey', 'takenAt', 'progressAt'] },
);

const backoff: Schema = record(
  'A pool that waits because its replacements keep failing.',
  {
    pool: text('The pool that waits.'),
    until: instant('Until when it waits.'),
    delay: elapsed('How long it waits this time.'),
  },
  { required: ['pool', 'until', 'delay'] },
);

const declined: Schema = record(
  'A node that was offered and not taken: others come first.',
  { node: text('The name of the node.'), at: instant('When it was withdrawn.') },
  { required: ['node', 'at'] },
);

export const disruptionLedger: Definition = {
  kind: 'DisruptionLedger',
  plural: 'disruptionledgers',
  group: 'lull.dev',
  version: 'v1alpha1',
  shortNames: ['ledger'],
  categories: ['lull'],
  description: 'The DisruptionLedger is what Lull must remember; leave it to Lull.',
  columns: [
    { name: 'Turns', type: 'string', jsonPath: '.spec.turns[*].domain', description: 'The domains whose turn it is.' },
    {
      name: 'Commands',
      type: 'string',
      jsonPath: '.spec.commands[*].id',
      description: 'The commands under way.',
      priority: 1,
    },
    age,
  ],
  spec: record(
    'Commands with their steps, turns and back-offs.',
    {
      // A newer form has fields that this schema would cut off: it must not be stored under it.
      version: whole('The form of this record.', { enum: [emptyLedger.version] }),
      commands: list('What is under way.', command, { maxItems: maxCommands, default: [] }),
      turns: list('Whose domain it is.', turn, { maxItems: maxPools, default: [] }),
      backoffs: list('Who waits.', backoff, { maxItems: maxPools, default: [] }),
      declined: list('Nodes that Karpenter did not take when they were offered.', declined, { maxItems: maxDeclined }),
      seen: mapOf('How far the writer had seen each kind.', text('A resourceVersion.'), { maxProperties: maxKinds }),
    },
    { required: ['version'] },
  ),
  rules: [{ rule: "self.metadata.name == 'lull'", message: 'there is one ledger in a cluster, and its name is lull' }],
};
