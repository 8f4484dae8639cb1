import { describe, expect, it } from 'vitest';
import { readAmounts } from './reader.ts';

function amounts(values: Record<string, unknown>) {
  const wrong: string[] = [];
  return { read: readAmounts(values, (name) => wrong.push(name)), wrong };
}

describe('Quantities by resource', () => {
  it('are read, and null is absent', () => {
    expect(amounts({ cpu: '1500m', memory: '1Ki', pods: 3, 'example.com/gpu': null })).toEqual({
      read: { cpu: 1500, memory: 1024, pods: 3 },
      wrong: [],
    });
  });

  it('are capped where they are beyond all numbers, as the API server does', () => {
    expect(amounts({ memory: '1e400' })).toEqual({ read: { memory: 2 ** 63 }, wrong: [] });
  });

  it.each([
    { name: 'no quantity', value: 'much' },
    { name: 'below zero', value: '-1' },
    { name: 'a list', value: [] },
  ])('are named and left out: $name', ({ value }) => {
    expect(amounts({ cpu: '1', memory: value })).toEqual({ read: { cpu: 1000 }, wrong: ['memory'] });
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'are named and left out: %s, which every object inherits',
    (name) => {
      expect(amounts(JSON.parse(`{"${name}": "1"}`))).toEqual({ read: {}, wrong: [name] });
    },
  );
});
