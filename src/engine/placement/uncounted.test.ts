// Widened anti-affinity terms of pods that are not evaluated.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodTerm } from '../../cluster/scheduling.ts';
import { matches, type Operator, type Requirement, type Selector, type TextMap } from '../../cluster/selector.ts';
import { widerTerm } from './uncounted.ts';

const key = fc.constantFrom('app', 'tier', 'job');
const value = fc.constantFrom('x', 'y', 'z');
const operator = fc.constantFrom<Operator>('In', 'NotIn', 'Exists', 'DoesNotExist');
const requirement: fc.Arbitrary<Requirement> = fc.record({ key, operator, values: fc.array(value, { maxLength: 3 }) });
const selector: fc.Arbitrary<Selector> = fc.record({ requirements: fc.array(requirement, { maxLength: 3 }) });
const term: fc.Arbitrary<PodTerm> = fc.record(
  {
    topologyKey: fc.constant('zone'),
    selector,
    namespaces: fc.subarray(['shop', 'other']),
    namespaceSelector: selector,
  },
  { requiredKeys: ['topologyKey', 'selector', 'namespaces'] },
);
const labels = fc.dictionary(key, value);

const means = (of: PodTerm, namespace: string, pod: TextMap, around: TextMap): boolean =>
  matches(of.selector, pod) &&
  (of.namespaces.includes(namespace) || (of.namespaceSelector !== undefined && matches(of.namespaceSelector, around)));

describe('F6: the widened term of a pod that is not evaluated', () => {
  it('means every pod that the term means, in the same domains', () => {
    fc.assert(
      fc.property(term, fc.constantFrom('shop', 'other', 'third'), labels, labels, (of, namespace, pod, around) => {
        const wider = widerTerm(of);
        expect(wider.topologyKey).toBe(of.topologyKey);
        if (means(of, namespace, pod, around)) expect(means(wider, namespace, pod, around)).toBe(true);
      }),
      { seed: 15, numRuns: 3000 },
    );
  });

  it('asks for one label at most', () => {
    fc.assert(
      fc.property(term, (of) => widerTerm(of).selector.requirements.length <= 1),
      { seed: 15 },
    );
  });
});
