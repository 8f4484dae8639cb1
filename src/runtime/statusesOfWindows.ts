// D8: what does each window do right now? Whether it is open, until when, whom it selects and holds; and what is wrong with it (D7).
import type { Fault } from '../cluster/fault.ts';
import type { Cluster } from '../cluster/store.ts';
import type { WindowReport } from '../engine/verdict.ts';
import { formatInstant } from '../time/instant.ts';
import type { Told, WantedCondition, WantedStatus } from './wantedStatus.ts';

export const windowStatuses = ({ round, facts }: Told): WantedStatus[] =>
  round.windows.map((report) => {
    const { kind, name, open, nextChange, selected, holding } = report;
    return {
      kind,
      name,
      conditions: [readiness(faultIn(facts.cluster, report))],
      fields: { open, ...(nextChange !== undefined && { nextChange: formatInstant(nextChange) }), selected, holding },
    };
  });

/** Absent = it can be read. */
function faultIn({ windows, podSchedules }: Cluster, { kind, name }: WindowReport): Fault | undefined {
  const all: readonly { readonly name: string; readonly fault?: Fault }[] =
    kind === 'MaintenanceWindow' ? windows : podSchedules;
  return all.find((it) => it.name === name)?.fault;
}

const readiness = (fault: Fault | undefined): WantedCondition =>
  fault
    ? { type: 'Ready', status: 'False', reason: 'Fault', message: `It holds all that it may mean. ${sayFault(fault)}` }
    : { type: 'Ready', status: 'True', reason: 'InForce', message: 'It is read and obeyed.' };

export const sayFault = ({ path, message }: Fault): string => `${path}: ${message}`;
