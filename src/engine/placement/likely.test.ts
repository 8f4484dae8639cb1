// The node where the scheduler would most likely put a pod.
import { describe, expect, it } from 'vitest';
import { machine, type Objects, type Plain, pod, zone } from '../../../test/build.ts';
import { whereGoes } from '../../../test/placement/boards.ts';

type PodParts = NonNullable<Parameters<typeof pod>[2]>;
const likely = (parts: PodParts, objects: Objects): string | undefined =>
  whereGoes(pod('new', '', { phase: 'Pending', ...parts }), objects, { choice: 'likely' });

const host = 'kubernetes.io/hostname';
const web = { matchLabels: { app: 'web' } };
const preferring = (kind: string, list: readonly Plain[]): PodParts => ({
  spec: { affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: list } } },
});
const term = (topologyKey: string): Plain => ({ weight: 100, podAffinityTerm: { topologyKey, labelSelector: web } });
const two = [machine('n1', { zone: 'a' }), machine('n2', { zone: 'b' })];

describe('F6: where the scheduler most likely puts a pod', () => {
  it.each([
    { it: 'where most is free', pod: {}, there: [pod('a', 'n1', { cpu: '2' })], goes: 'n2' },
    {
      it: 'where most memory is free, too',
      pod: {},
      there: [
        pod('a', 'n1', { spec: { containers: [{ resources: { requests: { memory: '8Gi' } } }] } }),
        pod('b', 'n2', { cpu: '1' }),
      ],
      goes: 'n2',
    },
    {
      it: 'where processor and memory are used alike, of two with as much left',
      pod: {},
      there: [
        pod('a', 'n1', { cpu: '2' }),
        pod('b', 'n2', { spec: { containers: [{ resources: { requests: { cpu: '1', memory: '4Gi' } } }] } }),
      ],
      goes: 'n2',
    },
    { it: 'by name, where nothing differs', pod: {}, there: [], goes: 'n1' },
    {
      it: 'where its node affinity prefers, though less is free',
      pod: preferring('nodeAffinity', [
        { weight: 10, preference: { matchExpressions: [{ key: zone, operator: 'In', values: ['a'] }] } },
      ]),
      there: [pod('a', 'n1', { cpu: '2' })],
      goes: 'n1',
    },
    {
      it: 'near those it prefers',
      pod: preferring('podAffinity', [term(zone)]),
      there: [pod('a', 'n2', { cpu: '1' })],
      goes: 'n2',
    },
    {
      it: 'apart from those it had rather not meet',
      pod: preferring('podAntiAffinity', [term(host)]),
      there: [pod('a', 'n1', { cpu: '0' }), pod('big', 'n2', { cpu: '1', labels: {} })],
      goes: 'n2',
    },
    {
      it: 'apart from those that had rather not meet it',
      pod: {},
      there: [
        pod('a', 'n1', { cpu: '0', ...preferring('podAntiAffinity', [term(host)]) }),
        pod('big', 'n2', { cpu: '1', labels: {} }),
      ],
      goes: 'n2',
    },
    {
      it: 'where fewer of its kind are, with ScheduleAnyway',
      pod: {
        spec: {
          topologySpreadConstraints: [
            { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: web },
          ],
        },
      },
      there: [pod('a', 'n1', { cpu: '0' }), pod('big', 'n2', { cpu: '1', labels: {} })],
      goes: 'n2',
    },
  ])('$it', ({ pod: parts, there, goes }) => {
    expect(likely(parts, [...two, ...there])).toBe(goes);
  });

  it('not where a taint says rather not, unless it tolerates that or nothing else is left', () => {
    const soft = machine('n1', { spec: { taints: [{ key: 'old', effect: 'PreferNoSchedule' }] } });
    const busy = [machine('n2'), pod('a', 'n2', { cpu: '2' })];
    expect(likely({}, [soft, ...busy])).toBe('n2');
    expect(likely({ spec: { tolerations: [{ operator: 'Exists' }] } }, [soft, ...busy])).toBe('n1');
    expect(likely({ cpu: '3' }, [soft, ...busy])).toBe('n1');
  });
});
