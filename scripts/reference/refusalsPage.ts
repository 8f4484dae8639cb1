// The reference page of refusal codes: what each means and what to do about it.
import { refusalCodes } from '../../src/engine/refusal.ts';
import { page, table } from './page.ts';

export function refusalsPage(): string {
  const intro =
    'Why a node is held. The list is complete: there are no other codes. Every refusal also has a message, the owner of the rule, and, if time alone lifts it, the instant.';
  const rows = Object.entries(refusalCodes).map(([code, { means, help }]) => [`\`${code}\``, means, help]);
  return page('Refusal codes', intro, table(['code', 'meaning', 'what to do'], rows));
}
