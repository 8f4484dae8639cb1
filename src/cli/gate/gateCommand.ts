// `lull gate`: lists the HealthGates of a cluster, or runs the check of one now, with the user's own credentials (O6).
import { defined } from '../../cluster/defined.ts';
import { gateStateAt } from '../../cluster/gateState.ts';
import type { HealthGate } from '../../cluster/healthGateRecord.ts';
import { listIn } from '../../kinds/read/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { apiKindOf, collectionPath } from '../../kube/apiKind.ts';
import { bodyOf, sayReply } from '../../kube/apiReply.ts';
import type { Connection } from '../../kube/connection.ts';
import { runCheck } from '../../probes/runCheck.ts';
import type { Instant } from '../../time/instant.ts';
import { withCluster } from '../clusterInput.ts';
import { Failure } from '../failure.ts';
import { type ClusterFlags, usualNamespace } from '../flags.ts';
import { timeAsJson } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { alignColumns, type Line, plain } from '../span.ts';

interface GateFlags extends ClusterFlags {
  readonly name?: string;
  readonly namespace?: string;
  readonly output: OutputFormat;
}

export async function gate(flags: GateFlags, io: Io): Promise<void> {
  const { name } = flags;
  await withCluster(flags, io, async (connection) => {
    const gates = await readGates(connection);
    if (name === undefined) return listGates(gates, flags, io);
    const found = gates.find((it) => it.name === name);
    if (!found) throw new Failure([{ message: `There is no HealthGate ${name} in this cluster.` }]);
    await checkNow(found, { connection, flags, io });
  });
}

async function readGates({ client }: Connection): Promise<readonly HealthGate[]> {
  const reply = await client.request({ method: 'GET', path: collectionPath(apiKindOf('HealthGate')) });
  const body = bodyOf(reply);
  if (!body) throw new Failure([{ message: `The healthgates of the cluster cannot be listed: ${sayReply(reply)}` }]);
  return listIn(body, 'items').flatMap((object) => {
    const read = readObject({ ...object, kind: 'HealthGate' });
    return read.kind === 'HealthGate' ? [read.record] : [];
  });
}

async function listGates(gates: readonly HealthGate[], { output }: GateFlags, io: Io): Promise<void> {
  const rows = gates.map((it) => gateAsJson(it, io.now()));
  await printAnswer(io, output, {
    value: () => ({ gates: rows }),
    lines: () =>
      rows.length === 0
        ? [[plain('There are no HealthGates in this cluster.')]]
        : alignColumns(rows.map(rowOf), { indent: 0, width: io.width }),
  });
}

function gateAsJson(gate: HealthGate, now: Instant) {
  const { state, message, since, opensAt } = gateStateAt(gate, now);
  const times = { since: timeAsJson(since), opensAt: timeAsJson(opensAt) };
  return defined({ name: gate.name, state, ...times, message, note: gate.note });
}

const rowOf = ({ name, state, since, message }: ReturnType<typeof gateAsJson>): Line[] => [
  [plain(name)],
  [plain(state)],
  [plain(since === undefined ? message : `since ${since}: ${message}`)],
];

interface CheckPlace {
  readonly connection: Connection;
  readonly flags: GateFlags;
  readonly io: Io;
}

async function checkNow(gate: HealthGate, { connection, flags, io }: CheckPlace): Promise<void> {
  const { check, fault, name } = gate;
  if (!check) throw new Failure([{ message: `HealthGate ${name} cannot be read: ${fault?.path}: ${fault?.message}` }]);
  const { namespace = usualNamespace } = flags;
  const result = await runCheck(check, { client: connection.client, namespace, signal: new AbortController().signal });
  const now = gateAsJson(gate, io.now());
  await printAnswer(io, flags.output, {
    value: () => ({ name, result: result.health, message: result.message, gate: now }),
    lines: () => [
      [plain(`${name}: ${result.health}: ${result.message}`)],
      [plain(`The gate is ${now.state}${now.since === undefined ? '' : ` since ${now.since}`}.`)],
    ],
  });
}
