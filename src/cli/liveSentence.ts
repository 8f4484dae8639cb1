// How is an event of `lull run` told to who only sees its sentence? The log has a column for its kind; the dashboard has none.
import { formatExactly, type Instant } from '../time/instant.ts';
import type { Told } from './liveLog.ts';

const begins: Readonly<Record<string, string>> = {
  offered: 'Offered to Karpenter: ',
  taken: 'Karpenter has taken ',
  withdrawn: 'Offer taken back: ',
  released: 'Let go again: ',
  gone: 'Gone: ',
  chosen: 'Chosen: ',
  tainted: 'Takes no new pods: ',
  replacing: 'Waits for its replacement: ',
  draining: 'Draining: ',
  terminating: 'Terminating: ',
  turn: 'Turn: ',
  'may-go': 'May go: ',
  hold: 'Held by hand: ',
  open: 'Opens: ',
  closed: 'Closes: ',
  slow: 'Not ready in time: ',
  recovered: 'Over: ',
  expired: 'Expired by force: ',
  parking: 'Parking: ',
  parked: 'Parked: ',
  fault: 'Fault: ',
  mended: 'Mended: ',
  ready: 'Lull looks on: ',
};

/** With its time, and by itself. */
export function asSentence(told: Told, now: Instant): Told {
  const head = begins[told.kind] ?? `${told.kind}: `;
  return { at: formatExactly(now), ...told, text: `${head}${told.text}` };
}
