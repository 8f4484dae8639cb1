// Memory that placement keeps for terms that no two pods share.
import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import { defaultSettings } from '../../src/cluster/settings.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import type { Tables } from '../../src/engine/placement/tables.ts';
import { observe } from '../../src/engine/situation.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { at, machine, noon, pod, pool } from '../build.ts';
import { boardOf } from '../placement/boards.ts';

type Plain = Record<string, unknown>;

const termsEach = 10;
const hostname = 'kubernetes.io/hostname';

/** The tables of the placement board, with this many hostile pods beside a hundred plain ones. */
function tablesOf(pods: number, specOf: (id: (term: number) => string) => Plain): Tables {
  const store = new ClusterStore();
  const nodes = Array.from({ length: 10 }, (_, i) => machine(`n${i}`));
  const plain = Array.from({ length: 100 }, (_, i) => pod(`web-${i}`, `n${i % 10}`));
  const hostile = Array.from({ length: pods }, (_, i) =>
    pod(`h-${i}`, `n${i % 10}`, { namespace: 'tenant', labels: { u: `${i}` }, spec: specOf((term) => `${i}-${term}`) }),
  );
  for (const object of [pool(), nodes, plain, hostile].flat(3)) {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error('not an object of a cluster');
    store.put(read);
  }
  return boardOf(observe({ cluster: store, ledger: emptyLedger }, at(noon), defaultSettings)).board.tables;
}

/** How many numbers the classes contain. */
const entriesIn = ({ classes }: Tables): number =>
  classes.reduce(
    (sum, { counted, forbidden, excused, liked }) =>
      sum + counted.length + forbidden.length + excused.length + liked.length,
    0,
  );

const list = <T>(of: (term: number) => T): T[] => Array.from({ length: termsEach }, (_, term) => of(term));
const apart = (term: (term: number) => Plain): Plain => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: list(term) } },
});

type Id = (term: number) => string;

const everywhere = { topologyKey: hostname, namespaceSelector: {} };

const attacks: Readonly<Record<string, (id: Id) => Plain>> = {
  'anti-affinity to all but one value': (id) =>
    apart((term) => ({
      ...everywhere,
      labelSelector: { matchExpressions: [{ key: 'u', operator: 'NotIn', values: [id(term)] }] },
    })),
  'anti-affinity to all without a key': (id) =>
    apart((term) => ({
      ...everywhere,
      labelSelector: { matchExpressions: [{ key: `k-${id(term)}`, operator: 'DoesNotExist' }] },
    })),
  'anti-affinity to a list of values': (id) =>
    apart((term) => ({
      ...everywhere,
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', id(term)] }] },
    })),
  'anti-affinity in domains of its own': (id) =>
    apart((term) => ({ topologyKey: `rack-${id(term)}`, namespaceSelector: {}, labelSelector: {} })),
  'anti-affinity with more exceptions than are divided': (id) =>
    apart((term) => ({
      ...everywhere,
      labelSelector: {
        matchExpressions: ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({
          key,
          operator: 'NotIn',
          values: [id(term)],
        })),
      },
    })),
  'affinity to all but one value': (id) => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: list((term) => ({
          ...everywhere,
          labelSelector: { matchExpressions: [{ key: 'u', operator: 'NotIn', values: [id(term)] }] },
        })),
      },
    },
  }),
  'preferred anti-affinity to all but one value': (id) => ({
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: list((term) => ({
          weight: 1 + term,
          podAffinityTerm: {
            ...everywhere,
            labelSelector: { matchExpressions: [{ key: 'u', operator: 'NotIn', values: [id(term)] }] },
          },
        })),
      },
    },
  }),
  'spread of all but one value': (id) => ({
    topologySpreadConstraints: list((term) => ({
      maxSkew: 5,
      topologyKey: hostname,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchExpressions: [{ key: 'u', operator: 'NotIn', values: [id(term)] }] },
    })),
  }),
  'resources of its own': (id) => ({
    containers: [
      { name: 'c', resources: { requests: Object.fromEntries(list((term) => [`example.com/${id(term)}`, '1'])) } },
    ],
  }),
};

describe('F6: the memory for terms that no two pods share', () => {
  it.each(Object.entries(attacks))('grows with the size of the terms: %s', (_, specOf) => {
    const [some, twice] = [tablesOf(200, specOf), tablesOf(400, specOf)];
    // Not with terms times pods: then twice the pods would need four times as much.
    expect(entriesIn(twice)).toBeLessThan(2.5 * entriesIn(some) + 1000);
    expect(entriesIn(twice)).toBeLessThan(20 * 400 * termsEach);
    expect(twice.resources.length).toBeLessThan(70);
  });
});
