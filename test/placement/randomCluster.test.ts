// The random clusters of the scheduling tests.
import { describe, expect, it } from 'vitest';
import { parseResources } from '../../src/cluster/quantity.ts';
import type { RawNode, RawPod } from '../../src/sim/actors/rawObjects.ts';
import { add, needsOf } from '../../src/sim/actors/scheduler/needs.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { features } from './features.ts';
import { randomCluster } from './randomCluster.ts';

const seeds = Array.from({ length: 150 }, (_, seed) => seed);
const clusters = seeds.map((seed) => randomCluster(seed));

const ofKind = <T extends KubeObject>(objects: readonly KubeObject[], kind: string): T[] =>
  objects.filter((object) => object.kind === kind) as T[];

describe('A random cluster', () => {
  it('is the same for the same seed, and different for another', () => {
    expect(randomCluster(7)).toEqual(randomCluster(7));
    expect(JSON.stringify(randomCluster(7))).not.toBe(JSON.stringify(randomCluster(8)));
  });

  it('has the requested size', () => {
    const { objects } = randomCluster(1, { nodes: 5, pods: 12 });
    expect(ofKind(objects, 'Node')).toHaveLength(5);
    const made = ofKind<RawPod>(objects, 'Pod').filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind !== 'DaemonSet',
    );
    expect(made.length).toBeLessThanOrEqual(12);
  });

  it.each(features)('has %s often enough', (feature) => {
    const count = clusters.filter((cluster) => cluster.features.includes(feature)).length;
    expect(count).toBeGreaterThanOrEqual(seeds.length / 25);
  });

  it('has unique names', () => {
    for (const { objects } of clusters) {
      const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { metadata } of objects) expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    }
  });

  it('overfills no node, and binds no pod to a missing node', () => {
    for (const { objects } of clusters) {
      const nodes = new Map(ofKind<RawNode>(objects, 'Node').map((node) => [node.metadata.name, node]));
      const used = new Map<string, Record<string, number>>([...nodes.keys()].map((name) => [name, {}]));
      for (const pod of ofKind<RawPod>(objects, 'Pod')) {
        if (pod.spec?.nodeName === undefined) continue;
        expect(nodes.has(pod.spec.nodeName)).toBe(true);
        add(used.get(pod.spec.nodeName) ?? {}, needsOf(pod).requests);
      }
      for (const [name, node] of nodes) {
        const room = parseResources(node.status?.allocatable);
        for (const [resource, amount] of Object.entries(used.get(name) ?? {}))
          expect(amount, `${resource} of ${name}`).toBeLessThanOrEqual(room[resource] ?? 0);
      }
    }
  });
});
