// Tests of --zone: times of text output in another zone, named once; JSON in UTC.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';

const at = ['--at', '2026-11-17T10:20:00Z'];
const firstLook = ['-f', 'scenarios/first-look.yaml', ...at];

/** Times with a date, or marked as UTC. */
const utcTime = /\d\d:\d\d(?::\d\d)?Z|\d UTC/;

const commands = [
  { name: 'decide', argv: ['decide', ...firstLook], says: 'at 2026-11-17 11:20, role observe' },
  { name: 'why NODE', argv: ['why', 'ip-10-0-2-18', ...firstLook], says: 'until 2026-11-21 22:00 (in 4d10h)' },
  { name: 'why POD', argv: ['why', 'pod/data/reports-0', ...firstLook], says: 'as of 2026-11-17 11:20' },
  { name: 'why POOL', argv: ['why', 'pool/general', ...firstLook], says: 'as of 2026-11-17 11:20' },
  { name: 'simulate', argv: ['simulate', 'scenarios/zone-by-zone.yaml', '--for', '15m'], says: 'Mon 2026-11-16 09:00' },
  { name: 'forecast', argv: ['forecast', 'scenarios/zone-by-zone.yaml'], says: 'done about 2026-11-16 09:40' },
  { name: 'explain', argv: ['explain', ...firstLook], says: 'as of 2026-11-17 11:20' },
];

describe('--zone', () => {
  it.each(commands)('$name prints times in it, and names it once', async ({ name, argv, says }) => {
    const { status, stdout } = await runInMemory([...argv, '--zone', 'Europe/Berlin']);
    expect(status).toBe(0);
    expect(stdout).toContain(says);
    expect(stdout.match(/^times in Europe\/Berlin; -o json has UTC$/gm)).toHaveLength(1);
    // The hours of schedules are in the zone of their schedule.
    if (name !== 'explain') expect(stdout).not.toMatch(utcTime);
  });

  it('local is the zone of the machine', async () => {
    const { stdout } = await runInMemory([...(commands[0]?.argv ?? []), '--zone', 'local'], {
      localZone: () => 'Asia/Tokyo',
    });
    expect(stdout).toContain('at 2026-11-17 19:20, role observe');
    expect(stdout).toContain('times in Asia/Tokyo');
  });

  it('is UTC by default, which is not named', async () => {
    const argv = commands[0]?.argv ?? [];
    const { stdout } = await runInMemory(argv, { localZone: () => 'Asia/Tokyo' });
    expect(stdout).toContain('at 2026-11-17 10:20Z, role observe');
    expect(stdout).not.toContain('times in');
    expect((await runInMemory([...argv, '--zone', 'UTC'])).stdout).toBe(stdout);
  });

  it('does not change JSON', async () => {
    const argv = [...(commands[1]?.argv ?? []), '-o', 'json'];
    expect(await runInMemory([...argv, '--zone', 'Europe/Berlin'])).toEqual(await runInMemory(argv));
  });

  it.each([
    {
      zone: 'Europe/Berln',
      says: "argument 'Europe/Berln' is invalid. It is not a known time zone. Did you mean Europe/Berlin?",
    },
    { zone: 'berlin', says: 'Did you mean Europe/Berlin?' },
    { zone: 'New York', says: 'Did you mean America/New_York?' },
    { zone: '+01:00', says: 'Write an IANA name such as Europe/Berlin.' },
    { zone: '', says: 'Write an IANA name such as Europe/Berlin.' },
  ])('$zone is unknown', async ({ zone, says }) => {
    const { status, stderr } = await runInMemory([...(commands[0]?.argv ?? []), '--zone', zone]);
    expect(status).toBe(2);
    expect(stderr).toContain(says);
  });

  it('is written as it is usually spelled, whatever the case', async () => {
    const { stdout } = await runInMemory([...(commands[0]?.argv ?? []), '--zone', 'europe/berlin']);
    expect(stdout).toContain('times in Europe/Berlin');
  });
});
