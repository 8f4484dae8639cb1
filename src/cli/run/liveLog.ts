// The log of `lull run`: one line per event on stderr, and one sentence per event for the dashboard.
import { escapeControls } from '../../kinds/text/escaping.ts';
import { formatExactly, formatInstant, type Instant } from '../../time/instant.ts';
import type { Io } from '../io.ts';

/** An event: its kind, a sentence, and fields for programs. */
export interface LogEntry {
  readonly kind: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

export type Log = (told: LogEntry) => void;

export type LogForm = 'text' | 'json';

/** The width of the kind's column; the longest usual kind is `terminating`. */
const column = 11;

export const openLog =
  (io: Pick<Io, 'stderr' | 'now'>, form: LogForm): Log =>
  ({ kind, text, ...fields }) => {
    const line =
      form === 'json'
        ? JSON.stringify({ at: formatExactly(io.now()), kind, text, ...fields })
        : escapeControls(`${formatInstant(io.now())} ${kind.padEnd(column)} ${text}`);
    io.stderr(`${line}\n`, form);
  };

/** How a sentence on the dashboard begins, by kind: the log has a column for the kind, the dashboard does not. */
const begins: Readonly<Record<string, string>> = {
  offered: 'Offered to Karpenter: ',
  taken: 'Taken by Karpenter: ',
  withdrawn: 'Offer withdrawn: ',
  released: 'Released: ',
  gone: 'Gone: ',
  chosen: 'Chosen: ',
  tainted: 'Tainted: ',
  replacing: 'Waiting for its replacement: ',
  draining: 'Draining: ',
  terminating: 'Terminating: ',
  turn: 'Turn: ',
  'may-go': 'May be disrupted: ',
  hold: 'Held by hand: ',
  open: 'Opened: ',
  closed: 'Closed: ',
  slow: 'Not ready in time: ',
  recovered: 'Recovered: ',
  expired: 'Forced expiry: ',
  interrupted: 'Interrupted: ',
  parking: 'Parking: ',
  parked: 'Parked: ',
  fault: 'Fault: ',
  mended: 'Fixed: ',
  ready: 'Ready: ',
};

/** The event as a sentence, with its time. */
export function asSentence(told: LogEntry, now: Instant): LogEntry {
  const head = begins[told.kind] ?? `${told.kind}: `;
  return { at: formatExactly(now), ...told, text: `${head}${told.text}` };
}
