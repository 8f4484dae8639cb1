// The DisruptionLedger, where Lull stores its state in the cluster (G2): its fields, and one schema for writing and reading.
// Past 300 lines: half of it describes the fields.
import {
  type Command,
  emptyLedger,
  type Ledger,
  maxCommands,
  maxLeaving,
  maxMinutesEach,
  steps,
} from '../../cluster/ledger.ts';
import { reasons } from '../../cluster/reason.ts';
import { formatDuration, parseDuration } from '../../time/duration.ts';
import { asDuration, asInstant, formatInstant, type Instant, parseInstant, second } from '../../time/instant.ts';
import {
  age,
  amount,
  choice,
  column,
  type Definition,
  elapsed,
  flag,
  instant,
  instantText,
  isElapsed,
  isInstant,
  list,
  mapOf,
  record,
  type Schema,
  text,
  whole,
  wide,
} from '../schema/schema.ts';
import { wrongForms } from '../schema/violations.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** One turn, one roll, one back-off and one template per pool; no cluster has more pools than this. */
const maxPools = 10_000;

/** One for each command that fits. */
const maxDeclined = maxCommands;

/** Lull watches about a dozen kinds. */
const maxKinds = 50;

/** Resources that pods request. */
const maxResources = 50;

const names = (description: string, each: string): Schema => list(description, text(each), { default: [] });

const command: Schema = record(
  'One or more nodes being disrupted together, with their replacements.',
  {
    id: text('Its ID, derived from its nodes, so that the same decision made twice is one command.'),
    reason: choice('Why the nodes are disrupted.', reasons),
    pool: text('The pool the nodes belong to.'),
    hands: choice('Whether Lull or Karpenter carries it out.', ['lull', 'karpenter']),
    nodes: list(
      'The nodes being disrupted.',
      record(
        'One node.',
        {
          name: text('The name of the node.'),
          claim: text('Its NodeClaim, if it has one.'),
          domain: text('The topology domain it was in, if a sequential budget applied.'),
        },
        { required: ['name'] },
      ),
    ),
    replacements: list(
      'The NodeClaims that replace them.',
      record(
        'One NodeClaim.',
        {
          name: text('The name of the NodeClaim, derived from the command.'),
          pool: text('The pool it belongs to.'),
          instanceType: text('The instance type the plan assumed.'),
          launch: record(
            'What the NodeClaim asks for, if consolidation planned it.',
            {
              instanceTypes: names('The instance types to choose from, cheapest first.', 'An instance type.'),
              capacityTypes: names('The capacity types to choose from.', 'A capacity type.'),
              zones: names('The zones to choose from.', 'A zone.'),
              requests: mapOf(
                'The total requests of the pods planned for it, in the smallest unit of each resource.',
                amount('The amount of one resource.'),
                {
                  maxProperties: maxResources,
                },
              ),
            },
            { required: ['requests'] },
          ),
          assumed: flag('Whether no known instance type fits, so that the plan assumed one that does.'),
          state: choice('Whether the NodeClaim was created, or failed and is to be deleted.', ['made', 'failed']),
        },
        { required: ['name', 'pool'] },
      ),
      { default: [] },
    ),
    promisedTo: names('The nodes its pods are planned to move to.', 'The name of a node.'),
    step: choice('Its current step.', steps),
    startedAt: instant('When it was chosen.'),
    stepAt: instant('When it entered its step.'),
    evictedAt: instant('When its first pod was evicted.'),
    drain: record(
      'The progress of its drain.',
      {
        left: whole('How many pods were still to be evicted.'),
        progressAt: instant('When that number last fell.'),
      },
      { required: ['left', 'progressAt'] },
    ),
    savings: amount('How much less the cluster costs per hour once it is done.'),
    podsMoved: whole('How many pods it moves.'),
    trial: flag('Whether Lull does not know all instance types and offers the node so that Karpenter decides.'),
    why: text('Why Lull released or withdrew it.'),
    parkedAt: instant('When Lull first saw the withdrawn node parked again.'),
  },
  { required: ['id', 'reason', 'pool', 'hands', 'nodes', 'step', 'startedAt', 'stepAt'] },
);

