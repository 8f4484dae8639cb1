// The controller framework: delays, batching and retries.
import { describe, expect, it } from 'vitest';
import { pod, stage, start } from '../../../test/sim/actorStage.ts';
import type { World } from '../world.ts';
import { type ActorController, create, type ReconcileResult, runController } from './actor.ts';

/** Writes down when it was asked about what. */
function play(
  reconcile: (key: string, count: number) => ReconcileResult = () => ({ writes: [] }),
  after: ActorController['after'] = [1, 1],
) {
  const asked: string[] = [];
  const scene = stage({ actors: (world) => runController(world, of(world)) });
  function of(world: World): ActorController {
    return {
      name: 'controller',
      wakes: { Pod: ({ object }) => [object.metadata.labels?.of ?? 'none'] },
      after,
      reconcile: (key) => {
        asked.push(`${(world.clock.now - start) / 1000} ${key}`);
        return reconcile(key, asked.length);
      },
    };
  }
  return { ...scene, asked };
}

describe('A controller', () => {
  it('gathers changes of one key, and keeps keys apart', () => {
    const { add, pass, asked } = play();
    add(pod('a', {}, { labels: { of: 'x' } }));
    pass(0.5);
    add(pod('b', {}, { labels: { of: 'x' } }), pod('c', {}, { labels: { of: 'y' } }));
    pass(10);
    expect(asked).toEqual(['1 x', '1.5 y']);
  });

  it('is asked again by what comes after', () => {
    const { add, pass, asked } = play();
    add(pod('a', {}, { labels: { of: 'x' } }));
    pass(5);
    add(pod('b', {}, { labels: { of: 'x' } }));
    pass(5);
    expect(asked).toEqual(['1 x', '6 x']);
  });

  it('is asked again when it says so, and sooner if something changes', () => {
    const { add, pass, asked } = play((_, count) => (count < 3 ? { writes: [], again: 10 } : { writes: [] }));
    add(pod('a', {}, { labels: { of: 'x' } }));
    pass(12);
    add(pod('b', {}, { labels: { of: 'x' } }));
    pass(100);
    expect(asked).toEqual(['1 x', '11 x', '13 x']);
  });

  it('lets the clock move on, however soon it wants to be asked again', () => {
    const { add, pass, asked } = play((_, count) => (count < 3 ? { writes: [], again: 0.01 } : { writes: [] }));
    add(pod('a', {}, { labels: { of: 'x' } }));
    pass(10);
    expect(asked).toEqual(['1 x', '1.1 x', '1.2 x']);
  });

  it('writes in its own name', () => {
    const { add, pass, world } = play((key) => (key === 'x' ? { writes: [create(pod('made'))] } : { writes: [] }));
    const by: string[] = [];
    world.objects.onChange((change) => by.push(change.by));
    add(pod('a', {}, { labels: { of: 'x' } }));
    pass(1);
    expect(by).toEqual(['script', 'controller']);
  });

  it('sees what was there before', () => {
    const scene = stage({ actors: () => undefined });
    scene.add(pod('a', {}, { labels: { of: 'x' } }));
    const seen: string[] = [];
    runController(scene.world, {
      name: 'late',
      wakes: { Pod: ({ type, by, object }) => [`${type} ${by} ${object.metadata.name}`] },
      after: [0, 0],
      reconcile: (key) => {
        seen.push(key);
        return { writes: [] };
      },
    });
    scene.rest();
    expect(seen).toEqual(['ADDED start a']);
  });
});
