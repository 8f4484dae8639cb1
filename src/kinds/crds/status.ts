// What does Lull write back onto an object? Conditions as every Kubernetes object has them, and what a window does right now (D8).
import { choice, flag, list, record, type Schema, text, whole } from './schema.ts';
import { instant } from './texts.ts';

/** Each controller that writes here has a handful. */
const maxConditions = 50;

export const conditions: Schema = list(
  'What is true of the object, each kind of condition once.',
  record(
    'One condition.',
    {
      type: text('Which condition this is.', { maxLength: 316 }),
      status: choice('Whether it holds.', ['True', 'False', 'Unknown']),
      reason: text('Why, in one word for programs.', { maxLength: 1024 }),
      message: text('Why, in a sentence for people.', { maxLength: 32_768 }),
      lastTransitionTime: instant('Since when it holds or does not.'),
      observedGeneration: whole('The generation of the object that was looked at.', { format: 'int64', minimum: 0 }),
    },
    { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
  ),
  { maxItems: maxConditions, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
);

export const windowStatus = (what: 'nodes' | 'pods'): Schema =>
  record('What it does right now; written by Lull alone.', {
    open: flag('Whether its schedule is open.'),
    nextChange: instant('When it next opens or closes; absent where it never does.'),
    selected: whole(`How many ${what} it selects.`, { minimum: 0 }),
    holding: whole(`How many ${what} it holds back.`, { minimum: 0 }),
    conditions,
  });
