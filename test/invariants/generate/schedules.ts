// Random crons with common durations and common mistakes.
import type { World } from './world.ts';

interface Schedule {
  readonly cron: string;
  readonly duration: string;
  readonly timeZone?: string;
}

/** Frequent and rare, short and long, on whole hours and not; some are always open. */
const crons: readonly [cron: string, ...durations: string[]][] = [
  ['0 9 * * mon-fri', '8h', '30m'],
  ['*/30 * * * *', '10m', '25m'],
  ['0 */4 * * *', '1h', '3h30m', '4h'],
  ['30 22 * * *', '6h', '24h'],
  ['0 2 * * sat,sun', '48h', '5h'],
  ['0 0 1 * *', '24h', '72h'],
  ['15,45 * * * *', '20m', '90s'],
  ['0 0 20 12 *', '240h'],
  ['* * * * *', '1m', '1h'],
  ['0 12 15-25 11 *', '12h', '36h'],
  ['@daily', '10h', '14h'],
  ['@hourly', '15m', '59m'],
  ['0 18 * * 5-7', '12h'],
  ['20 10,14 * * *', '2h'],
  ['0 6 * * tue#3', '12h', '72h'],
  ['0 0 L * thuL', '24h'],
  ['30 4 15,L * *', '10h'],
];

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
export const badCrons = ['61 * * * *', 'every day', '0 9 * *', '0 25 * * *'];
export const badZones = ['Europe/Atlantis', 'CET/CEST'];
export const neverCron = '0 0 30 2 *';

export function schedule({ dice }: World): Schedule {
  const [cron, ...durations] = dice.pick(crons);
  // A schedule that is always open in a time zone is walked for thirty years at each query (slow, not wrong): UTC is enough.
  const timeZone = dice.chance(0.4) && cron !== '* * * * *' ? dice.pick(zones) : undefined;
  return { cron, duration: dice.pick(durations), ...(timeZone && { timeZone }) };
}

/** A schedule with an error. */
export function badSchedule(world: World): Partial<Schedule> {
  const { dice } = world;
  const good = schedule(world);
  return dice.pick<Partial<Schedule>>([
    { ...good, cron: dice.pick(badCrons) },
    { ...good, cron: neverCron },
    { ...good, timeZone: dice.pick(badZones) },
    { ...good, duration: dice.pick(['soon', '30s', '-1h']) },
    { cron: good.cron, ...(good.cron === '* * * * *' && { duration: 'soon' }) },
  ]);
}
