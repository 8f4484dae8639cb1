// Which fields has a MaintenanceWindow (D)?
import { nodeOperators } from '../requirement.ts';
import { age, type Definition, ready } from './definition.ts';
import { choice, list, record, type Schema, text, withRules } from './schema.ts';
import { selector } from './selector.ts';
import { windowStatus } from './status.ts';
import { choices, cron, instant, nodeCount, openFor, timeZone } from './texts.ts';

/** D1. */
const actions = [
  'Expiration',
  'Consolidation',
  'EmptyConsolidation',
  'NonEmptyConsolidation',
  'Drift',
  'Rebalance',
  'Repair',
];
const maxSchedules = 50;
/** Shown with every refusal: a few sentences. */
const maxNote = 1024;

const schedule: Schema = record(
  'One time at which it opens.',
  {
    cron: cron('When it opens: minute, hour, day of month, month and day of week, or one such as @daily.'),
    duration: openFor('How long it stays open from each hit on, such as 8h or 1h30m.'),
    timeZone,
  },
  { required: ['cron', 'duration'] },
);

const spec: Schema = withRules(
  record('Which nodes are held back, for what and when.', {
    schedules: list('When it is open; always where it is absent or empty.', schedule, { maxItems: maxSchedules }),
    actions: choices('What it holds back; everything where it is absent or empty.', 'What is held back.', actions),
    selector: selector('The nodes it is for; every node where it is absent or empty.', nodeOperators),
    mode: choice(
      'Whether its actions are held back while it is open (Block) or while it is not (Allow).',
      ['Block', 'Allow'],
      {
        default: 'Block',
      },
    ),
    notBefore: instant('From when on it has any effect.'),
    notAfter: instant('From when on it has no effect any more.'),
    note: text('Who wants it and why, shown with everything it holds back.', { maxLength: maxNote }),
    nodes: nodeCount(
      'How many of its nodes may be going at once where it would hold them back: a number, or a percentage rounded up.',
      '0',
    ),
  }),
  {
    rule: '!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter',
    message: "'notAfter' must be later than 'notBefore'",
  },
);

export const maintenanceWindow: Definition = {
  kind: 'MaintenanceWindow',
  plural: 'maintenancewindows',
  group: 'karpenter.sh',
  version: 'v1alpha1',
  shortNames: ['mw'],
  categories: ['karpenter', 'lull'],
  description: 'A MaintenanceWindow says when nodes may not be taken away, or when alone they may.',
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'Whether it blocks or allows while open.' },
    { name: 'Open', type: 'boolean', jsonPath: '.status.open', description: 'Whether it is open now.' },
    {
      name: 'Next change',
      type: 'string',
      jsonPath: '.status.nextChange',
      description: 'When it next opens or closes.',
    },
    { name: 'Selected', type: 'integer', jsonPath: '.status.selected', description: 'How many nodes it selects.' },
    { name: 'Holding', type: 'integer', jsonPath: '.status.holding', description: 'How many nodes it holds back.' },
    ready,
    { name: 'Note', type: 'string', jsonPath: '.spec.note', description: 'Who wants it and why.', priority: 1 },
    age,
  ],
  spec,
  status: windowStatus('nodes'),
};