const expected = (description: string): Schema =>
  list(
    description,
    record(
      'The pods of one owner.',
      {
        owner: text('The workload, as namespace, kind and name.'),
        name: text('The name of the workload as messages show it.'),
        running: whole('How many of its pods were running before the first of them was evicted.'),
        pdb: text('The PodDisruptionBudget that covers them, as namespace and name.'),
      },
      { required: ['owner', 'name', 'running'] },
    ),
    { default: [] },
  );

const turn: Schema = record(
  'The turn of one pool: which domain is being rolled.',
  {
    pool: text('The pool that is being rolled.'),
    topologyKey: text('The node label whose values are the domains.'),
    domain: text('The domain that has the turn; absent for the nodes without the label.'),
    takenAt: instant('When the domain got the turn.'),
    progressAt: instant("When the disruption of one of the domain's nodes last started or finished."),
    inFlight: names('Nodes of the domain that were being disrupted when this was written.', 'The name of a node.'),
    unreadyAtStart: names('Nodes of the domain that were not Ready when it got the turn.', 'The name of a node.'),
    replacements: names(
      'NodeClaims that replace nodes of the domain, until they are Initialized.',
      'The name of a NodeClaim.',
    ),
    expected: expected('The pods that must be running again before the turn passes.'),
    wellSince: instant('Since when the domain has been healthy with nothing in flight; absent if it is not.'),
    gatedSince: instant('Since when a HealthGate has held nodes of the domain; absent if none does.'),
    passAsked: instant('When a user asked to pass the turn, whether the domain is healthy or not.'),
    passedOver: list(
      'Domains of this roll whose turn passed with drifted nodes left.',
      text('A domain; null for the nodes without the label.', { nullable: true }),
      { default: [] },
    ),
  },
  { required: ['pool', 'topologyKey', 'takenAt', 'progressAt'] },
);

const roll: Schema = record(
  'The roll of one pool whose budgets have waves or haltAfter: its drifted nodes are being replaced.',
  {
    pool: text('The pool that is being rolled.'),
    startedAt: instant('When its first node was drifted.'),
    print: text('A fingerprint of the template of the pool when the roll began.'),
    counted: whole('How many nodes the pool had then; percentages of waves refer to them.'),
    done: whole('How many nodes the roll has replaced.'),
    wave: whole('The current wave, from 0; the number of waves for the rest.'),
    waveAt: instant('When the current wave began.'),
    failures: whole('How many replacements in a row have not become ready.'),
    haltedAt: instant('Since when the roll is halted, because replacements in a row failed.'),
    resumedAt: instant('When a user last resumed it after a halt.'),
    inFlight: names('Drifted nodes that were being disrupted when this was written.', 'The name of a node.'),
    unreadyAtStart: names('Nodes of the pool that were not Ready when the roll began.', 'The name of a node.'),
    replacements: names(
      'NodeClaims that replace nodes of the wave, until they are Initialized.',
      'The name of a NodeClaim.',
    ),
    expected: expected('The pods that must be running again before the next wave begins.'),
    wellSince: instant('Since when the wave has been replaced and healthy; absent if it is not.'),
    passAsked: instant('When a user asked to begin the next wave, whether this one is healthy or not.'),
  },
  { required: ['pool', 'startedAt', 'counted', 'done', 'wave', 'waveAt'] },
);

const backoff: Schema = record(
  'A pool that is held because its replacements keep failing.',
  {
    pool: text('The pool that is held.'),
    until: instant('When it may try again.'),
    delay: elapsed('The current delay; it grows with each failure.'),
  },
  { required: ['pool', 'until', 'delay'] },
);

const declined: Schema = record(
  'A node that Lull offered and Karpenter did not take: other nodes come first.',
  { node: text('The name of the node.'), at: instant('When Lull withdrew the offer.') },
  { required: ['node', 'at'] },
);

