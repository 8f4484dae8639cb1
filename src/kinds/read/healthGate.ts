// HealthGates: fields and reader (O1–O3). An invalid one holds what it selects, or every node if that cannot be read.
import { defined } from '../../cluster/defined.ts';
import type { HealthGate } from '../../cluster/healthGateRecord.ts';
import type { Reason } from '../../cluster/reason.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, type Duration, hour, minute, second } from '../../time/instant.ts';
import {
  age,
  choice,
  column,
  conditions,
  type Definition,
  elapsed,
  instant,
  record,
  type Schema,
  text,
  whole,
  withDefault,
  withRules,
} from '../schema/schema.ts';
import { coverFields, everyAction, noteField, readActions, readNodes, readNote } from './coverage.ts';
import { readGateStatus } from './gateStatus.ts';
import { checkField, readCheck } from './healthCheck.ts';
import { objectFields, readMetadata } from './metadata.ts';
import { faultUnknownFields, faultUnknownInside } from './nearMiss.ts';
import type { Reader } from './reader.ts';

const healths = ['Healthy', 'Unhealthy', 'Unknown'] as const;
const onUnknown = ['Hold', 'Ignore'] as const;
const usual = { interval: asDuration(30 * second), failAfter: asDuration(0), recoverAfter: asDuration(5 * minute) };

/** Shorter ones would load what is asked; with longer ones a stale status would be believed for hours. */
const shortest = asDuration(5 * second);
const longest = hour;
const bounds = `at least ${formatDuration(shortest)} and at most ${formatDuration(longest)}`;

/** Messages are repeated for each node that the gate holds. */
const longestMessage = 1024;

const withUsual = (schema: Schema, value: Duration): Schema => withDefault(schema, formatDuration(value));

export const healthGate: Definition = {
  kind: 'HealthGate',
  plural: 'healthgates',
  group: 'lull.dev',
  version: 'v1alpha1',
  shortNames: ['hg'],
  categories: ['lull'],
  description: 'A HealthGate holds nodes while a check fails: a query, alerts, an HTTP endpoint, objects, or a switch.',
  columns: [
    column('State', 'string', '.status.state', 'The result of the last check.'),
    column('Since', 'date', '.status.since', 'How long the check has had this result.'),
    column('Holding', 'integer', '.status.holding', 'How many nodes the gate holds.'),
    column('Message', 'string', '.status.message', 'What the last check returned.'),
    age,
  ],
  spec: record(
    'What the gate checks, and which nodes it holds while the check fails.',
    {
      check: checkField,
      ...coverFields(
        'The actions the gate holds. If absent or empty, all except Repair.',
        'The nodes the gate holds. If absent or empty, every node.',
      ),
      note: noteField('Who set up the gate and why. Shown with each refusal.'),
      interval: withUsual(
        withRules(elapsed('How often the check runs. A result older than three intervals counts as Unknown.'), {
          rule: `duration(self) >= duration('${formatDuration(shortest)}') && duration(self) <= duration('${formatDuration(longest)}')`,
          message: `must be ${bounds}`,
        }),
        usual.interval,
      ),
      failAfter: withUsual(elapsed('How long the check must fail before the gate closes.'), usual.failAfter),
      recoverAfter: withUsual(
        elapsed('How long the check must succeed again before a closed gate opens.'),
        usual.recoverAfter,
      ),
      onUnknown: choice(
        'Whether nodes are held while the result is Unknown. A closed gate does not open by becoming Unknown.',
        onUnknown,
        { default: onUnknown[0] },
      ),
    },
    { required: ['check'] },
  ),
  status: record('The result of the last check, and what the gate holds. Only Lull writes it.', {
    state: choice('The result of the last check.', healths),
    since: instant('When the result last changed.'),
    message: text('What the last check returned.', { maxLength: longestMessage }),
    checkedAt: instant('When the check last ran, as far as it was recorded.'),
    closedSince: instant('Since when the gate has been closed, recovery included. Absent if it is open.'),
    selected: whole('How many nodes are selected.', { minimum: 0 }),
    holding: whole('How many nodes are held.', { minimum: 0 }),
    conditions,
  }),
};

export function readHealthGate(object: Reader): HealthGate {
  const { name } = readMetadata(object);
  const spec = object.map('spec');
  faultUnknownFields(object, objectFields, 'warning');
  faultUnknownInside(spec, healthGate.spec, 'warning');
  const rest = {
    name,
    reasons: readActions(spec) ?? voluntary,
    selector: readNodes(spec),
    note: readNote(spec),
    check: readCheck(spec),
    interval: readInterval(spec),
    failAfter: spec.duration('failAfter') ?? usual.failAfter,
    recoverAfter: spec.duration('recoverAfter') ?? usual.recoverAfter,
    onUnknown: spec.oneOf('onUnknown', onUnknown) ?? onUnknown[0],
  };
  return defined<HealthGate>({ ...rest, status: readGateStatus(object), fault: object.findings.error });
}

/** Repair is held only by a gate that names it: a node that is down serves no requests (O5). */
const voluntary: ReadonlySet<Reason> = everyAction.difference(new Set<Reason>(['Unhealthy']));

function readInterval(spec: Reader): Duration {
  const interval = spec.duration('interval') ?? usual.interval;
  if (interval >= shortest && interval <= longest) return interval;
  spec.wrong('interval', 'interval', `Use ${bounds}.`);
  return usual.interval;
}
