// Failing and interrupted nodes.
import { describe, expect, it } from 'vitest';
import { isReady, pool, type Stage, stage, workload } from '../../../test/sim/actorStage.ts';
import { asDuration, minute } from '../../time/instant.ts';
import { failNode, interruptNode } from './cloud/failing.ts';
import { conditionOf } from './rawObjects.ts';

function grown(): Stage {
  const scene = stage();
  scene.add(
    pool(),
    workload('Deployment', 'app', { replicas: 2 }),
    workload('DaemonSet', 'daemon'),
    workload('StatefulSet', 'db'),
  );
  scene.rest();
  return scene;
}

const readyOf = (scene: Stage) => {
  const [node] = scene.nodes();
  return node && conditionOf(node, 'Ready')?.status;
};
const taintsOf = (scene: Stage) => scene.nodes()[0]?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [];

describe('A node whose kubelet dies', () => {
  it('is not heard of after less than a minute, and tainted so that its pods are sent away', () => {
    const scene = grown();
    failNode(scene.world, 'web-1');
    scene.pass(39);
    expect(readyOf(scene)).toBe('True');
    scene.pass(12);
    expect(readyOf(scene)).toBe('Unknown');
    expect(taintsOf(scene)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
  });

  it('has pods that are not ready five seconds later', () => {
    const scene = grown();
    failNode(scene.world, 'web-1');
    while (readyOf(scene) === 'True') scene.world.clock.step();
    scene.pass(4.9);
    expect(scene.pods().every(isReady)).toBe(true);
    scene.pass(0.1);
    expect(scene.pods().some(isReady)).toBe(false);
  });

  it('loses its pods after five minutes, but for daemons: they are made elsewhere, and hang here', () => {
    const scene = grown();
    failNode(scene.world, 'web-1');
    scene.pass(300);
    expect(scene.pods().filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
    scene.pass(600);
    const there = scene.pods().filter(({ spec }) => spec?.nodeName === 'web-1');
    const deleting = there
      .filter(({ metadata }) => metadata.deletionTimestamp)
      .map(({ metadata }) => metadata.labels?.app);
    expect(deleting.sort()).toEqual(['app', 'app', 'db']);
    expect(scene.pods('app').filter(isReady)).toHaveLength(2);
    // Its name is taken as long as the old one hangs.
    expect(scene.pods('db')).toHaveLength(1);
  });

  it('comes back if it was only for a while, and ends what it had not heard of', () => {
    const scene = grown();
    failNode(scene.world, 'web-1', asDuration(10 * minute));
    scene.rest();
    expect(readyOf(scene)).toBe('True');
    expect(taintsOf(scene)).toEqual([]);
    expect(scene.pods().filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it('never comes back by itself', () => {
    const scene = grown();
    failNode(scene.world, 'web-1');
    scene.pass(24 * 3600);
    expect(readyOf(scene)).toBe('Unknown');
  });
});

describe('A machine that the cloud takes back', () => {
  it('is tainted at once and stays ready for two minutes', () => {
    const scene = grown();
    interruptNode(scene.world, 'web-1');
    expect(taintsOf(scene)).toEqual(['aws-node-termination-handler/spot-itn:NoSchedule']);
    scene.pass(119);
    expect(readyOf(scene)).toBe('True');
    scene.pass(12);
    expect(readyOf(scene)).toBe('Unknown');
  });

  it('is gone soon after, with its claim and its pods, which are made elsewhere', () => {
    const scene = grown();
    interruptNode(scene.world, 'web-1');
    scene.pass(180);
    expect(scene.nodes().map(({ metadata }) => metadata.name)).not.toContain('web-1');
    scene.rest();
    expect(scene.pods().map(({ spec }) => spec?.nodeName)).not.toContain('web-1');
    expect(scene.pods('app').filter(isReady)).toHaveLength(2);
    expect(scene.pods('db').filter(isReady)).toHaveLength(1);
  });

  it('does no harm where the node is gone before', () => {
    const scene = grown();
    interruptNode(scene.world, 'web-1');
    const [first] = scene.claims();
    scene.world.objects.delete('NodeClaim', first?.metadata.name ?? '', 'script');
    scene.rest();
    expect(scene.world.faults.has('instances')).toBe(false);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it('is nothing to a node that is not there', () => {
    const scene = grown();
    interruptNode(scene.world, 'web-99');
    expect(scene.world.clock.nextAt).toBeUndefined();
  });
});
