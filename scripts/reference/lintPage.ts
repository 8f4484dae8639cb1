// The reference page of `lull lint`: one section per rule, with an example that it reports.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rules } from '../../src/lint/allRules.ts';
import { page } from './page.ts';

export function lintPage(): string {
  const sections = rules.map(
    ({ name, finds, why }) => `## ${name}\n\n${finds}\n\n${why}\n\n\`\`\`yaml\n${exampleOf(name).trim()}\n\`\`\``,
  );
  const intro =
    'What `lull lint` checks. Rules on pods also apply to the pod templates of Deployments, StatefulSets, DaemonSets, Jobs and CronJobs.';
  return page('Lint rules', intro, sections.join('\n\n'));
}

const exampleOf = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, `../../docs/reference/lint/${name}.yaml`), 'utf8');
