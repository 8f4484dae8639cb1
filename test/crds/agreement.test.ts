// The schemas and the readers in src/kinds agree: what the API server admits is read without an error.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import { reasons } from '../../src/cluster/reason.ts';
import { disruptionLedger, writeLedger } from '../../src/kinds/read/disruptionLedger.ts';
import { maintenanceWindow } from '../../src/kinds/read/maintenanceWindow.ts';
import { podDisruptionSchedule } from '../../src/kinds/read/podDisruptionSchedule.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { embeddedKinds, ownKinds, schemaOf } from '../../src/kinds/schema/crds.ts';
import { nodePool } from '../../src/kinds/schema/nodePoolSchema.ts';
import type { Definition } from '../../src/kinds/schema/schema.ts';
import { asDuration, asInstant } from '../../src/time/instant.ts';
import { admit, type Plain } from './admit.ts';
import { arbitraryOf } from './arbitrary.ts';
import { fieldsOf } from './fieldsOf.ts';

/** What no schema can check: whether a date ever occurs, which time zones exist, how dates compare, and whether regular expressions and host names are valid. */
const onlyAtRunTime = [
  / never fires\. /,
  / never fires in the weeks /,
  /" is not a (valid )?date/,
  / is not a valid time zone: /,
  / is not a valid regular expression: /,
  /^This is not an http or https URL /,
  /: time zone \S+ is unknown: /,
];

const errorsOf = (object: Plain): { path: string; message: string }[] => {
  const read = readObject(object);
  if (read.kind === 'ignored') throw new Error(`${object.kind} is not read`);
  return read.faults.filter(({ severity }) => severity === 'error');
};

const objectOf = ({ kind, group, version }: Definition, spec: unknown): Plain => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name: kind === 'DisruptionLedger' ? 'lull' : 'x' },
  spec,
});

describe.each([...ownKinds, ...embeddedKinds])('Every $kind that is admitted', (definition) => {
  const schema = schemaOf(definition);

  it('is read without an error, except for what only the run time knows', () => {
    const runs = 500;
    let admitted = 0;
    fc.assert(
      fc.property(arbitraryOf(definition.spec), (spec) => {
        const { object, errors } = admit(schema, objectOf(definition, spec));
        if (errors.length > 0) return;
        admitted++;
        const unexpected = errorsOf(object).filter(
          ({ message }) => !onlyAtRunTime.some((known) => known.test(message)),
        );
        expect(unexpected).toEqual([]);
      }),
      { numRuns: runs, seed: 2026 },
    );
    // Otherwise the test would show nothing.
    expect(admitted).toBeGreaterThan(runs / 3);
  });
});

describe('The names that the schemas and the readers know', () => {
  const fieldNames = (definition: Definition, path: string): string[] =>
    fieldsOf(definition.spec).flatMap((field) => {
      const [, name] = field.path.startsWith(path) ? (/^(\w+)$/.exec(field.path.slice(path.length)) ?? []) : [];
      return name === undefined ? [] : [name];
    });

  const cases: [string, Definition, string, (fields: Plain) => unknown][] = [
    ['a window', maintenanceWindow, '', (fields) => fields],
    ['a schedule of a window', maintenanceWindow, 'schedules[].', (fields) => ({ schedules: [fields] })],
    ['a pod schedule', podDisruptionSchedule, '', (fields) => fields],
    ['the disruption of a pool', nodePool, 'disruption.', (disruption) => ({ disruption })],
    ['a budget', nodePool, 'disruption.budgets[].', (fields) => ({ disruption: { budgets: [fields] } })],
  ];

  it.each(cases)('are the same: the fields of %s', (_, definition, path, specOf) => {
    const names = fieldNames(definition, path);
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      // Only a reader that knows the right name can suggest it.
      const read = readObject(objectOf(definition, specOf({ [`${name}x`]: 'a' })));
      expect(JSON.stringify(read), name).toContain(`Did you mean ${name}?`);
    }
  });

  const words: [string, Definition, string, (word: string) => unknown][] = [
    ['actions', maintenanceWindow, 'actions[]', (word) => ({ actions: [word] })],
    ['modes of windows', maintenanceWindow, 'mode', (mode) => ({ mode })],
    [
      'operators of windows',
      maintenanceWindow,
      'selector.matchExpressions[].operator',
      (operator) => ({ selector: { matchExpressions: [{ key: 'a', operator }] } }),
    ],
    ['modes of pod schedules', podDisruptionSchedule, 'mode', (mode) => ({ selector: {}, schedule: '@daily', mode })],
    [
      'reasons',
      nodePool,
      'disruption.budgets[].reasons[]',
      (word) => ({ disruption: { budgets: [{ reasons: [word] }] } }),
    ],
    ['policies', nodePool, 'disruption.consolidationPolicy', (word) => ({ disruption: { consolidationPolicy: word } })],
  ];

  it.each(words)('are the same: the %s', (_, definition, path, specOf) => {
    const known = fieldsOf(definition.spec).find((field) => field.path === path)?.schema.enum as string[];
    const [error] = errorsOf(objectOf(definition, specOf('Wrong')));
    const named = /use (.*)\.$/i.exec(error?.message ?? '')?.[1]?.split(/, | or /);
    expect(named).toEqual(known);
  });
});

