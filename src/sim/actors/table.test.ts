// Actor rows: conditions, delays and faults.
import { describe, expect, it } from 'vitest';
import { pod, stage } from '../../../test/sim/actorStage.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { World } from '../world.ts';
import { type ActorRow, change, drawDelay, playTable, remove } from './actor.ts';

const label = (object: KubeObject, key: string, value: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [key]: value } },
});

const set = (world: World, key: string, value: string) =>
  world.objects.write('Pod', 'shop/p', 'script', (it) => label(it, key, value));

const row = (more: Partial<ActorRow> = {}): ActorRow => ({
  name: 'a row',
  by: 'actor',
  kind: 'Pod',
  when: [{ at: 'metadata.labels.go', is: 'yes' }, { lacks: 'metadata.labels.done' }],
  after: [10, 10],
  becomes: () => [change('Pod', 'shop/p', (it) => label(it, 'done', 'yes'))],
  ...more,
});

function play(more: Partial<ActorRow> = {}) {
  const scene = stage({ actors: (world) => playTable(world, [row(more)]) });
  const isDone = () => scene.pods()[0]?.metadata.labels?.done === 'yes';
  return { ...scene, isDone };
}

describe('A row', () => {
  it('acts once its condition has held for its delay', () => {
    const { add, pass, isDone } = play();
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(9.9);
    expect(isDone()).toBe(false);
    pass(0.1);
    expect(isDone()).toBe(true);
  });

  it('starts the delay with the change that makes its condition hold', () => {
    const { add, pass, world, isDone } = play();
    add(pod());
    pass(100);
    set(world, 'go', 'yes');
    pass(9.9);
    expect(isDone()).toBe(false);
    pass(0.1);
    expect(isDone()).toBe(true);
  });

  it('starts the delay again if its condition stops holding in between', () => {
    const { add, pass, world, isDone } = play();
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(5);
    set(world, 'go', 'no');
    pass(1);
    set(world, 'go', 'yes');
    pass(9);
    expect(isDone()).toBe(false);
    pass(1);
    expect(isDone()).toBe(true);
  });

  it('continues to wait if something else changes', () => {
    const { add, pass, world, isDone } = play();
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(5);
    set(world, 'other', 'x');
    pass(5);
    expect(isDone()).toBe(true);
  });

  it('starts to wait again if a field it names changes', () => {
    const { add, pass, world, isDone } = play({ restartsOn: 'metadata.labels.other' });
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(5);
    set(world, 'other', 'x');
    pass(9);
    expect(isDone()).toBe(false);
    pass(1);
    expect(isDone()).toBe(true);
  });

  it('forgets a deleted object, though another of its name is created', () => {
    const { add, pass, world, isDone } = play();
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(5);
    world.objects.delete('Pod', 'shop/p', 'script');
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(9);
    expect(isDone()).toBe(false);
    pass(1);
    expect(isDone()).toBe(true);
  });

  it('is played on what was there before', () => {
    const scene = stage({ actors: () => undefined });
    scene.add(pod('p', {}, { labels: { go: 'yes' } }));
    playTable(scene.world, [row()]);
    scene.pass(10);
    expect(scene.pods()[0]?.metadata.labels).toMatchObject({ done: 'yes' });
  });

  it('is looked at again when what is wrong on purpose changes', () => {
    const broken = {
      so: 'its kubelet is dead',
      holds: (_: KubeObject, { faults }: World) => faults.of('kubelets', 'n') === 'dead',
    };
    const { add, pass, world, isDone } = play({ when: [broken] });
    add(pod());
    pass(100);
    expect(isDone()).toBe(false);
    world.faults.set('kubelets', 'n', 'dead');
    pass(5);
    world.faults.clear('kubelets', 'n');
    pass(100);
    expect(isDone()).toBe(false);
    world.faults.set('kubelets', 'n', 'dead');
    pass(10);
    expect(isDone()).toBe(true);
  });

  it('is looked at again for objects of another kind that it names', () => {
    const there = {
      so: 'there is a node',
      holds: (_: KubeObject, { objects }: World) => objects.get('Node', 'n') !== undefined,
    };
    const also = { Node: (_: unknown, { objects }: World) => objects.list('Pod') };
    const { add, pass, isDone } = play({ when: [there], also });
    add(pod());
    pass(20);
    add({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    pass(10);
    expect(isDone()).toBe(true);
  });

  it('is checked again just before it acts, in case a change did not trigger it', () => {
    const there = {
      so: 'there is a node',
      holds: (_: KubeObject, { objects }: World) => objects.get('Node', 'n') !== undefined,
    };
    const { add, pass, world, isDone } = play({ when: [there] });
    add({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }, pod());
    pass(5);
    world.objects.delete('Node', 'n', 'script');
    pass(100);
    expect(isDone()).toBe(false);
  });

  it('leaves no timer behind', () => {
    const { add, pass, pods, world } = play({ becomes: () => [remove('Pod', 'shop/p')] });
    add(pod('p', {}, { labels: { go: 'yes' } }));
    pass(10);
    expect(pods()).toEqual([]);
    expect(world.clock.nextAt).toBeUndefined();
  });
});

describe('How long it takes', () => {
  it.each([
    { it: 'the least', chance: 0, delay: 2000 },
    { it: 'the most', chance: 0.999_999, delay: 5000 },
    { it: 'in whole tenths of a second', chance: 0.123_456, delay: 2400 },
  ])('$it', ({ chance, delay }) => {
    expect(drawDelay([2, 5], () => chance)).toBe(delay);
  });

  it('depends on the seed and the object, not on other objects', () => {
    const firedAt = (seed: number, others: number): number => {
      const scene = stage({ seed, actors: (world) => playTable(world, [row({ after: [1, 1000] })]) });
      scene.add(pod('p', {}, { labels: { go: 'yes' } }));
      for (let index = 0; index < others; index++) scene.add(pod(`x${index}`, {}, { labels: { go: 'yes' } }));
      while (scene.pods()[0]?.metadata.labels?.done === undefined) scene.world.clock.step();
      return scene.now();
    };
    expect(firedAt(1, 5)).toBe(firedAt(1, 0));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => firedAt(seed, 0))).size).toBeGreaterThan(1);
  });
});
