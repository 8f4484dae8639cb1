// `lull why`: what holds a node, a pod or a pool, when each refusal lifts, and what to do about it.
import { decideSearched } from '../../engine/search.ts';
import { explainWhy, findTarget, type Why } from '../../engine/why/why.ts';
import { whyAsJson, whyFromJson } from '../../engine/why/whyJson.ts';
import { isMap } from '../../kinds/read/reader.ts';
import type { ClusterIdentity } from '../../server/roundSource.ts';
import type { Instant } from '../../time/instant.ts';
import { askServer } from '../askServer.ts';
import { wrongUsage } from '../failure.ts';
import type { ObjectFlags } from '../flags.ts';
import { factsOf } from '../input.ts';
import type { Io } from '../io.ts';
import { decisionTime, loadObjects, reportOrigin } from '../loadInput.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { type AskServer, type Whom, whichServer, whomToAsk } from '../pause/commandTarget.ts';
import { type Line, styled, wrap } from '../span.ts';
import { clusterField, clusterLines } from '../whichCluster.ts';
import { renderWhy } from './whyText.ts';

interface WhyFlags extends ObjectFlags, ZoneFlags {
  readonly target: string;
  readonly at?: Instant;
  readonly server?: string;
  readonly output: OutputFormat;
}

export async function why(flags: WhyFlags, io: Io): Promise<void> {
  const whom = await whomFor(flags, io);
  const { answer, cluster, outdated, instants } =
    whom.via === 'server' ? await whyOfServer(whom, flags, io) : await whyHere(flags, io);
  const zone = outputZone(flags, io);
  await printAnswer(io, flags.output, {
    value: () => ({ ...whyAsJson(answer), ...(outdated !== undefined && { outdated }), ...clusterField(cluster) }),
    lines: () => [
      ...renderWhy(answer, { width: io.width, zone }, instants),
      ...outdatedLines(outdated, io.width),
      ...zoneLines(zone),
      ...clusterLines(cluster),
    ],
  });
}

const outdatedLines = (why: string | undefined, width: number): Line[] =>
  why === undefined ? [] : wrap([styled('yellow', `No decision since then: ${why}`)], width);

interface WhyAnswer {
  readonly answer: Why;
  /** Instants of the round that the answer's sentences may name. */
  readonly instants?: readonly Instant[];
  /** Why it is older than now. */
  readonly outdated?: string;
  readonly cluster?: ClusterIdentity;
}

/** A running Lull answers for its own objects, clock and settings; files, --at and --set are decided here. */
async function whomFor(flags: WhyFlags, io: Io): Promise<Whom> {
  if (flags.file && flags.server !== undefined)
    throw wrongUsage('Give either -f or --server: the files, or a running Lull.');
  if (flags.file || (flags.server === undefined && isWhatIf(flags))) return { via: 'cluster' };
  if (isWhatIf(flags))
    throw wrongUsage(
      'A running Lull has its own clock and settings: --at, --settings and --set are for files (-f) and clusters (--context).',
    );
  return whomToAsk(flags, io);
}

const isWhatIf = ({ at, settings, set }: WhyFlags): boolean =>
  at !== undefined || settings !== undefined || set !== undefined;

async function whyHere(flags: WhyFlags, io: Io): Promise<WhyAnswer> {
  const { target } = flags;
  const { input, settings, origin, cluster } = await loadObjects(flags, io);
  const now = decisionTime(flags, io);
  reportOrigin(origin, flags.output, io);
  const found = findTarget(input.cluster, target);
  if (!('target' in found)) throw wrongUsage(describeUnknown(found));
  const { round } = decideSearched(factsOf(input, settings), now, settings);
  const answer = explainWhy({ round, role: settings.role, isLive: origin !== undefined }, input.cluster, found.target);
  if (!answer) throw wrongUsage(`${target} has no answer in this round.`);
  const instants = round.verdicts.flatMap(({ possibleAt }) => (typeof possibleAt === 'number' ? [possibleAt] : []));
  return { answer, cluster, instants };
}

const describeUnknown = ({ message, like }: { readonly message: string; readonly like: readonly string[] }): string =>
  like.length === 0 ? message : `${message} Similar names: ${like.join(', ')}.`;

async function whyOfServer(whom: AskServer, { target, output }: WhyFlags, io: Io): Promise<WhyAnswer> {
  // Printed before the answer: a name that is not found there may belong to another cluster.
  if (whom.isNear) reportOrigin(whichServer(whom), output, io);
  const reply = await askServer({ server: whom.server, path: `/api/why?target=${encodeURIComponent(target)}` });
  const answer = whyFromJson(reply);
  if (!answer)
    throw wrongUsage(
      `${whom.server} did not answer as a Lull of this version does. Check the address and the version.`,
    );
  const outdated = isMap(reply) ? reply.outdated : undefined;
  return { answer, ...(typeof outdated === 'string' && { outdated }), ...clusterField(whom.cluster) };
}
