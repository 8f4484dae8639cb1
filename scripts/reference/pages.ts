// All pages of docs/reference by file name, one for each table in the code.
import { chartPage } from './chartPage.ts';
import { clausesPage } from './clausesPage.ts';
import { cliPage } from './cliPage.ts';
import { lintPage } from './lintPage.ts';
import { metricsPage } from './metricsPage.ts';
import { permissionsPage } from './permissionsPage.ts';
import { policyPage } from './policyPage.ts';
import { refusalsPage } from './refusalsPage.ts';
import { scenarioPage } from './scenarioPage.ts';
import { settingsPage } from './settingsPage.ts';

export async function referencePages(): Promise<Record<string, string>> {
  return {
    'chart.md': chartPage(),
    'clauses.md': clausesPage(),
    'cli.md': await cliPage(),
    'lint.md': lintPage(),
    'metrics.md': metricsPage(),
    'permissions.md': permissionsPage(),
    'policy.md': policyPage(),
    'refusals.md': refusalsPage(),
    'scenario.md': scenarioPage(),
    'settings.md': settingsPage(),
  };
}
