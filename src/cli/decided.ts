// What is a round to those who ask a running Lull for it? With what it was decided on, and as JSON.
import type { Settings } from '../cluster/settings.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/reader.ts';
import type { Recordable } from '../recording/recorder.ts';
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

/** With all that it was decided from and that is not observed in the cluster. */
export const recordable = ({ round, json }: Decided, { ledger, ...facts }: Facts): Recordable => ({
  at: round.at,
  ledger,
  ...(facts.proposals && { proposals: facts.proposals }),
  ...(facts.podsBehind && { podsBehind: facts.podsBehind }),
  ...(facts.typesAwaited && { typesAwaited: facts.typesAwaited }),
  ...(facts.instanceTypes && { instanceTypes: facts.instanceTypes }),
  printed: json as Json,
});