const poolTemplate: Schema = record(
  'What a pool whose drifted nodes wait asks for, where Lull itself finds drift.',
  {
    pool: text('The name of the pool.'),
    print: text('A fingerprint of its template and of the instance types that may be launched.'),
    since: instant('When Lull first saw it.'),
  },
  { required: ['pool', 'print', 'since'] },
);

const startRecord: Schema = record(
  'The nodes of a pool, or under a maintenance window, that began to be disrupted, where a rate limit counts them.',
  {
    kind: choice('Whether a pool or a maintenance window counts them.', ['NodePool', 'MaintenanceWindow']),
    name: text('The name of the pool or window.'),
    minutes: list(
      'How many nodes began, oldest first.',
      record(
        'One minute.',
        { at: instantText('The start of the minute.'), nodes: whole('How many nodes began in it.') },
        { required: ['at', 'nodes'] },
      ),
      { maxItems: maxMinutesEach, default: [] },
    ),
    leaving: list(
      'Nodes that are counted and still in flight.',
      text('The name of the NodeClaim, or of the node if it has none.'),
      { maxItems: maxLeaving, default: [] },
    ),
  },
  { required: ['kind', 'name'] },
);

export const disruptionLedger: Definition = {
  kind: 'DisruptionLedger',
  plural: 'disruptionledgers',
  group: 'lull.dev',
  version: 'v1alpha1',
  shortNames: ['ledger'],
  categories: ['lull'],
  description: 'The DisruptionLedger holds everything Lull must remember. Only Lull writes it; do not edit it.',
  columns: [
    column('Turns', 'string', '.spec.turns[*].domain', 'The domains that have the turn.'),
    wide(column('Commands', 'string', '.spec.commands[*].id', 'The commands in progress.')),
    age,
  ],
  spec: record(
    'Commands with their steps, turns and back-offs of pools.',
    {
      // This schema would drop the fields of a newer version, so the API server must reject one.
      version: whole('The version of the ledger format.', { enum: [emptyLedger.version] }),
      commands: list('The commands in progress.', command, { maxItems: maxCommands, default: [] }),
      turns: list('The turns of pools that are rolled sequentially.', turn, { maxItems: maxPools, default: [] }),
      backoffs: list('The pools that are held because their replacements keep failing.', backoff, {
        maxItems: maxPools,
        default: [],
      }),
      declined: list('Nodes that Lull offered and Karpenter did not take.', declined, { maxItems: maxDeclined }),
      templates: list('Since when pools ask for what they ask for now.', poolTemplate, { maxItems: maxPools }),
      starts: list('What began to be disrupted, where a rate limit counts it.', startRecord, { maxItems: maxPools }),
      rolls: list('The rolls of pools whose budgets have waves or haltAfter.', roll, { maxItems: maxPools }),
      seen: mapOf('The last resourceVersion the writer had seen of each kind.', text('A resourceVersion.'), {
        maxProperties: maxKinds,
      }),
    },
    { required: ['version'] },
  ),
  rules: [{ rule: "self.metadata.name == 'lull'", message: 'a cluster has one ledger, and it must be named lull' }],
};

/** Each cluster has one. */
const ledgerName = 'lull';

export function writeLedger(ledger: Ledger) {
  return {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'DisruptionLedger',
    metadata: { name: ledgerName },
    spec: ledgerSpec(ledger),
  };
}

/** Often the ledger is written unchanged, only to detect that another process has written it meanwhile. */
const specs = new WeakMap<Ledger, Json>();

/** The part Lull writes of an existing ledger; the rest belongs to the server or to others (K4). */
export function ledgerSpec(ledger: Ledger): Json {
  const known = specs.get(ledger);
  if (known) return known;
  const spec = encode(disruptionLedger.spec, { ...ledger, commands: [] });
  const fresh = { ...spec, commands: ledger.commands.map(writeCommand) };
  specs.set(ledger, fresh);
  return fresh;
}

/** A round changes a few of up to a thousand commands; the others are encoded already. */
const written = new WeakMap<Command, Json>();

function writeCommand(given: Command): Json {
  const known = written.get(given);
  if (known) return known;
  const fresh = encode(command, { ...given });
  written.set(given, fresh);
  return fresh;
}

