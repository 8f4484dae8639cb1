// What is to stand in the status of pools, windows and schedules (J2, D8)? Worked out from a round; nothing is sent here.
import { poolStatuses } from './statusesOfPools.ts';
import { windowStatuses } from './statusesOfWindows.ts';
import type { Told, WantedStatus } from './wantedStatus.ts';

export const statusesOf = (told: Told): WantedStatus[] => [...poolStatuses(told), ...windowStatuses(told)];
