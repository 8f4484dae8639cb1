// Which misreadings does `lull lint` find? One section a rule, with an example that it finds something in.
import { rules } from '../../src/lint/rules.ts';
import { page } from './page.ts';

export function lintPage(): string {
  const sections = rules.map(
    ({ name, finds, why, example }) => `## ${name}\n\n${finds}\n\n${why}\n\n\`\`\`yaml\n${example.trim()}\n\`\`\``,
  );
  const intro =
    'What `lull lint` looks for. Faults of reading (a bad value, an old spelling) are reported beside these. What is said of pods is said of the templates of Deployments, StatefulSets, DaemonSets, Jobs and CronJobs too.';
  return page('Lint rules', intro, sections.join('\n\n'));
}
