// What does each refusal mean, and what can a person do about it?
import { refusalCodes } from '../../src/engine/refusal.ts';
import { page, table } from './page.ts';

export function refusalsPage(): string {
  const intro =
    'Why a node does not go. The list is closed: no other code is ever given. Every refusal also has a sentence, whose rule it is, and, where time alone lifts it, the instant.';
  const rows = Object.entries(refusalCodes).map(([code, { means, help }]) => [`\`${code}\``, means, help]);
  return page('Refusal codes', intro, table(['code', 'it means', 'what you can do'], rows));
}