/** Encodes as JSON. Fields of a newer Lull are kept (K4), so that a rollback in the middle of a roll does not erase them. */
function encode(schema: Schema, given: Json): Json {
  return eachField(schema, given, (field, value) => encodeValue(field, value));
}

function encodeValue(schema: Schema, value: unknown): unknown {
  if (typeof value === 'number' && isInstant(schema)) return writeInstant(asInstant(value));
  if (typeof value === 'number' && isElapsed(schema)) return formatDuration(asDuration(value));
  const { items } = schema;
  if (Array.isArray(value) && items) return value.map((item: unknown) => encodeValue(items, item));
  return isMap(value) ? encode(schema, value) : value;
}

/** Converts the known fields in the order of the schema, then appends the others unchanged. */
function eachField(
  { properties = {} }: Schema,
  given: Json,
  convert: (field: Schema, value: unknown, key: string) => unknown,
): Json {
  const fields: [string, unknown][] = [];
  for (const key in properties) fields.push([key, convert(properties[key] ?? {}, given[key], key)]);
  for (const key of Object.keys(given)) if (!Object.hasOwn(properties, key)) fields.push([key, given[key]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The range RFC 3339 can represent; an instant with an offset may lie up to a day outside it. */
const firstInstant = parseInstant('0000-01-01T00:00:00Z') ?? 0;
const lastInstant = parseInstant('9999-12-31T23:59:59Z') ?? Infinity;

/** With milliseconds, so that reading returns exactly what was written. */
function writeInstant(given: Instant): string {
  const at = asInstant(Math.max(firstInstant, Math.min(given, lastInstant)));
  const rest = at - Math.floor(at / second) * second;
  return rest === 0 ? formatInstant(at) : formatInstant(at).replace('Z', `.${String(rest).padStart(3, '0')}Z`);
}

/** A ledger with an error reads as empty, never in part; the caller sees the fault and does not act. */
export function readDisruptionLedger(object: Reader): Ledger {
  const { findings } = object;
  object.map('metadata').text('name');
  const spec = object.raw('spec') ?? {};
  const version = isMap(spec) ? spec.version : undefined;
  if (typeof version === 'number' && version > emptyLedger.version) {
    const message = `Ledger version ${version} is newer than this Lull supports (${emptyLedger.version}). Run the newer Lull, or delete the ledger.`;
    findings.add('spec.version', version, message);
    return emptyLedger;
  }
  for (const { path, value, must } of wrongForms(disruptionLedger.spec, spec, 'spec'))
    findings.add(path, value, `This field ${must}. ${leaveIt}`);
  if (findings.error || !isMap(spec)) return emptyLedger;
  const ledger = decode(disruptionLedger.spec, spec, object.at('spec'));
  return findings.error ? emptyLedger : (ledger as unknown as Ledger);
}

const leaveIt = 'Do not edit the ledger. Delete it, and Lull rebuilds it from the state of the cluster.';

/** Decodes a record that matches the schema. */
const decode = (schema: Schema, given: Json, reader: Reader): Json =>
  eachField(schema, given, (field, _, key) => decodeValue(field, reader, key));

function decodeValue(schema: Schema, reader: Reader, key: string | number): unknown {
  const value = reader.raw(key) ?? schema.default ?? (schema.nullable ? null : undefined);
  if (typeof value === 'string') {
    if (isInstant(schema)) return parseInstant(value) ?? reader.fault(key, `This is not an RFC 3339 time. ${leaveIt}`);
    if (isElapsed(schema)) return parseDuration(value) ?? reader.fault(key, `This is not a Go duration. ${leaveIt}`);
    if (value.length > longest)
      reader.fault(key, `This string has ${value.length} characters; Lull writes at most ${longest}. ${leaveIt}`);
    return value;
  }
  const { items } = schema;
  if (Array.isArray(value) && items) {
    const inside = reader.at(key);
    return value.map((_, index) => decodeValue(items, inside, index));
  }
  return isMap(value) ? decode(schema, value, reader.at(key)) : value;
}

/** Names and labels are far shorter, and messages repeat them for each node. */
const longest = 1000;
