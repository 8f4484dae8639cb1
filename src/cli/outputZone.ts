// The zone that text output is printed in: --zone, else UTC. JSON and YAML are always in UTC.
import { InvalidArgumentError } from 'commander';
import { didYouMean, nearMisses } from '../kinds/read/nearMiss.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { utc } from './formatTime.ts';
import type { Io } from './io.ts';
import { dim, emptyLine, type Line } from './span.ts';

export interface ZoneFlags {
  /** An IANA name, or `local`. */
  readonly zone?: string;
}

/** UTC by default: times are compared with logs and events, which are in UTC. */
export function outputZone({ zone = 'UTC' }: ZoneFlags, { localZone }: Pick<Io, 'localZone'>): Zone {
  return findZone(zone === 'local' ? localZone() : zone) ?? utc;
}

/** Names the zone once, after everything else. UTC is not named: its times end in Z. */
export const zoneLines = ({ name }: Zone): Line[] =>
  name === 'UTC' ? [] : [emptyLine, [dim(`times in ${name}; -o json has UTC`)]];

/** For `--zone`, where `local` is the zone of this machine. */
export const zoneFlag = (word: string): string => (word === 'local' ? word : zoneName(word));

/** The IANA name as it is usually written, whatever its case. */
function zoneName(word: string): string {
  if (word === '' || !findZone(word)) throw new InvalidArgumentError(unknownZone(word));
  return zoneNames().find((name) => name.toLowerCase() === word.toLowerCase()) ?? word;
}

const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** People often write the city alone. */
function unknownZone(word: string): string {
  const names = zoneNames();
  const city = word.toLowerCase().replaceAll(' ', '_');
  const meant = [...nearMisses(word, names), ...names.filter((name) => name.toLowerCase().endsWith(`/${city}`))];
  const remedy = meant.length > 0 ? didYouMean([...new Set(meant)]) : 'Write an IANA name such as Europe/Berlin.';
  return `It is not a known time zone. ${remedy}`;
}
