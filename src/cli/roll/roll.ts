// `lull roll POOL` and `lull roll node/NAME`: a person asks for nodes to be replaced (Q1).
import { defined } from '../../cluster/defined.ts';
import { parseSigned } from '../../cluster/signedInstant.ts';
import { mapIn } from '../../kinds/read/reader.ts';
import { kindsToFind, requestRoll } from '../../server/personMarks.ts';
import { formatInstant } from '../../time/instant.ts';
import { wrongUsage } from '../failure.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { change, type PersonFlags, refusedBy } from '../pause/commandTarget.ts';
import { type Line, plain } from '../span.ts';
import { describeCluster } from '../whichCluster.ts';

interface RollFlags extends PersonFlags {
  readonly target: string | undefined;
  readonly note?: string;
  readonly author?: string;
  readonly cancel?: boolean;
  readonly output: OutputFormat;
}

export async function roll(flags: RollFlags, io: Io): Promise<void> {
  const { note, author = io.user, cancel = false, output } = flags;
  if (flags.target === undefined) throw wrongUsage('Name a pool, such as web, or a node, such as node/web-3.');
  if (cancel && (note !== undefined || flags.author !== undefined))
    throw wrongUsage('--cancel removes a request: --note and --author do not go with it.');
  const target = poolOrNode(flags.target);
  const wanted = defined({ target, note, author, cancel: cancel || undefined });
  const answer = await change(flags, io, {
    path: '/api/roll',
    body: wanted,
    kinds: kindsToFind(target),
    inPerson: true,
    byHand: async (port) => {
      const result = await requestRoll(port, wanted, io.now());
      if ('missing' in result) throw wrongUsage(result.missing);
      if ('answer' in result) throw refusedBy(result.answer);
      return result;
    },
  });
  await printAnswer(io, output, { value: () => answer, lines: () => describe(answer, cancel) });
}

/** A name alone is a pool's. */
const poolOrNode = (target: string): string => (target.includes('/') ? target : `pool/${target}`);

type RollAnswer = Awaited<ReturnType<typeof change>>;

function describe(answer: RollAnswer, cancel: boolean): Line[] {
  const { kind, name } = mapIn(answer.target);
  const what = `${kind} ${name}`;
  const where = describeCluster(answer.cluster);
  const before = typeof answer.was === 'string' ? parseSigned(answer.was) : undefined;
  const earlier = before
    ? `, the request of ${formatInstant(before.at)}${before.author ? ` by ${before.author}` : ''}`
    : '';
  if (cancel) {
    const text = answer.was === undefined ? `no roll of ${what} was requested` : `cancelled for ${what}${earlier}`;
    return [[plain(`${text}, in ${where}`)]];
  }
  const which = kind === 'pool' ? `all nodes of pool ${name} that exist now` : `node ${name}`;
  return [
    [plain(`requested: replace ${which}, in ${where}`)],
    [plain(`budgets, windows and pods still decide when; lull why ${kind}/${name} shows it`)],
  ];
}
