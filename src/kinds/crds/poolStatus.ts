// What does Lull write onto a NodePool beside its conditions (J2)? The same field in the embedded CRD and, patched in, in Karpenter's (N9).
import { budgetReasons } from '../../cluster/reason.ts';
import { choice, type Fields, list, record, type Schema, text, whole } from './schema.ts';
import { instant } from './texts.ts';

/** More domains than any label has values that a person rolls by. */
const maxDomains = 1000;
/** The first of them; `lull why` tells all. */
const maxNames = 10;

const allowances: Schema = list(
  'How many nodes may go for each reason, as of the last round.',
  record(
    'What holds for one reason.',
    {
      reason: choice('Why nodes would go.', budgetReasons),
      limit: whole('How many may be going at once; absent where there is no limit.', { minimum: 0 }),
      consumed: whole('How many are going or not there already.', { minimum: 0 }),
      left: whole('How many more may go now; absent where there is no limit.', { minimum: 0 }),
      budget: whole('The place of the budget that decides, counted from 0.', { minimum: 0 }),
      nextChange: instant('When the limit next changes by time alone.'),
    },
    { required: ['reason', 'consumed'] },
  ),
  { maxItems: budgetReasons.length, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['reason'] },
);

const domain: Schema = text('A domain; null for the nodes without the label.', { nullable: true });
const domains = (description: string): Schema => list(description, domain, { maxItems: maxDomains });
const names = (description: string, each: string): Schema => list(description, text(each), { maxItems: maxNames });

const turn: Schema = record(
  'Whose domain it is, where domains go one after another.',
  {
    topologyKey: text('The node label whose values are the domains.'),
    state: choice('How far the roll is.', ['Waiting', 'Rolling', 'Settling', 'SettleStuck', 'Rolled']),
    domain,
    since: instant('Since when it has its turn.'),
    inFlight: names('The first of its nodes that are going.', 'The name of a node.'),
    drifted: whole('How many of its nodes are still to go.', { minimum: 0 }),
    unwell: names('Why it is not well after its turn.', 'A sentence.'),
    settlesAt: instant('When it will have been well for long enough.'),
    waiting: domains('The domains whose turn is still to come.'),
    done: domains('The domains in which nothing is to go.'),
    leftBehind: list(
      'The domains that were passed with drifted nodes in them.',
      record('One domain.', { domain, nodes: names('The first of its nodes.', 'The name of a node.') }),
      { maxItems: maxDomains },
    ),
  },
  { required: ['topologyKey', 'state'] },
);

const slowClaims: Schema = list(
  'The first of its NodeClaims that are not ready in time: nothing more is started here until they are, or are gone.',
  record('One NodeClaim.', {
    claim: text('Its name.'),
    node: text('The name of its node, where one has registered.'),
    message: text("What Karpenter's conditions say is missing."),
  }),
  { maxItems: maxNames },
);

export const addedStatusFields: Fields = {
  lull: record('What Lull says of the pool; written by Lull alone.', {
    role: choice('What Lull does in this cluster.', ['observe', 'guide', 'drive']),
    allowances,
    fault: record('What is wrong with the pool, so that none of its nodes is moved.', {
      path: text('Where it stands.'),
      message: text('What is wrong and what would be right.'),
    }),
    slowClaims,
    backoffUntil: instant('Until when it waits because its replacements kept failing.'),
    turn,
  }),
};
