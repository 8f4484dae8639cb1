import { describe, expect, it } from 'vitest';
import { after, asDuration, asInstant, before, day, hour, type Instant, second } from './instant.ts';
import { type OffsetAt, readPeriods } from './zone.ts';

const [from, to] = [asInstant(0), asInstant(400 * day)];
const [winter, summer] = [hour, asDuration(2 * hour)];
const quarter = asDuration(hour / 4);

const changingAt =
  (change: Instant, old: OffsetAt, then: OffsetAt): OffsetAt =>
  (at) =>
    (at < change ? old : then)(at);
const inWinter: OffsetAt = () => winter;
const inSummer: OffsetAt = () => summer;

describe('B3: the periods of a zone', () => {
  it.each([
    {
      name: 'a clock that is never changed',
      offsets: inWinter,
      want: [{ start: from, end: to, offset: winter, jump: 0 }],
    },
    {
      name: 'a clock put forward, to the second',
      offsets: changingAt(after(from, second), inWinter, inSummer),
      want: [
        { start: from, end: 1000, offset: winter, jump: 0 },
        { start: 1000, end: to, offset: summer, jump: hour, repeatedUntil: 1000 },
      ],
    },
    {
      name: 'two changes a week apart',
      offsets: changingAt(asInstant(9 * day), changingAt(asInstant(2 * day), inWinter, inSummer), inWinter),
      want: [
        { start: from, end: 2 * day, offset: winter },
        { start: 2 * day, end: 9 * day, offset: summer, jump: hour },
        { start: 9 * day, end: to, offset: winter, jump: -hour, repeatedUntil: 9 * day + hour },
      ],
    },
    {
      name: 'a change right at the start',
      offsets: changingAt(from, inSummer, inWinter),
      want: [{ start: from, end: to, offset: winter, jump: -hour, repeatedUntil: from + hour }],
    },
    {
      name: 'a repetition that began before the start',
      offsets: changingAt(before(from, quarter), inSummer, inWinter),
      want: [{ start: from, end: to, offset: winter, jump: 0, repeatedUntil: from + 3 * quarter }],
    },
    {
      name: 'a change right at the end belongs to what follows',
      offsets: changingAt(to, inSummer, inWinter),
      want: [{ start: from, end: to, offset: summer, jump: 0 }],
    },
  ])('$name', ({ offsets, want }) => {
    expect(readPeriods(offsets, from, to)).toMatchObject(want);
  });
});
