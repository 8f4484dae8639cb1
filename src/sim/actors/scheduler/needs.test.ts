// Resource requests of pods, and shared needs.
import { describe, expect, it } from 'vitest';
import { pod, requests } from '../../../../test/sim/actorStage.ts';
import type { RawPodSpec } from '../rawObjects.ts';
import { needsOf, requestsOf } from './needs.ts';

const holds = (cpu: string, more = {}) => ({ resources: { requests: { cpu } }, ...more });
const sidecar = { restartPolicy: 'Always' };

/** The answers of Kubernetes' own resource helper for these pods. */
describe('What the scheduler counts', () => {
  it.each<{ it: string; spec: RawPodSpec; cpu: number }>([
    { it: 'containers add up', spec: { containers: [holds('1'), holds('500m')] }, cpu: 1500 },
    { it: 'a container that asks for nothing takes nothing', spec: { containers: [holds('1'), {}] }, cpu: 1000 },
    {
      it: 'the largest init container counts',
      spec: { containers: [holds('1')], initContainers: [holds('3'), holds('2')] },
      cpu: 3000,
    },
    {
      it: 'unless the containers are larger',
      spec: { containers: [holds('4')], initContainers: [holds('3')] },
      cpu: 4000,
    },
    {
      it: 'a sidecar runs beside the containers',
      spec: { containers: [holds('1')], initContainers: [holds('1', sidecar)] },
      cpu: 2000,
    },
    {
      it: 'and beside the init containers after it',
      spec: { containers: [holds('1')], initContainers: [holds('1', sidecar), holds('3')] },
      cpu: 4000,
    },
    {
      it: 'not beside those before it',
      spec: { containers: [holds('1')], initContainers: [holds('3'), holds('1', sidecar)] },
      cpu: 3000,
    },
    { it: 'overhead comes on top', spec: { containers: [holds('1')], overhead: { cpu: '250m' } }, cpu: 1250 },
    {
      it: 'pod-level requests take precedence',
      spec: { containers: [holds('1')], resources: { requests: { cpu: '2' } } },
      cpu: 2000,
    },
  ])('$it', ({ spec, cpu }) => {
    expect(requestsOf(spec)).toMatchObject({ cpu, pods: 1 });
  });
});

describe('Pods of one template', () => {
  const spec = requests('1');

  it('share their needs, bound or not', () => {
    expect(needsOf(pod('a', { ...spec, nodeName: 'n' }))).toBe(needsOf(pod('b', spec)));
  });

  it('do not share rules if one has a nodeSelector of its own', () => {
    const other = { ...spec, nodeSelector: { tier: 'db' } };
    expect(needsOf(pod('a', other)).rules.id).not.toBe(needsOf(pod('b', spec)).rules.id);
  });

  it('have the same rules if their specs are equal', () => {
    const [a, b] = [1, 2].map(() => needsOf(pod('a', { ...requests('2'), nodeSelector: { tier: 'web' } })));
    expect(a?.rules.id).toBe(b?.rules.id);
  });
});
