// Objects and a clock with a recorded story, for tests of the story.

import type { KubeObject, Texts } from '../../src/sim/kubeObject.ts';
import { Objects } from '../../src/sim/objects.ts';
import { Flight } from '../../src/sim/story/flight.ts';
import { Story } from '../../src/sim/story/story.ts';
import { VirtualClock } from '../../src/sim/virtualClock.ts';
import { after, asDuration, asInstant, type Instant, parseInstant } from '../../src/time/instant.ts';

export const start: Instant = parseInstant('2026-11-16T08:00:00Z') ?? asInstant(0);

export function openStage() {
  const clock = new VirtualClock(start);
  const objects = new Objects(clock);
  const flight = new Flight(objects);
  const story = new Story(objects, clock);
  story.begin();
  return {
    clock,
    objects,
    flight,
    story,
    /** Lets time pass until this long after the start, with everything that happens meanwhile. */
    until: (elapsed: number): void => {
      const at = after(start, asDuration(elapsed));
      clock.at(at, () => undefined);
      while (clock.nextAt !== undefined && clock.nextAt <= at) clock.step();
    },
    writeLedger: (commands: readonly object[], turns: readonly object[] = [], rolls: readonly object[] = []): void => {
      const spec = { version: 1, commands, turns, rolls };
      const known = objects.get('DisruptionLedger', 'lull');
      if (known) objects.write('DisruptionLedger', 'lull', 'lull-1', (it) => ({ ...it, spec }));
      else
        objects.create(
          { apiVersion: 'lull.dev/v1alpha1', kind: 'DisruptionLedger', metadata: { name: 'lull' }, spec },
          'lull-1',
        );
    },
  };
}

export function node(name: string, zone = 'a', labels: Texts = {}): KubeObject {
  const own = {
    'karpenter.sh/nodepool': 'web',
    'karpenter.sh/initialized': 'true',
    'topology.kubernetes.io/zone': zone,
    ...labels,
  };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: own }, spec: {}, status };
}

export function claim(
  name: string,
  { nodeName = name, command }: { nodeName?: string; command?: string } = {},
): KubeObject {
  const metadata = {
    name,
    labels: { 'karpenter.sh/nodepool': 'web' },
    ...(command !== undefined && { annotations: { 'lull.dev/command': command } }),
    finalizers: ['karpenter.sh/termination'],
  };
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec: {}, status: { nodeName, conditions: [] } };
}

export function pod(name: string, nodeName: string, labels: Texts = {}): KubeObject {
  const spec = { nodeName, terminationGracePeriodSeconds: 30 };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels },
    spec,
    status: { phase: 'Running' },
  };
}

export const command = (id: string, name: string, more: object = {}): object => ({
  id,
  reason: 'Drifted',
  pool: 'web',
  step: 'tainted',
  nodes: [{ name }],
  replacements: [],
  ...more,
});

export const withTrue = (object: KubeObject, type: string): KubeObject => ({
  ...object,
  status: { ...object.status, conditions: [{ type, status: 'True' }] },
});