describe('G2: the ledger as Lull writes it', () => {
  const names = fc.array(fc.string(), { maxLength: 2 });
  const instant = fc.integer({ min: 0, max: 4e12 }).map(asInstant);
  const node = fc.record({ name: fc.string(), claim: fc.string(), domain: fc.string() }, { requiredKeys: ['name'] });
  const launch = fc.record({
    instanceTypes: names,
    capacityTypes: names,
    zones: names,
    requests: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.nat()),
  });
  const replacement = fc.record(
    { name: fc.string(), pool: fc.string(), instanceType: fc.string(), launch, assumed: fc.boolean() },
    { requiredKeys: ['name', 'pool'] },
  );
  const ledgers = fc.record({
    version: fc.constant(emptyLedger.version),
    commands: fc.array(
      fc.record({
        id: fc.string(),
        reason: fc.constantFrom(...reasons),
        pool: fc.string(),
        hands: fc.constantFrom('lull' as const, 'karpenter' as const),
        nodes: fc.array(node, { maxLength: 2 }),
        replacements: fc.array(replacement, { maxLength: 2 }),
        promisedTo: names,
        step: fc.constantFrom(
          'chosen' as const,
          'tainted' as const,
          'replacing' as const,
          'draining' as const,
          'terminating' as const,
          'offered' as const,
          'taken' as const,
          'withdrawn' as const,
        ),
        startedAt: instant,
        stepAt: instant,
        savings: fc.double({ min: -1, max: 100, noNaN: true }),
        podsMoved: fc.nat(),
      }),
      { maxLength: 2 },
    ),
    rolls: fc.array(
      fc.record(
        {
          pool: fc.string(),
          startedAt: instant,
          counted: fc.nat(),
          done: fc.nat(),
          wave: fc.nat(),
          waveAt: instant,
          failures: fc.nat(),
          haltedAt: instant,
          resumedAt: instant,
          inFlight: names,
          unreadyAtStart: names,
          replacements: names,
          expected: fc.constant([]),
          wellSince: instant,
          passAsked: instant,
        },
        {
          requiredKeys: [
            'pool',
            'startedAt',
            'counted',
            'done',
            'wave',
            'waveAt',
            'inFlight',
            'unreadyAtStart',
            'replacements',
            'expected',
          ],
        },
      ),
      { maxLength: 2 },
    ),
    turns: fc.array(
      fc.record(
        {
          pool: fc.string(),
          topologyKey: fc.string(),
          domain: fc.string(),
          takenAt: instant,
          progressAt: instant,
          inFlight: names,
          unreadyAtStart: names,
          replacements: names,
          expected: fc.array(fc.record({ owner: fc.string(), name: fc.string(), running: fc.nat() }), { maxLength: 2 }),
          wellSince: instant,
          passedOver: fc.array(fc.option(fc.string()), { maxLength: 2 }),
        },
        {
          requiredKeys: [
            'pool',
            'topologyKey',
            'takenAt',
            'progressAt',
            'inFlight',
            'unreadyAtStart',
            'replacements',
            'expected',
            'passedOver',
          ],
        },
      ),
      { maxLength: 2 },
    ),
    backoffs: fc.array(
      fc.record({ pool: fc.string(), until: instant, delay: fc.integer({ min: 0, max: 600_000 }).map(asDuration) }),
      { maxLength: 2 },
    ),
  });

  it('is admitted, and no field is pruned or added', () => {
    fc.assert(
      fc.property(ledgers, (ledger) => {
        const written = JSON.parse(JSON.stringify(writeLedger(ledger as unknown as Ledger)));
        const { object, errors } = admit(schemaOf(disruptionLedger), written);
        expect(errors).toEqual([]);
        expect(object).toEqual(written);
      }),
      { numRuns: 500, seed: 2026 },
    );
  });

  it('cannot have a newer version, whose fields the schema would prune', () => {
    const newer = { ...writeLedger(emptyLedger), spec: { version: 2 } };
    expect(admit(schemaOf(disruptionLedger), newer).errors).toEqual(['.spec.version: must be one of 1']);
  });
});
