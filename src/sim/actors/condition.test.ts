// Status conditions and their transition times.
import { describe, expect, it } from 'vitest';
import { node, start } from '../../../test/sim/actorStage.ts';
import { openWorld } from '../world.ts';
import { allOf, type RowCondition } from './actor.ts';

const world = openWorld({ at: start, seed: 1 });

describe('A condition', () => {
  it.each<{ it: string; condition: RowCondition; holds: boolean }>([
    { it: 'has what is there', condition: { has: 'metadata.name' }, holds: true },
    { it: 'does not have what is not', condition: { has: 'metadata.deletionTimestamp' }, holds: false },
    { it: 'reads through what is not there', condition: { has: 'spec.template.spec' }, holds: false },
    { it: 'lacks what is not there', condition: { lacks: 'metadata.deletionTimestamp' }, holds: true },
    { it: 'compares', condition: { at: 'metadata.name', is: 'n' }, holds: true },
    { it: 'compares with what is not there', condition: { at: 'status.phase', isNot: 'Running' }, holds: true },
    { it: 'reads a status condition', condition: { condition: 'Ready', is: 'True' }, holds: true },
    { it: 'reads its opposite', condition: { condition: 'Ready', isNot: 'True' }, holds: false },
    { it: 'takes a missing one for Unknown', condition: { condition: 'Other', is: 'Unknown' }, holds: true },
    { it: 'takes a missing one for not True', condition: { condition: 'Other', isNot: 'True' }, holds: true },
    { it: 'asks for an annotation', condition: { annotated: 'a' }, holds: false },
    { it: 'asks the world', condition: { so: 'it is the world', holds: (_, asked) => asked === world }, holds: true },
  ])('$it', ({ condition, holds }) => {
    expect(allOf([condition])(node(), world)).toBe(holds);
  });

  it('holds with all the others', () => {
    const [yes, no]: RowCondition[] = [{ has: 'metadata.name' }, { lacks: 'metadata.name' }] as const;
    expect([[], [yes], [yes, no]].map((all) => allOf(all as RowCondition[])(node(), world))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
