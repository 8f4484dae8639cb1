// Limits on terms, resources and PodDisruptionBudgets per namespace (decision 0008).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Plain, pdb, pod } from '../../test/build.ts';
import { readObject } from '../kinds/readObject.ts';
import { type Excess, mostMeant, mostResources } from './crowding.ts';
import { type Change, ClusterStore } from './store.ts';

const change = (object: object): Change => {
  const read = readObject(object);
  if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error('not an object of a cluster');
  return { kind: read.kind, put: read.record } as Change;
};

type Expression = { readonly key: string; readonly operator: string; readonly values?: readonly string[] };

const apart = (expressions: readonly Expression[], topologyKey = 'kubernetes.io/hostname'): Plain => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey, namespaceSelector: {}, labelSelector: { matchExpressions: expressions } },
      ],
    },
  },
});

const near = (expressions: readonly Expression[]): Plain => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchExpressions: expressions } },
      ],
    },
  },
});

const many = (count: number, of: (i: number) => object): object[] => Array.from({ length: count }, (_, i) => of(i));
const podWith = (spec: (i: number) => Plain) => (i: number) =>
  pod(`p-${i}`, 'n1', { labels: { u: `u-${i}`, team: 'red' }, spec: spec(i) });

const excessIn = (objects: readonly object[]): string => {
  const store = new ClusterStore();
  for (const object of objects) store.apply(change(object));
  return store.faults.map(({ object, path }) => `${object} ${path}`).join(', ') || 'none';
};

const terms = 'Namespace/shop pods[*].spec.affinity';
const resources = 'Namespace/shop pods[*].spec.containers[*].resources.requests';
const budgets = 'Namespace/shop poddisruptionbudgets[*].spec.selector';

describe('Decision 0008: a namespace with too many terms', () => {
  it.each([
    {
      it: 'terms of its own label, one for each pod',
      spec: (i: number) => apart([{ key: 'u', operator: 'In', values: [`u-${i}`] }]),
      says: 'none',
    },
    {
      it: 'exclusive jobs: each apart from all others',
      spec: (i: number) =>
        apart([
          { key: 'u', operator: 'Exists' },
          { key: 'u', operator: 'NotIn', values: [`u-${i}`] },
        ]),
      says: 'none',
    },
    {
      it: 'lists of values that differ, with one that all carry',
      spec: (i: number) => apart([{ key: 'team', operator: 'In', values: ['red', `x-${i}`] }]),
      says: 'none',
    },
    {
      it: 'a domain of its own for each, of everything',
      spec: (i: number) => apart([], `rack-${i}`),
      says: terms,
    },
    {
      it: 'affinity to all others',
      spec: (i: number) => near([{ key: 'u', operator: 'NotIn', values: [`u-${i}`] }]),
      says: terms,
    },
  ])('$it: $says', ({ spec, says }) => {
    expect(excessIn(many(300, podWith(spec)))).toBe(says);
  });

  it('is reported as soon as the terms select one pod too many', () => {
    const broad = podWith((i) => apart([], `rack-${i}`));
    const most = (count: number): boolean => count * count <= mostMeant(count);
    const count = Array.from({ length: 400 }, (_, i) => i).findLast(most) ?? 0;
    expect([excessIn(many(count, broad)), excessIn(many(count + 1, broad))]).toEqual(['none', terms]);
  });

  it('counts no pods that have ended', () => {
    const ended = (i: number) =>
      pod(`p-${i}`, 'n1', { phase: 'Succeeded', spec: apart([], `rack-${i}`), labels: { u: `${i}` } });
    expect(excessIn(many(300, ended))).toBe('none');
  });
});

describe('Decision 0008: a namespace with too many resources or PodDisruptionBudgets', () => {
  const requests = (i: number) => ({
    containers: [{ name: 'c', resources: { requests: { [`example.com/r-${i}`]: '1' } } }],
  });
  it.each([
    { count: mostResources - 2, says: 'none' },
    { count: mostResources + 1, says: resources },
  ])('$count resources', ({ count, says }) => {
    expect(excessIn(many(count, podWith(requests)))).toBe(says);
  });

  const budget = (matchExpressions: (i: number) => readonly Expression[]) => (i: number) =>
    pdb(`b-${i}`, 1, { selector: { matchExpressions: matchExpressions(i) } });
  it.each([
    {
      it: 'each of another workload',
      of: (i: number) => [{ key: 'u', operator: 'In', values: [`u-${i}`] }],
      says: 'none',
    },
    {
      it: 'each of all pods but one',
      of: (i: number) => [{ key: 'u', operator: 'NotIn', values: [`u-${i}`] }],
      says: budgets,
    },
  ])('300 budgets, $it', ({ of, says }) => {
    expect(
      excessIn([
        ...many(
          200,
          podWith(() => ({})),
        ),
        ...many(300, budget(of)),
      ]),
    ).toBe(says);
  });
});

describe('Decision 0008: the limits depend on the objects alone', () => {
  const step = fc.record({
    pod: fc.nat({ max: 150 }),
    makes: fc.constantFrom('broad', 'broad', 'broad', 'broad', 'narrow', 'plain', 'gone'),
    namespace: fc.constantFrom('shop', 'other'),
  });

  it('not on the order in which they arrived and left', () => {
    const seen = new Set<number>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 100, maxLength: 900, size: 'max' }), (steps) => {
        const warm = new ClusterStore();
        const kept = new Map<string, object>();
        for (const [index, { pod: i, makes, namespace }] of steps.entries()) {
          const spec: Plain = makes === 'broad' ? apart([], `rack-${i}`) : makes === 'narrow' ? apart([isOwn(i)]) : {};
          const object = pod(`p-${i}`, `n${i % 3}`, { namespace, labels: { u: `u-${i}` }, spec });
          if (makes === 'gone') warm.apply({ kind: 'Pod', gone: `${namespace}/p-${i}` });
          else warm.apply(change(object));
          if (makes === 'gone') kept.delete(`${namespace}/${i}`);
          else kept.set(`${namespace}/${i}`, object);
          // Asked in between, as rounds do.
          if (index % 50 === 0) expect(warm.faults.length).toBeLessThanOrEqual(2);
        }
        const cold = new ClusterStore();
        for (const object of [...kept.values()].reverse()) cold.apply(change(object));
        expect(warm.faults).toEqual(cold.faults);
        seen.add(warm.faults.length);
        const of = (store: ClusterStore): (readonly Excess[])[] =>
          [...kept.values()].map((object) => {
            const { put } = change(object) as { put: Parameters<ClusterStore['excessOn']>[0] };
            return store.excessOn(put);
          });
        expect(of(warm)).toEqual(of(cold));
      }),
      { seed: 15, numRuns: 12 },
    );
    expect(seen).toEqual(new Set([0, 1, 2]));
  });

  const isOwn = (i: number): Expression => ({ key: 'u', operator: 'In', values: [`u-${i}`] });
});
