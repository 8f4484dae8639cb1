// Schedule questions answered in a second.
import { parseCron } from '../src/time/cron.ts';
import { asInstant, type Instant, parseInstant } from '../src/time/instant.ts';
import { table } from './table.ts';

const questions = 2_000_000;
const start = parseInstant('2026-01-01T00:00:00Z') as Instant;
/** Steps that fall on no round number, over about four years. */
const stride = 61_007;

export function benchCron(): string {
  const rows = ['UTC', 'Europe/Berlin'].flatMap((zone) =>
    ['0 9 * * mon-fri', '*/15 * * * *', '0 2 1,15 * *', '30 6 * 1-6 sun'].map((text) => [
      zone,
      text,
      perSecond(text, zone),
    ]),
  );
  return table(['zone', 'schedule', 'next() a second'], rows);
}

function perSecond(text: string, zone: string): string {
  const parsed = parseCron(text, zone);
  if (!('cron' in parsed)) throw new Error(parsed.fault);
  const ask = (): void => {
    for (let i = 0; i < questions; i++) parsed.cron.next(asInstant(start + i * stride));
  };
  ask();
  const started = performance.now();
  ask();
  return `${(questions / (performance.now() - started) / 1000).toFixed(1)} M`;
}
