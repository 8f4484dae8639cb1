import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { note } from './note.ts';

describe('note', () => {
  it('finds its example', () => {
    expect(found(note)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].timeZone',
        message: 'There is a time zone but no schedule, so it does nothing. Give a schedule.',
      },
    ]);
  });

  it.each([
    { name: 'older spellings', text: poolText('- nodes: 5') },
    { name: 'fields that are nearly known', text: poolText('- {nodes: "5", reasns: [Drifted]}') },
    {
      name: 'a zone with a schedule',
      text: poolText('- {nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Asia/Tokyo}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(note, text)).toEqual([]);
  });
});
