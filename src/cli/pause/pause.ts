// `lull pause`, `lull resume` and `lull turn pass`: changes that a user requests from a running Lull or in the cluster itself.
import { defined } from '../../cluster/defined.ts';
import { listIn, mapIn } from '../../kinds/read/reader.ts';
import { ledgerKind } from '../../kube/apiKind.ts';

import { passTurn, pauseWindow, pause as requestPause, resume as requestResume } from '../../server/userRequests.ts';
import { after, type Duration, formatInstant, type Instant } from '../../time/instant.ts';
import { wrongUsage } from '../failure.ts';
import { messageInZone } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { plain } from '../span.ts';
import { clusterField, describeCluster } from '../whichCluster.ts';
import { change, type PersonFlags, refusedBy } from './commandTarget.ts';

interface PauseFlags extends PersonFlags, ZoneFlags {
  readonly until?: Instant;
  readonly for?: Duration;
  readonly note?: string;
  readonly author?: string;
  readonly dryRun?: boolean;
}

/** Writes a MaintenanceWindow that holds everything. */
export async function pause(flags: PauseFlags, io: Io): Promise<void> {
  const { until, for: length, note, author = io.user, dryRun, output } = flags;
  if (until !== undefined && length !== undefined) throw wrongUsage('Give either --until or --for, not both.');
  const wanted = defined({ until: length === undefined ? until : after(io.now(), length), note, author });
  if (dryRun) {
    await printAnswer(io, output === 'json' ? 'json' : 'yaml', { value: () => pauseWindow(wanted), lines: () => [] });
    return;
  }
  const { cluster, ...answer } = await change(flags, io, {
    path: '/api/pause',
    // The server's clock may differ from ours.
    body: { until: until && formatInstant(until), for: length && `${length}ms`, note, author },
    kinds: ['MaintenanceWindow'],
    byHand: async (port) => {
      if (wanted.until !== undefined && wanted.until <= io.now())
        throw wrongUsage(`${formatInstant(wanted.until)} is in the past: it is ${formatInstant(io.now())}.`);
      const reply = await requestPause(port, wanted);
      if (reply.status !== 'done') throw refusedBy(reply);
      return { window: pauseWindow(wanted) };
    },
  });
  const window = mapIn(answer.window ?? answer);
  const { notAfter } = mapIn(window.spec);
  const zone = outputZone(flags, io);
  const end = notAfter === undefined ? 'until `lull resume`' : `until ${messageInZone(String(notAfter), zone)}`;
  await printAnswer(io, output ?? 'text', {
    value: () => ({ ...window, ...clusterField(cluster) }),
    lines: () => [[plain(`paused ${end} in ${describeCluster(cluster)}`)], ...zoneLines(zone)],
  });
}

export async function resume(flags: PersonFlags & { readonly output: OutputFormat }, io: Io): Promise<void> {
  const answer = await change(flags, io, {
    path: '/api/resume',
    body: {},
    kinds: [],
    byHand: async (port) => {
      const reply = await requestResume(port);
      const was = !(reply.status === 'refused' && reply.code === 404);
      if (was && reply.status !== 'done') throw refusedBy(reply);
      return { paused: false, was };
    },
  });
  const outcome = answer.was === true ? 'resumed' : 'there was no pause';
  await printAnswer(io, flags.output, {
    value: () => answer,
    lines: () => [[plain(`${outcome} in ${describeCluster(answer.cluster)}`)]],
  });
}

interface TurnFlags extends PersonFlags {
  readonly pool: string;
  readonly output: OutputFormat;
}

/** Passes a turn that does not pass by itself (C12). Written into the ledger, where the leading Lull finds it in its next round. */
export async function passTurnOn({ pool, ...flags }: TurnFlags, io: Io): Promise<void> {
  const answer = await change(flags, io, {
    path: '/api/turn/pass',
    body: { pool },
    kinds: [ledgerKind, 'NodePool'],
    byHand: async (port) => {
      const passed = await passTurn(port, pool, io.now());
      if ('missing' in passed) throw wrongUsage(passed.missing);
      if ('answer' in passed) throw refusedBy(passed.answer);
      const turns = passed.turns.map(({ topologyKey, domain }) => defined({ topologyKey, domain }));
      return { pool, turns, ...(passed.wave && { wave: true }) };
    },
  });
  const domains = listIn(answer, 'turns').map(({ topologyKey, domain }) =>
    typeof domain === 'string' ? domain : `the nodes without ${topologyKey}`,
  );
  await printAnswer(io, flags.output, {
    value: () => answer,
    lines: () => [
      [plain(`${pool}: ${describePassing(domains, answer.wave === true)}, in ${describeCluster(answer.cluster)}`)],
    ],
  });
}

/** `a will pass the turn and the next wave begins` */
const describePassing = (domains: readonly string[], wave: boolean): string =>
  [
    ...(domains.length > 0 ? [`${domains.join(' and ')} will pass the turn`] : []),
    ...(wave ? ['the next wave begins once nothing is in flight'] : []),
  ].join(', and ');
