// Every row of `npm run bench -- hostile`.
import type { HostileRow } from './hostileRow.ts';
import { scheduleRows } from './hostileSchedules.ts';

/** Anti-affinity terms and PodDisruptionBudgets (issue 15, item 2) belong here too, from a file of their own. */
export const hostileRows: readonly HostileRow[] = [...scheduleRows];
