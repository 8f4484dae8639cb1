// Every row of `npm run bench -- hostile`.
import type { HostileRow } from './hostileRow.ts';
import { scheduleRows } from './hostileSchedules.ts';
import { termRows } from './hostileTerms.ts';

export const hostileRows: readonly HostileRow[] = [...scheduleRows, ...termRows];
