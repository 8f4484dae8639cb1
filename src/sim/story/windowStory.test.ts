// Story events of windows, schedules and budgets.
import { describe, expect, it } from 'vitest';
import { openStage } from '../../../test/sim/storyStage.ts';
import { formatInstant, hour } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import { followWindows } from './windowStory.ts';

const object = (kind: string, spec: object, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'karpenter.sh/v1alpha1', kind, metadata: { name: 'night', ...metadata }, spec }) as KubeObject;

/** From Monday 08:00 on. */
function told(...objects: KubeObject[]): string[] {
  const stage = openStage();
  for (const it of objects) stage.objects.create(it, 'script');
  followWindows(stage.objects, stage.clock, (event) => stage.story.record(event));
  stage.until(24 * hour);
  return stage.story.events.map(({ at, kind, text }) => `${formatInstant(at).slice(11, 16)} ${kind}: ${text}`);
}

const hours = { schedules: [{ cron: '0 22 * * *', duration: '8h' }] };

describe('L6: windows open and close by the clock', () => {
  it.each<{ name: string; given: KubeObject; says: string[] }>([
    {
      name: 'D2: a window that blocks',
      given: object('MaintenanceWindow', { ...hours, actions: ['Drift', 'Expiration'], note: 'ask Ann' }),
      says: [
        '22:00 WindowOpened: Window night begins (ask Ann): no disruption for Drifted, Expired.',
        '06:00 WindowClosed: Window night ends.',
      ],
    },
    {
      name: 'D3: one that allows',
      given: object('MaintenanceWindow', { ...hours, mode: 'Allow' }),
      says: [
        '22:00 WindowOpened: Window night opens: disruption is allowed for any reason.',
        '06:00 WindowClosed: Window night closes.',
      ],
    },
    {
      name: 'D5: one with a cap',
      given: object('MaintenanceWindow', { ...hours, nodes: '2' }),
      says: [
        '22:00 WindowOpened: Window night begins: at most 2 nodes at a time for any reason.',
        '06:00 WindowClosed: Window night ends.',
      ],
    },
    {
      name: 'P2: one with a rate',
      given: object('MaintenanceWindow', { ...hours, nodes: '2', per: 'opening' }),
      says: [
        '22:00 WindowOpened: Window night begins: at most 2 nodes to begin in this opening for any reason.',
        '06:00 WindowClosed: Window night ends.',
      ],
    },
    {
      name: 'D4: one that ends for ever',
      given: object('MaintenanceWindow', { notAfter: '2026-11-16T12:00:00Z' }),
      says: ['12:00 WindowClosed: Window night ends.'],
    },
    {
      name: 'E7: a schedule of pods',
      given: object('PodDisruptionSchedule', { selector: {}, schedule: '0 22 * * *', duration: '8h' }),
      says: [
        '22:00 WindowOpened: From now on the pods of schedule night may be moved.',
        '06:00 WindowClosed: From now on the pods of schedule night may not be moved.',
      ],
    },
    {
      name: 'E4: the annotations of a workload',
      given: object(
        'Deployment',
        { template: { metadata: { annotations: { 'karpenter.sh/disruption-schedule': '0 10 * * *' } } } },
        { namespace: 'shop' },
      ),
      says: [
        '10:00 WindowOpened: From now on the pods of shop/night may be moved.',
        '11:00 WindowClosed: From now on the pods of shop/night may not be moved.',
      ],
    },
    {
      name: 'C1: a scheduled budget',
      given: {
        ...object('NodePool', {
          disruption: {
            budgets: [{ nodes: '10%' }, { nodes: '0', reasons: ['Drifted'], schedule: '0 9 * * *', duration: '8h' }],
          },
        }),
        apiVersion: 'karpenter.sh/v1',
      },
      says: [
        '09:00 WindowOpened: Pool night: budgets[1] starts (no disruption for Drifted).',
        '17:00 WindowClosed: Pool night: budgets[1] ends (no disruption for Drifted).',
      ],
    },
    { name: 'D2: one without hours never changes', given: object('MaintenanceWindow', {}), says: [] },
  ])('$name', ({ given, says }) => {
    expect(told(given)).toEqual(says);
  });

  it('a window that comes later is followed, and one that is changed or goes is forgotten', () => {
    const { objects, clock, story, until } = openStage();
    followWindows(objects, clock, (event) => story.record(event));
    objects.create(object('MaintenanceWindow', hours), 'script');
    objects.create(object('MaintenanceWindow', hours, { name: 'gone' }), 'script');
    until(hour);
    objects.delete('MaintenanceWindow', 'gone', 'script');
    const spec = { schedules: [{ cron: '0 20 * * *', duration: '1h' }] };
    objects.write('MaintenanceWindow', 'night', 'script', (it) => ({ ...it, spec }));
    until(23 * hour);
    expect(story.events.map(({ at, window }) => `${formatInstant(at).slice(11, 16)} ${window}`)).toEqual([
      '20:00 MaintenanceWindow/night',
      '21:00 MaintenanceWindow/night',
    ]);
  });
});
