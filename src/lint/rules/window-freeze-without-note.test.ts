import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowFreezeWithoutNote } from './window-freeze-without-note.ts';

const { example } = windowFreezeWithoutNote;

describe('D4: window-freeze-without-note', () => {
  it('finds its example', () => {
    expect(found(windowFreezeWithoutNote)).toEqual([
      {
        rule: 'window-freeze-without-note',
        severity: 'info',
        object: 'MaintenanceWindow/year-end',
        path: 'spec.note',
        message:
          'It freezes nodes from 2098-12-20T00:00:00Z until 2099-01-05T00:00:00Z, but does not say who asked for that and why.',
        suggestion: 'Add a note, such as note: shop team, sales week.',
      },
    ]);
  });

  it.each([
    { name: 'a freeze with a note', text: `${example}  note: shop team\n` },
    { name: 'a freeze that is over', text: example.replace('2098', '2018').replace('2099', '2019') },
    {
      name: 'a window without dates',
      text: example.replace(/ {2}not[\s\S]*/, '  schedules: [{cron: 0 9 * * *, duration: 8h}]\n'),
    },
    { name: 'a window that allows', text: `${example}  mode: Allow\n` },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowFreezeWithoutNote, text)).toEqual([]);
  });
});
