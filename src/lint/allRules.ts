// All lint rules, sorted by name.
import type { LintRule } from './rule.ts';
import { budgetFieldsRules } from './rules/budgetFields.ts';
import { budgetHoursRules } from './rules/budgetHours.ts';
import { budgetLimitsRules } from './rules/budgetLimits.ts';
import { cronSchedulesRules } from './rules/cronSchedules.ts';
import { evictionBudgetsRules } from './rules/evictionBudgets.ts';
import { healthGatesRules } from './rules/gateRules.ts';
import { maintenanceWindowsRules } from './rules/maintenanceWindows.ts';
import { optOutsRules } from './rules/optOuts.ts';
import { peopleAskRules } from './rules/peopleAsk.ts';
import { podSchedulesRules } from './rules/podSchedules.ts';
import { poolLifetimesRules } from './rules/poolLifetimes.ts';
import { rateBudgetsRules } from './rules/rateBudgets.ts';
import { spellingRules } from './rules/spelling.ts';
import { topologyBudgetsRules } from './rules/topologyBudgets.ts';
import { upstreamBudgetsRules } from './rules/upstreamBudgets.ts';
import { waveBudgetsRules } from './rules/waveBudgets.ts';

export const rules: readonly LintRule[] = [
  ...budgetFieldsRules,
  ...budgetHoursRules,
  ...budgetLimitsRules,
  ...cronSchedulesRules,
  ...evictionBudgetsRules,
  ...upstreamBudgetsRules,
  ...healthGatesRules,
  ...maintenanceWindowsRules,
  ...optOutsRules,
  ...peopleAskRules,
  ...podSchedulesRules,
  ...poolLifetimesRules,
  ...rateBudgetsRules,
  ...spellingRules,
  ...topologyBudgetsRules,
  ...waveBudgetsRules,
].sort((a, b) => (a.name < b.name ? -1 : 1));
