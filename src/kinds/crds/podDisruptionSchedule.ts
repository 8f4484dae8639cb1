// Which fields has a PodDisruptionSchedule (E7)?
import { labelOperators } from '../requirement.ts';
import { age, type Definition, ready } from './definition.ts';
import { choice, record, withDefault } from './schema.ts';
import { selector } from './selector.ts';
import { windowStatus } from './status.ts';
import { cron, openFor, timeZone } from './texts.ts';

export const podDisruptionSchedule: Definition = {
  kind: 'PodDisruptionSchedule',
  plural: 'poddisruptionschedules',
  group: 'karpenter.sh',
  version: 'v1alpha1',
  shortNames: ['pds'],
  categories: ['karpenter', 'lull'],
  description: 'A PodDisruptionSchedule says when the pods it selects may be moved, or when they may not.',
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'Whether it allows or blocks while open.' },
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule', description: 'When it opens.' },
    { name: 'Duration', type: 'string', jsonPath: '.spec.duration', description: 'How long it stays open.' },
    {
      name: 'Time zone',
      type: 'string',
      jsonPath: '.spec.timeZone',
      description: 'Where its schedule is read.',
      priority: 1,
    },
    { name: 'Open', type: 'boolean', jsonPath: '.status.open', description: 'Whether it is open now.' },
    {
      name: 'Next change',
      type: 'string',
      jsonPath: '.status.nextChange',
      description: 'When it next opens or closes.',
    },
    { name: 'Selected', type: 'integer', jsonPath: '.status.selected', description: 'How many pods it selects.' },
    { name: 'Holding', type: 'integer', jsonPath: '.status.holding', description: 'How many pods it holds back.' },
    ready,
    age,
  ],
  spec: record(
    'Which pods it is for and when.',
    {
      selector: selector('The pods it is for; every pod where it is empty.', labelOperators),
      namespaceSelector: selector('The namespaces of those pods; every namespace where it is absent.', labelOperators),
      schedule: cron('When it opens: minute, hour, day of month, month and day of week, or one such as @daily.'),
      duration: withDefault(openFor('How long it stays open from each hit on, such as 4h.'), '1h'),
      timeZone,
      mode: choice(
        'Whether the pods may be moved only while it is open (Allow) or only while it is not (Block).',
        ['Allow', 'Block'],
        {
          default: 'Allow',
        },
      ),
    },
    { required: ['selector', 'schedule'] },
  ),
  status: windowStatus('pods'),
};
