import { describe, it } from 'vitest';
import type { Round } from '../../src/engine/verdict.ts';
import { decide, decideAnew } from './decide.ts';
import { Dice } from './dice.ts';
import { difference } from './difference.ts';
import { fewerClusters, forAll } from './forAll.ts';
import type { Plain } from './plain.ts';

describe('F2: the same facts', () => {
  it('give the same round again', () => {
    forAll((plain) => differences(plain, plain), fewerClusters);
  });

  it('give the same round in any order of objects', () => {
    forAll((plain) => {
      const dice = new Dice(plain.objects.length);
      return differences(plain, { ...plain, objects: dice.shuffled(plain.objects) });
    }, fewerClusters);
  });

  it('K4: give the same round with unknown fields and kinds', () => {
    forAll((plain) => {
      // In Lull's own kinds unknown fields are reported, and in the ledger those of a newer Lull are kept.
      const objects = plain.objects.map((object) =>
        ownKinds.has(object.kind) ? object : { ...object, extra: { a: 1 }, spec: { ...spec(object), surprise: [] } },
      );
      const stranger = { apiVersion: 'example.com/v1', kind: 'Node', metadata: { name: 'a0' }, spec: {} };
      return differences(plain, { ...plain, objects: [...objects, stranger] as unknown as Plain['objects'] });
    }, fewerClusters);
  });
});

const ownKinds: ReadonlySet<string> = new Set([
  'DisruptionLedger',
  'MaintenanceWindow',
  'HealthGate',
  'PodDisruptionSchedule',
]);

const spec = (object: Plain['objects'][number]): object => ('spec' in object ? object.spec : {});

function differences(one: Plain, other: Plain): string[] {
  const [first, second] = [decide(one), decideAnew(other)];
  return Object.keys({ ...first, ...second }).flatMap((field) => {
    const what = difference(...[first, second].map((round) => JSON.stringify(round[field as keyof Round])));
    return what === undefined ? [] : [`F2: ${field}: ${what}`];
  });
}
