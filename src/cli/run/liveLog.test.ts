import { describe, expect, it } from 'vitest';
import { asInstant } from '../../time/instant.ts';
import { asSentence } from './liveLog.ts';

describe('An event of `lull run` on the dashboard', () => {
  it.each([
    ['offered', 'Offered to Karpenter: web-1 of web (Drifted)'],
    ['taken', 'Taken by Karpenter: web-1 of web (Drifted)'],
    ['gone', 'Gone: web-1 of web (Drifted)'],
    ['something-new', 'something-new: web-1 of web (Drifted)'],
  ])('%s is a sentence by itself, with its time', (kind, text) => {
    const told = asSentence({ kind, text: 'web-1 of web (Drifted)', pool: 'web' }, asInstant(0));
    expect(told).toEqual({ at: '1970-01-01T00:00:00Z', kind, text, pool: 'web' });
  });
});
