// How is Lull's memory written into the cluster, and read again (G2)? One schema for both directions, so that nothing is lost between them.
import { z } from 'zod';
import { type Command, emptyLedger, type Ledger, steps } from '../cluster/ledger.ts';
import { reasons } from '../cluster/reason.ts';
import { formatDuration, parseDuration } from '../time/duration.ts';
import {
  asDuration,
  asInstant,
  type Duration,
  formatInstant,
  type Instant,
  parseInstant,
  second,
} from '../time/instant.ts';
import { joinPath } from './path.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** There is one in a cluster. */
const ledgerName = 'lull';

/** What RFC 3339 can write; an offset may lead a day beyond it. */
const [firstInstant, lastInstant] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map(
  (text) => parseInstant(text) as Instant,
) as [Instant, Instant];

/** To the millisecond: a ledger that is read again must be the one that was written. */
function writeInstant(instant: Instant): string {
  const at = asInstant(Math.max(firstInstant, Math.min(instant, lastInstant)));
  const rest = at - Math.floor(at / second) * second;
  return rest === 0 ? formatInstant(at) : formatInstant(at).replace('Z', `.${String(rest).padStart(3, '0')}Z`);
}

const instant = z.codec(
  z.string().refine((text) => parseInstant(text) !== undefined, 'Not an RFC 3339 instant'),
  z.custom<Instant>(),
  { decode: (text) => parseInstant(text) ?? z.NEVER, encode: writeInstant },
);

const duration = z.codec(
  z.string().refine((text) => parseDuration(text) !== undefined, 'Not a Go duration'),
  z.custom<Duration>(),
  { decode: (text) => parseDuration(text) ?? asDuration(0), encode: formatDuration },
);

const text = z.string();
const names = z.array(text).default([]);

/** Fields of a newer Lull are kept as they are (K4): one that is rolled back in the middle of a roll does not erase them. */
const kept = z.looseObject;

const launch = kept({
  instanceTypes: names,
  capacityTypes: names,
  zones: names,
  requests: z.record(text, z.number()),
});

const command = kept({
  id: text,
  reason: z.enum(reasons),
  pool: text,
  hands: z.enum(['lull', 'karpenter']),
  nodes: z.array(kept({ name: text, claim: text.exactOptional(), domain: text.exactOptional() })),
  replacements: z
    .array(
      kept({
        name: text,
        pool: text,
        instanceType: text.exactOptional(),
        launch: launch.exactOptional(),
        assumed: z.boolean().exactOptional(),
        state: z.enum(['made', 'failed']).exactOptional(),
      }),
    )
    .default([]),
  promisedTo: names,
  step: z.enum(steps),
  startedAt: instant,
  stepAt: instant,
  evictedAt: instant.exactOptional(),
  drain: kept({ left: z.int(), progressAt: instant }).exactOptional(),
  savings: z.number().exactOptional(),
  podsMoved: z.int().exactOptional(),
  trial: z.boolean().exactOptional(),
  why: text.exactOptional(),
  parkedAt: instant.exactOptional(),
});

const turn = kept({
  pool: text,
  topologyKey: text,
  domain: text.exactOptional(),
  takenAt: instant,
  progressAt: instant,
  inFlight: names,
  unreadyAtStart: names,
  replacements: names,
  expected: z.array(kept({ owner: text, name: text, running: z.int(), pdb: text.exactOptional() })).default([]),
  wellSince: instant.exactOptional(),
  passAsked: instant.exactOptional(),
  passedOver: z.array(text.nullable()).default([]),
});

const ledger = kept({
  version: z.literal(1),
  commands: z.array(command).default([]),
  turns: z.array(turn).default([]),
  backoffs: z.array(kept({ pool: text, until: instant, delay: duration })).default([]),
  declined: z.array(kept({ node: text, at: instant })).exactOptional(),
  seen: z.record(text, text).exactOptional(),
});

export function writeLedger(record: Ledger): Json {
  return {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'DisruptionLedger',
    metadata: { name: ledgerName },
    spec: {
      ...z.encode(ledger, { ...record, commands: [] } as unknown as z.output<typeof ledger>),
      commands: record.commands.map(writeCommand),
    },
  };
}

/** Of a thousand commands a round changes a few: the others are written already. */
const written = new WeakMap<Command, Json>();

function writeCommand(record: Command): Json {
  const known = written.get(record);
  if (known) return known;
  const fresh: Json = z.encode(command, record as z.output<typeof command>);
  written.set(record, fresh);
  return fresh;
}

/** A ledger with an error is not half believed: it reads as empty, and whoever asked for it stands aside. */
/** A ledger is often written as it was, to hear whether another has gone on meanwhile. */
const specs = new WeakMap<Ledger, Json>();

/** What is written of it once it is there: the rest is the server's, or others' (K4). */
export function ledgerSpec(record: Ledger): Json {
  const known = specs.get(record);
  if (known) return known;
  const spec = writeLedger(record).spec as Json;
  specs.set(record, spec);
  return spec;
}

export function readDisruptionLedger(object: Reader): Ledger {
  object.map('metadata').text('name');
  const spec = object.raw('spec') ?? {};
  const version = isMap(spec) ? spec.version : undefined;
  if (typeof version === 'number' && version > emptyLedger.version) {
    const message = `Version ${version} is newer than this Lull, which knows ${emptyLedger.version}. Run the newer Lull, or delete the ledger.`;
    object.findings.add('spec.version', version, message);
    return emptyLedger;
  }
  const parsed = ledger.safeDecode(spec as z.input<typeof ledger>);
  if (parsed.success) {
    const long = findLong(parsed.data);
    if (!long) return parsed.data;
    const message = `This text has ${long.text.length} characters, and Lull writes none of more than ${longest}. ${leaveIt}`;
    object.findings.add(long.path.reduce<string>(joinPath, 'spec'), long.text, message);
    return emptyLedger;
  }
  for (const { path, message } of parsed.error.issues) {
    const at = path.reduce<string>(
      (joined, key) => joinPath(joined, typeof key === 'number' ? key : String(key)),
      'spec',
    );
    const value = path.reduce<unknown>((inside, key) => (inside as Json | undefined)?.[key as string], spec);
    object.findings.add(at, value, `${message}. ${leaveIt}`);
  }
  return emptyLedger;
}

const leaveIt = 'Leave the ledger to Lull: once deleted, it is rebuilt from what the cluster shows.';

/** The fields that hold a text and are shown to people. */
const knownTexts: ReadonlySet<string> = new Set([
  ...['id', 'pool', 'name', 'claim', 'domain', 'instanceType', 'why'],
  ...['topologyKey', 'owner', 'pdb', 'node'],
]);

/** Names and labels are far shorter, and sentences repeat them for each node. */
const longest = 1000;

function findLong(value: unknown): { readonly path: readonly (string | number)[]; readonly text: string } | undefined {
  if (typeof value === 'string') return value.length > longest ? { path: [], text: value } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inside] of Object.entries(value)) {
    // Texts of a newer Lull are kept, and shown nowhere.
    if (typeof inside === 'string' && !Array.isArray(value) && !knownTexts.has(key)) continue;
    const long = findLong(inside);
    if (long) return { ...long, path: [Array.isArray(value) ? Number(key) : key, ...long.path] };
  }
  return undefined;
}
