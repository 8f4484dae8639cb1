// `lull approve`: a person approves the disruption of a node, or of the nodes of a pool (Q2).
import { defined } from '../../cluster/defined.ts';
import { mapIn } from '../../kinds/read/reader.ts';
import { kindsToFind, approve as writeApproval } from '../../server/personMarks.ts';
import { after, type Duration } from '../../time/instant.ts';
import { wrongUsage } from '../failure.ts';
import { messageInZone } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { change, type PersonFlags, refusedBy } from '../pause/commandTarget.ts';
import { plain } from '../span.ts';
import { describeCluster } from '../whichCluster.ts';

interface ApproveFlags extends PersonFlags, ZoneFlags {
  readonly target: string;
  readonly for?: Duration;
  readonly note?: string;
  readonly author?: string;
  readonly revoke?: boolean;
  readonly output: OutputFormat;
}

export async function approve(flags: ApproveFlags, io: Io): Promise<void> {
  const { target, for: length, note, author = io.user, revoke, output } = flags;
  if (revoke && (length !== undefined || note !== undefined || flags.author !== undefined))
    throw wrongUsage('--revoke takes an approval back: --for, --note and --author do not go with it.');
  const signer = { target, note, author, revoke };
  const answer = await change(flags, io, {
    path: '/api/approve',
    // The server's clock may differ from ours.
    body: { ...signer, for: length && `${length}ms` },
    kinds: kindsToFind(target),
    inPerson: true,
    byHand: async (port) => {
      const until = length === undefined ? undefined : after(io.now(), length);
      const result = await writeApproval(port, defined({ ...signer, until }), io.now());
      if ('missing' in result) throw wrongUsage(result.missing);
      if ('answer' in result) throw refusedBy(result.answer);
      return result;
    },
  });
  const { kind, name } = mapIn(answer.target);
  const where = describeCluster(answer.cluster);
  const zone = outputZone(flags, io);
  const revoked = answer.was === undefined ? `${kind} ${name} was not approved` : `approval of ${kind} ${name} revoked`;
  const until = messageInZone(String(answer.approvedUntil), zone);
  const text = revoke
    ? revoked
    : `approved: disruption of ${kind === 'pool' ? `the nodes of pool ${name}` : `node ${name}`} until ${until}`;
  await printAnswer(io, output, {
    value: () => answer,
    lines: () => [[plain(`${text}, in ${where}`)], ...(revoke ? [] : zoneLines(zone))],
  });
}
