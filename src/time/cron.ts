// When does a schedule fire, before and after? A cron text in a zone, compiled once and asked in both directions.
import { keep } from './bounded.ts';
import { type CronFields, type Fault, readFields } from './cronFields.ts';
import { nextHit, previousHit } from './hits.ts';
import { type Duration, type Instant, minute } from './instant.ts';
import { compilePattern, hasNoGapOver, type Pattern } from './pattern.ts';
import { findZone, type Zone } from './zone.ts';

export interface Cron {
  /** As it was written. */
  readonly text: string;
  readonly zone: Zone;
  /** What it names on the clock on the wall, whatever the zone. */
  readonly pattern: Pattern;
  /** The zone named by a `TZ=` or `CRON_TZ=` prefix of the text itself. */
  readonly prefix: string | undefined;
  /** False if it never does, as on 30 February. */
  readonly fires: boolean;
  /** Why upstream Karpenter would reject the text; undefined if it would not. */
  readonly superset: string | undefined;
  /** The first hit after that instant, not at it; undefined if it never fires. */
  next(after: Instant): Instant | undefined;
  /** The last hit up to that instant, or at it; undefined if it never fires. */
  previous(at: Instant): Instant | undefined;
  /** Whether hits, by the clock on the wall, are never further apart than that. */
  hasNoGapOver(limit: Duration): boolean;
}

const crons = new Map<string, { readonly cron: Cron } | Fault>();
const cronsKept = 5000;

const zonePrefix = /^(?:CRON_)?TZ=(\S*)(.*)$/s;

/** Reads a cron text in a zone (UTC if none is given); a zone in the text itself wins (B3). */
export function parseCron(text: string, zone = ''): { readonly cron: Cron } | Fault {
  const key = `${zone}\n${text}`;
  return crons.get(key) ?? keep(crons, cronsKept, key, readCron(text.trim(), zone));
}

function readCron(text: string, zoneName: string): { readonly cron: Cron } | Fault {
  const [, prefix, rest = text] = zonePrefix.exec(text) ?? [];
  const name = prefix ?? zoneName;
  const zone = findZone(name);
  if (!zone) return { fault: `time zone ${name} is unknown: an IANA name is needed, such as Europe/Berlin` };
  const fields = readFields(rest.trim());
  return 'fault' in fields ? fields : { cron: compile(text, zone, prefix, fields) };
}

function compile(text: string, zone: Zone, prefix: string | undefined, fields: CronFields): Cron {
  const pattern = compilePattern(fields);
  const fires = pattern.everMatches;
  const beyond = [...(prefix === undefined ? [] : ['upstream knows no zone but UTC']), ...fields.beyondUpstream];
  return {
    text,
    zone,
    pattern,
    prefix,
    fires,
    superset: beyond.length > 0 ? beyond.join('; ') : undefined,
    next: (after) => (fires ? nextHit(pattern, zone, after) : undefined),
    previous: (at) => (fires ? previousHit(pattern, zone, at) : undefined),
    hasNoGapOver: (limit) => fires && hasNoGapOver(pattern, limit / minute),
  };
}
