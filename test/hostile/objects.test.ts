// A value of the wrong form in every field of every kind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObject } from '../../src/kinds/readObject.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { splitPath } from '../../src/kinds/text/path.ts';
import { hostileValues } from './hostileValues.ts';
import { type Json, type Path, pathsIn, valueAt, withAt } from './json.ts';
import { mangledOf } from './mangle.ts';
import { wrongInFaults } from './roundShape.ts';
import { cases, longEnough, runsOf, watchOver } from './runs.ts';
import { settingsSpecimen, specimens } from './specimens.ts';

type Form = 'nothing' | 'list' | 'map' | 'string' | 'number' | 'boolean';

function formOf(value: unknown): Form {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : (typeof value as Form);
}

/** Fields where another type is valid as well, or that are not read. */
const exceptions: readonly { readonly path: RegExp; readonly also: readonly Form[]; readonly why: string }[] = [
  {
    path: /(limits|requests|allocatable|overhead|resources|allocatedResources)\.\w+$/,
    also: ['number'],
    why: 'a quantity without a unit',
  },
  { path: /^catalogue\.0\.\w+$/, also: ['number'], why: 'a quantity without a unit' },
  { path: /(nodes|maxUnavailable|repairBreaker)$/, also: ['number'], why: 'C2: numbers were an older spelling' },
  { path: /reasons?$/, also: ['string', 'list'], why: 'C2: one reason, or several' },
  { path: /passedOver\.1$/, also: ['string'], why: 'null is the domain without a label' },
  { path: /^pools$/, also: ['string'], why: 'a selector in one line' },
  {
    path: /kubelet(Configuration)?\..+$/,
    also: ['list', 'map', 'string', 'number', 'boolean'],
    why: 'I1: only compared',
  },
  {
    path: /^Pod\.status\.conditions\.0\.(lastTransitionTime|reason|message)$/,
    also: ['list', 'map', 'string', 'number', 'boolean'],
    why: 'not read: there are 200,000 pods',
  },
  {
    path: /^Pod\.(spec\.(initC|c)ontainers|status\.(initC|c)ontainerStatuses)\.0\.name$/,
    also: ['list', 'map', 'string', 'number', 'boolean'],
    why: 'only compared: a container is the one that its status names',
  },
];

/** The places at which a value of the wrong type is silently accepted. */
function silent(
  name: string,
  sound: Json,
  faultsOf: (object: unknown) => readonly { readonly path: string }[],
): string[] {
  return pathsIn(sound).flatMap((path) => {
    const form = formOf(valueAt(sound, path));
    const also = exceptions.filter((it) => [path.join('.'), [name, ...path].join('.')].some((at) => it.path.test(at)));
    return hostileValues.flatMap(({ name: what, value }) => {
      const faults = faultsOf(withAt(sound, path, value));
      const given = formOf(value);
      if (given === 'nothing' || given === form || also.some((it) => it.also.includes(given))) return [];
      return faults.some((fault) => concerns(fault.path, path)) ? [] : [`${path.join('.')} = ${what}`];
    });
  });
}

/** The fault names that place, its parent or its content. */
function concerns(fault: string, path: Path): boolean {
  const steps = splitPath(fault);
  return steps.length > 0 && steps.every((step, index) => index >= path.length || step === String(path[index]));
}

describe('K1: a value of the wrong type, in every field of every kind', () => {
  it.each(specimens.map((sound) => ({ kind: String(sound.kind), name: (sound.metadata as Json).name, sound })))(
    '$kind $name: is reported',
    ({ kind, sound }) => {
      watchOver();
      const faultsOf = (object: unknown) => {
        const read = readObject(object);
        if (read.kind === 'ignored') return [{ path: 'kind' }, { path: 'apiVersion' }];
        expect(read.record).toBeDefined();
        expect(wrongInFaults(read.faults)).toEqual([]);
        return read.faults.filter(({ severity }) => severity !== 'info');
      };
      expect(faultsOf(sound)).toEqual([]);
      expect(silent(kind, sound, faultsOf)).toEqual([]);
    },
  );

  it('settings: is reported', () => {
    watchOver();
    const faultsOf = (settings: unknown) => readSettings(settings).faults;
    expect(faultsOf(settingsSpecimen)).toEqual([]);
    expect(silent('Settings', settingsSpecimen, faultsOf)).toEqual([]);
  });
});

describe('Hostile input', () => {
  it('is tried in at least 100,000 cases', () => {
    const fields = [...specimens, settingsSpecimen].reduce((sum, sound) => sum + pathsIn(sound).length, 0);
    const random = Object.values(cases).reduce((sum, count) => sum + count, 0);
    expect(random + fields * hostileValues.length).toBeGreaterThan(100_000);
  });
});

describe('K1: any value anywhere', () => {
  it('gives a record, and faults that say what to do', { timeout: longEnough }, () => {
    watchOver();
    fc.assert(
      fc.property(mangledOf(specimens), ({ object }) => {
        const read = readObject(object);
        if (read.kind === 'ignored') throw new Error('The object was not read');
        for (const { object: name, path, message } of read.faults) {
          if (name === '' || !/\S[.:] .*\S[.?]$/s.test(message)) throw new Error(`${name} ${path}: ${message}`);
        }
      }),
      runsOf('objects'),
    );
  });

  it('gives settings and faults', () => {
    watchOver();
    fc.assert(
      fc.property(mangledOf([settingsSpecimen]), fc.array(fc.string({ unit: 'binary' })), ({ object }, pairs) => {
        const { settings, faults } = readSettings(object, pairs);
        expect(Object.keys(settings).length).toBeGreaterThan(10);
        expect(wrongInFaults(faults)).toEqual([]);
      }),
      { numRuns: 1000, seed: 4 },
    );
  });
});
