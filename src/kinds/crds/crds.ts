// Which CustomResourceDefinitions does Lull have?
import type { Definition } from './definition.ts';
import { disruptionLedger } from './disruptionLedger.ts';
import { maintenanceWindow } from './maintenanceWindow.ts';
import { nodePool } from './nodePool.ts';
import { podDisruptionSchedule } from './podDisruptionSchedule.ts';

/** What is installed wherever Lull runs. */
export const ownKinds: readonly Definition[] = [maintenanceWindow, podDisruptionSchedule, disruptionLedger];

/** What stands in for Karpenter's where there is no Karpenter. Beside it, it would replace Karpenter's own CRD: never apply it there (N9). */
export const embeddedKinds: readonly Definition[] = [nodePool];
