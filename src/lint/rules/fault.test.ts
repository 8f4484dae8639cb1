import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { fault } from './fault.ts';
import { podScheduleNeverOpens } from './pod-schedule-never-opens.ts';

describe('C8: fault', () => {
  it('finds its example, in the words of the reader', () => {
    expect(found(fault)).toEqual([
      {
        rule: 'fault',
        severity: 'error',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].duration',
        message: 'There is a duration but no schedule. Give both or neither.',
      },
    ]);
  });

  it('is a warning on pods and nodes, where rules go on to hold', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: sometimes}}\n';
    expect(places(fault, pod)).toEqual(['warning Pod/default/p metadata.annotations[karpenter.sh/do-not-disrupt]']);
  });

  it('finds two zones for one schedule', () => {
    const text = poolText('- {nodes: "0", schedule: "TZ=UTC 0 9 * * *", duration: 8h, timeZone: Europe/Berlin}');
    expect(places(fault, text)).toEqual(['warning NodePool/default spec.disruption.budgets[0].timeZone']);
  });

  it.each([
    { name: 'older spellings', text: poolText('- nodes: 5') },
    { name: 'empty lists, which have rules of their own', text: poolText('- {nodes: "1", reasons: []}') },
    { name: 'what can be read', text: poolText('- nodes: "5"') },
  ])('is silent about $name', ({ text }) => {
    expect(places(fault, text)).toEqual([]);
  });
});

describe('E13: schedules beyond a limit', () => {
  const schedule = 'karpenter.sh/disruption-schedule';
  const podText = (name: string, crons: readonly string[]): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'shop', name, annotations: { [schedule]: crons.join(';') } },
    });
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it('are a warning on each pod, and no other rule speaks of them', () => {
    const text = numbers(21)
      .map((pod) =>
        podText(
          `p${pod}`,
          numbers(50).map((i) => `${i} ${pod} 1 * *`),
        ),
      )
      .join('\n---\n');
    const warned = places(fault, text).filter((place) => place.endsWith(' metadata.annotations'));
    expect(warned).toHaveLength(21);
    expect(places(podScheduleNeverOpens, text)).toEqual([]);
  });

  it('of lint itself are told once, with how many pods are left out', () => {
    const text = numbers(300)
      .map((pod) => podText(`p${String(pod).padStart(3, '0')}`, [`${pod % 60} ${Math.floor(pod / 60)}-23 * * *`]))
      .join('\n---\n');
    const told = found(fault, text);
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toMatch(/^There are too many different pod schedules .* \d+ pods are left out/);
  });
});
