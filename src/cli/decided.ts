// What is a round to those who ask a running Lull for it? With what it was decided on, and as JSON.
import type { Settings } from '../cluster/settings.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Decided } from '../server/source.ts';
import { roundAsJson } from './roundJson.ts';

/** Printed when somebody asks for it, and then once for all who do. */
export function decided(round: Round, { cluster, ledger }: Facts, role: Settings['role']): Decided {
  let json: unknown;
  return {
    round,
    cluster,
    role,
    ledger,
    get json() {
      json ??= roundAsJson(round, ledger);
      return json;
    },
  };
}
