// What an anonymised snapshot still says and what was masked, for the person who is about to send it.
import { type Masks, sorts } from './masks.ts';

/** Zones that are named; more are counted. */
const mostZones = 5;

export function summarise({ counts, zones, schedules }: Masks): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const named = sorted.map(([sort, count]) => `${sorts[sort]} ${count}`).join(', ');
  const times = schedules.size > 0 ? `, schedules ${schedules.size}${inZones([...zones].sort())}` : '';
  return [
    `masked: ${total} names${named === '' ? '' : ` (${named})`}`,
    `kept: how many objects there are, amounts, prices, dates${times}, the order of names, and words of Kubernetes, Karpenter and Lull`,
    '',
  ].join('\n');
}

function inZones(zones: readonly string[]): string {
  if (zones.length === 0) return '';
  const more = zones.length > mostZones ? ` and ${zones.length - mostZones} more` : '';
  return ` (time zones ${zones.slice(0, mostZones).join(', ')}${more})`;
}
