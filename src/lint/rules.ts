// Which misreadings does lint know? All rules, by name.
import type { Rule } from './rule.ts';
import { budgetEmptyList } from './rules/budget-empty-list.ts';
import { budgetEmptyReasons } from './rules/budget-empty-reasons.ts';
import { budgetFreezeGap } from './rules/budget-freeze-gap.ts';
import { budgetFrozen } from './rules/budget-frozen.ts';
import { budgetInverted } from './rules/budget-inverted.ts';
import { budgetNeverLeast } from './rules/budget-never-least.ts';
import { budgetPercent } from './rules/budget-percent.ts';
import { budgetPolicyOff } from './rules/budget-policy-off.ts';
import { budgetReasonMissing } from './rules/budget-reason-missing.ts';
import { budgetSequentialUnused } from './rules/budget-sequential-unused.ts';
import { budgetSharedCounter } from './rules/budget-shared-counter.ts';
import { budgetShut } from './rules/budget-shut.ts';
import { budgetTighterOffHours } from './rules/budget-tighter-off-hours.ts';
import { budgetTopologyInert } from './rules/budget-topology-inert.ts';
import { budgetTopologyOnly } from './rules/budget-topology-only.ts';
import { budgetUnlimitedHours } from './rules/budget-unlimited-hours.ts';
import { consolidationNever } from './rules/consolidation-never.ts';
import { expiryBeforeWindows } from './rules/expiry-before-windows.ts';
import { expiryCannotFinish } from './rules/expiry-cannot-finish.ts';
import { expiryNeverAndDriftFrozen } from './rules/expiry-never-and-drift-frozen.ts';
import { fault } from './rules/fault.ts';
import { givenTwice } from './rules/given-twice.ts';
import { karpenterBudgetBinds } from './rules/karpenter-budget-binds.ts';
import { nodeHoldWithoutWhy } from './rules/node-hold-without-why.ts';
import { nodeOptOutLeft } from './rules/node-opt-out-left.ts';
import { note } from './rules/note.ts';
import { oldKind } from './rules/old-kind.ts';
import { oldSpelling } from './rules/old-spelling.ts';
import { pdbNeverAllows } from './rules/pdb-never-allows.ts';
import { pdbSelectsNothing } from './rules/pdb-selects-nothing.ts';
import { pdbTwoOnOnePod } from './rules/pdb-two-on-one-pod.ts';
import { perReasonBlocks } from './rules/per-reason-blocks.ts';
import { podGraceOverDeadline } from './rules/pod-grace-over-deadline.ts';
import { podOptOutAndSchedule } from './rules/pod-opt-out-and-schedule.ts';
import { podOptOutOnDaemonset } from './rules/pod-opt-out-on-daemonset.ts';
import { podOptOutUnderDeadline } from './rules/pod-opt-out-under-deadline.ts';
import { podScheduleNeverOpens } from './rules/pod-schedule-never-opens.ts';
import { podScheduleOutsidePoolHours } from './rules/pod-schedule-outside-pool-hours.ts';
import { podScheduleRare } from './rules/pod-schedule-rare.ts';
import { podScheduleSelectsNothing } from './rules/pod-schedule-selects-nothing.ts';
import { podScheduleShorterThanGrace } from './rules/pod-schedule-shorter-than-grace.ts';
import { podSchedulesNeverMeet } from './rules/pod-schedules-never-meet.ts';
import { rejectedByApi } from './rules/rejected-by-api.ts';
import { repairAfterShort } from './rules/repair-after-short.ts';
import { safetyNetMissing } from './rules/safety-net-missing.ts';
import { scheduleAlwaysOpen } from './rules/schedule-always-open.ts';
import { scheduleEitherDay } from './rules/schedule-either-day.ts';
import { scheduleNeverOpen } from './rules/schedule-never-open.ts';
import { scheduleOverlap } from './rules/schedule-overlap.ts';
import { scheduleStepTooLarge } from './rules/schedule-step-too-large.ts';
import { scheduleZoneMissing } from './rules/schedule-zone-missing.ts';
import { topologyKeyUnknown } from './rules/topology-key-unknown.ts';
import { topologyLabelMissing } from './rules/topology-label-missing.ts';
import { unknownField } from './rules/unknown-field.ts';
import { unknownKey } from './rules/unknown-key.ts';
import { unknownKind } from './rules/unknown-kind.ts';
import { upstreamAdmission } from './rules/upstream-admission.ts';
import { upstreamCeiling } from './rules/upstream-ceiling.ts';
import { upstreamCron } from './rules/upstream-cron.ts';
import { upstreamFields } from './rules/upstream-fields.ts';
import { windowAllowEnds } from './rules/window-allow-ends.ts';
import { windowAndBudgetsNeverMeet } from './rules/window-and-budgets-never-meet.ts';
import { windowContradiction } from './rules/window-contradiction.ts';
import { windowFreezeWithoutEnd } from './rules/window-freeze-without-end.ts';
import { windowFreezeWithoutNote } from './rules/window-freeze-without-note.ts';
import { windowModeMissing } from './rules/window-mode-missing.ts';
import { windowOver } from './rules/window-over.ts';
import { windowSelectsNothing } from './rules/window-selects-nothing.ts';

export const rules: readonly Rule[] = [
  budgetEmptyList,
  budgetEmptyReasons,
  budgetFreezeGap,
  budgetFrozen,
  budgetInverted,
  budgetNeverLeast,
  budgetPercent,
  budgetPolicyOff,
  budgetReasonMissing,
  budgetSequentialUnused,
  budgetSharedCounter,
  budgetShut,
  budgetTighterOffHours,
  budgetTopologyInert,
  budgetTopologyOnly,
  budgetUnlimitedHours,
  consolidationNever,
  expiryBeforeWindows,
  expiryCannotFinish,
  expiryNeverAndDriftFrozen,
  fault,
  givenTwice,
  karpenterBudgetBinds,
  nodeHoldWithoutWhy,
  nodeOptOutLeft,
  note,
  oldKind,
  oldSpelling,
  pdbNeverAllows,
  pdbSelectsNothing,
  pdbTwoOnOnePod,
  perReasonBlocks,
  podGraceOverDeadline,
  podOptOutAndSchedule,
  podOptOutOnDaemonset,
  podOptOutUnderDeadline,
  podScheduleNeverOpens,
  podScheduleOutsidePoolHours,
  podScheduleRare,
  podScheduleSelectsNothing,
  podScheduleShorterThanGrace,
  podSchedulesNeverMeet,
  rejectedByApi,
  repairAfterShort,
  safetyNetMissing,
  scheduleAlwaysOpen,
  scheduleEitherDay,
  scheduleNeverOpen,
  scheduleOverlap,
  scheduleStepTooLarge,
  scheduleZoneMissing,
  topologyKeyUnknown,
  topologyLabelMissing,
  unknownField,
  unknownKey,
  unknownKind,
  upstreamAdmission,
  upstreamCeiling,
  upstreamCron,
  upstreamFields,
  windowAllowEnds,
  windowAndBudgetsNeverMeet,
  windowContradiction,
  windowFreezeWithoutEnd,
  windowFreezeWithoutNote,
  windowModeMissing,
  windowOver,
  windowSelectsNothing,
];
