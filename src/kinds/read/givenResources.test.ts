// Tests that a pod resized in place counts for what the scheduler counts.
import { describe, expect, it } from 'vitest';
import { readObject } from '../readObject.ts';
import type { Json } from './reader.ts';

const asks = (cpu: string): Json => ({ requests: { cpu } });

function cpuOf(spec: Json, status: Json): number | undefined {
  const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec, status });
  return result.kind === 'Pod' ? result.record.requests.cpu : undefined;
}

describe('F6: a container counts for the most of what it asks for, was promised and has', () => {
  const spec = { containers: [{ name: 'app', resources: asks('500m') }] };
  const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
  const deferred = [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }];
  it.each<{ name: string; given: Json; conditions?: unknown; cpu: number }>([
    { name: 'as it asked', given: { resources: asks('500m'), allocatedResources: { cpu: '500m' } }, cpu: 500 },
    { name: 'grown: what it asks for', given: { resources: asks('250m') }, cpu: 500 },
    { name: 'shrunk: what it still has', given: { resources: asks('1') }, cpu: 1000 },
    {
      name: 'promised more',
      given: { resources: asks('250m'), allocatedResources: { cpu: '750m' } },
      cpu: 750,
    },
    { name: 'no word of resources', given: { allocatedResources: { cpu: '2' } }, cpu: 500 },
    { name: 'it can never grow: what it has', given: { resources: asks('250m') }, conditions: infeasible, cpu: 250 },
    { name: 'it may grow later', given: { resources: asks('250m') }, conditions: deferred, cpu: 500 },
  ])('$name', ({ given, conditions, cpu }) => {
    const status = { containerStatuses: [{ name: 'app', ...given }], ...(conditions !== undefined && { conditions }) };
    expect(cpuOf(spec, status)).toBe(cpu);
  });

  it('sidecars as well, but not what ran before them', () => {
    const initContainers = [
      { name: 'once', resources: asks('100m') },
      { name: 'side', restartPolicy: 'Always', resources: asks('100m') },
    ];
    const initContainerStatuses = [
      { name: 'once', resources: asks('9') },
      { name: 'side', resources: asks('300m') },
    ];
    expect(cpuOf({ ...spec, initContainers }, { initContainerStatuses })).toBe(800);
  });
});

describe('An invalid status is reported, and the requests count', () => {
  it.each<{ name: string; status: Json; path: string }>([
    { name: 'statuses that are not a list', status: { containerStatuses: 1 }, path: 'status.containerStatuses' },
    { name: 'a status that is not a map', status: { containerStatuses: [1] }, path: 'status.containerStatuses[0]' },
    {
      name: 'resources that are not a map',
      status: { initContainerStatuses: [{ name: 'other', resources: '1' }] },
      path: 'status.initContainerStatuses[0].resources',
    },
    {
      name: 'a pending resize whose reason is not a string',
      status: {
        containerStatuses: [{ name: 'app', resources: asks('250m') }],
        conditions: [{ type: 'PodResizePending', reason: 7 }],
      },
      path: 'status.conditions[0].reason',
    },
  ])('$name', ({ status, path }) => {
    const spec = { containers: [{ name: 'app', resources: asks('500m') }] };
    const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec, status });
    expect(result).toMatchObject({ record: { requests: { cpu: 500 } }, faults: [{ path }] });
  });

  it('an invalid request is reported even if the resize is infeasible', () => {
    const spec = { containers: [{ name: 'app', resources: asks('much') }] };
    const status = {
      containerStatuses: [{ name: 'app', resources: asks('250m') }],
      conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
    };
    const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec, status });
    const path = 'spec.containers[0].resources.requests.cpu';
    expect(result).toMatchObject({ record: { requests: { cpu: 250 } }, faults: [{ path }] });
  });
});

it('F6: pod-level requests count for cpu, memory and huge pages only', () => {
  const spec = {
    containers: [{ resources: { requests: { cpu: '1', 'example.com/gpu': '1' } } }],
    resources: { requests: { cpu: '2', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '5' } },
  };
  const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  expect(result).toMatchObject({
    record: { requests: { cpu: 2000, 'example.com/gpu': 1, 'hugepages-2Mi': 4 * 2 ** 20, pods: 1 } },
  });
});
